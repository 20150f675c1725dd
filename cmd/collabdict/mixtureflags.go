package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/collabdict/collabdict/gmm/privacy"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/internal/task"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// mixtureFlags are the options of fedgen, dem and fedgem.
type mixtureFlags struct {
	covariance, start string
	synthetic, refine int
	minRows           int
	radius, final     string
	privacy           task.Privacy
	simulated         bool // the command has all rows in one place
}

func (m *mixtureFlags) add(cmd *cobra.Command) {
	section(cmd, ofMixtures, func(f *pflag.FlagSet) {
		f.StringVar(&m.covariance, "covariance", "diag", "`FORM` of the covariance matrices: of fedgen and dem full, diag or spherical; of fedgem spherical (its default) or full")
		f.IntVar(&m.synthetic, "synthetic", 0, "of fedgen: draw `H` rows for each gathered component and fit to them from scratch, as published (default 100, and fit to them from the gathered components merged, which is better)")
		f.IntVar(&m.refine, "refine", 0, "of fedgen: at most `R` rounds of sums after the one")
		f.StringVar(&m.start, "start", string(task.Spread), "`START` of dem: spread, centres far apart; k-fed, clusters whose local centres are shown in the clear; or shared-rows, in simulations only")
		f.IntVar(&m.minRows, "min-rows", privacy.MinRows, "of fedgen, fedgem and dem with k-fed: show no own component or cluster of fewer than `N` rows, but merge it into another, and let fedgem show its clusters once; 1 shows all, in every round, as published: a single row may be one")
		f.StringVar(&m.radius, "radius", task.ExactRadius, "of fedgem: how far the others may move a centre in a round: exact, as far as its likelihood does not fall; or half of the squared distance, as in the paper's code")
		f.StringVar(&m.final, "final", task.ChiSquare, "`RULE` for the last merge of fedgem: chi-square, what chance leaves open of each centre; factor=V, the paper's; or factor=V1,V2,... to choose from by cross-validation")
		f.Float64Var(&m.privacy.Epsilon, "epsilon", 0, "of fedgen and fedgem: what is shown is (`E`, delta)-differentially private in each row")
		f.Float64Var(&m.privacy.Delta, "delta", 1e-5, "see --epsilon")
		f.Float64Var(&m.privacy.Clip, "clip", 3, "with --epsilon: no value is taken to be beyond ±`C`, in the units trained on (with --ranges 1); of fedgem, rows of M columns not to be longer than C·√M")
	})
}

const (
	// tolOfMixtures is the published one, in nats a row.
	tolOfMixtures = 1e-3
	// Rounds of fedgem; fewer with noise, which each of them adds to.
	roundsOfClusters, noisyRounds = 50, 10
)

// setOptions sets those options of a task that its kind takes.
func (t *taskFlags) setOptions(cmd *cobra.Command, k *task.Task) error {
	if !slices.Contains(model.Kinds(), k.Model) {
		return nil // Validate tells
	}
	for _, name := range []string{"components", "rounds", "tol", "lambda0", "rho", "init", "covariance", "synthetic", "refine", "start", "min-rows", "local-steps", "radius", "final", "latent", "hidden", "batch", "rate", "aggressive", "beta", "epochs", "weights", "effect", "offset", "debias", "weigh-every", "publish-weights", "condition", "classes", "dropout"} {
		if cmd.Flags().Changed(name) && !task.Takes(k.Model, name) {
			hint := ""
			if name == "rounds" && k.Model == model.FedGen {
				hint = "it learns in one round; --refine R adds rounds of sums"
			}
			return &usageError{fmt.Sprintf("--%s: the model %s has none", name, k.Model), hint}
		}
	}
	if err := t.setPrivacy(cmd, k); err != nil {
		return err
	}
	if cmd.Flags().Changed("min-rows") {
		if k.MinRows = t.minRows; k.MinRows < 1 {
			return &usageError{fmt.Sprintf("--min-rows: want at least 1, got %d", k.MinRows), "1 shows components of any rows"}
		}
	}
	switch k.Model {
	case model.GGM:
		k.Lambda0, k.Rho = t.lambda0, t.rho
		return nil
	case model.FedGEM:
		return t.setClusters(cmd, k)
	case model.MTVAE:
		t.setNetworks(cmd, k)
		return nil
	case model.CGAU:
		t.setCGAU(cmd, k)
		return nil
	case model.BVAE:
		t.setBVAE(cmd, k)
		return nil
	}
	k.Covariance = t.covariance
	if !cmd.Flags().Changed("tol") {
		k.Tol = tolOfMixtures
	}
	if k.Model == model.DEM {
		k.Start = task.Start(t.start)
		if k.Start == task.SharedRows && !t.simulated {
			return &usageError{"--start: shared-rows is for simulations: no participant can be asked for rows", "take spread or k-fed"}
		}
		return nil
	}
	return t.setOneRound(cmd, k)
}

func (t *taskFlags) setOneRound(cmd *cobra.Command, k *task.Task) error {
	if t.refine < 0 {
		return &usageError{fmt.Sprintf("--refine: want at least 0 rounds, got %d", t.refine), ""}
	}
	if cmd.Flags().Changed("synthetic") && t.synthetic < 1 {
		return &usageError{fmt.Sprintf("--synthetic: want at least 1 row, got %d", t.synthetic), ""}
	}
	k.Synthetic, k.Rounds = t.synthetic, 1+t.refine
	return nil
}

func (t *taskFlags) setClusters(cmd *cobra.Command, k *task.Task) error {
	changed := cmd.Flags().Changed
	if !changed("components") {
		k.Components = 0
	} else if k.Components == 0 {
		return &usageError{"--components: want at least 1, got 0", "leave it out for each participant's own number"}
	}
	if !changed("rounds") {
		if k.Rounds = roundsOfClusters; k.Privacy.Epsilon != 0 {
			k.Rounds = noisyRounds
		}
	}
	if k.Covariance = t.covariance; !changed("covariance") {
		k.Covariance = "spherical"
	}
	k.LocalSteps, k.Radius, k.Final = t.localSteps, t.radius, t.final
	return nil
}

func (t *taskFlags) setPrivacy(cmd *cobra.Command, k *task.Task) error {
	changed := cmd.Flags().Changed
	if !changed("epsilon") {
		for _, name := range []string{"delta", "clip"} {
			if changed(name) {
				return &usageError{fmt.Sprintf("--%s says nothing without --epsilon", name), "give an epsilon, or leave it out"}
			}
		}
		return nil
	}
	if t.privacy.Epsilon == 0 {
		return &usageError{"--epsilon: want a value above 0, got 0", "leave it out for no noise"}
	}
	if !task.Takes(k.Model, "epsilon") {
		k.Privacy = t.privacy
		return nil // Validate tells
	}
	if t.ranges == "" && !t.noStandardise && t.standardise == "" {
		return &usageError{
			"--epsilon: columns would be scaled by the rows, and of that no noise hides anything: a single far row changes the units of all that is shown",
			"scale by agreed ranges (--ranges) or not at all (--standardise none --clip C), or say that it may be so (--standardise own or global)",
		}
	}
	if (t.noStandardise || t.standardise == string(task.None)) && !changed("clip") {
		return &usageError{"--clip is missing: columns that are not standardised have no bound that is known without a look at the rows", "give a bound of their values"}
	}
	k.Privacy = t.privacy
	if t.ranges != "" && !changed("clip") {
		k.Privacy.Clip = 1 // all rows are within
	}
	return nil
}

// parseComponents reads a number of components, or a range of them, whose upper end is
// 0 for a number.
func parseComponents(s string) (least, most int, err error) {
	if least, err = strconv.Atoi(s); err == nil {
		return least, 0, nil
	}
	from, to, _ := strings.Cut(s, "-")
	least, bad := strconv.Atoi(from)
	most, err = strconv.Atoi(to)
	if bad != nil || err != nil {
		return 0, 0, &usageError{fmt.Sprintf("--components: want a number, or a range as 3-10, got %q", s), ""}
	}
	if least > most {
		return 0, 0, &usageError{fmt.Sprintf("--components: want a range from fewer to more, got %s", s), ""}
	}
	if least == most {
		most = 0
	}
	return least, most, nil
}
