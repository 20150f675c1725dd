package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/internal/task"
	"github.com/spf13/cobra"
)

// mixtureFlags are the options of fedgen and dem.
type mixtureFlags struct {
	covariance, start string
	synthetic, refine int
	simulated         bool // the command has all rows in one place
}

func (m *mixtureFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&m.covariance, "covariance", "diag", "`FORM` of the covariance matrices of fedgen and dem: full, diag or spherical")
	f.IntVar(&m.synthetic, "synthetic", 0, "of fedgen: draw `H` rows for each gathered component and fit to them from scratch, as published (default 100, and fit to them from the gathered components merged, which is better)")
	f.IntVar(&m.refine, "refine", 0, "of fedgen: at most `R` rounds of sums after the one")
	f.StringVar(&m.start, "start", string(task.Spread), "`START` of dem: spread, centres far apart; k-fed, clusters whose local centres are shown in the clear; or shared-rows, in simulations only")
}

// tolOfMixtures is the published one, in nats a row.
const tolOfMixtures = 1e-3

// setOptions sets those options of a task that its kind takes.
func (t *taskFlags) setOptions(cmd *cobra.Command, k *task.Task) error {
	if !slices.Contains(model.Kinds(), k.Model) {
		return nil // Validate tells
	}
	changed := cmd.Flags().Changed
	for _, name := range []string{"rounds", "lambda0", "rho", "init", "covariance", "synthetic", "refine", "start"} {
		if changed(name) && !task.Takes(k.Model, name) {
			return &usageError{fmt.Sprintf("--%s: the model %s has none", name, k.Model), ""}
		}
	}
	if k.Model == model.GGM {
		k.Lambda0, k.Rho = t.lambda0, t.rho
		return nil
	}
	k.Covariance = t.covariance
	if !changed("tol") {
		k.Tol = tolOfMixtures
	}
	if k.Model == model.DEM {
		k.Start = task.Start(t.start)
		if k.Start == task.SharedRows && !t.simulated {
			return &usageError{"--start: shared-rows is for simulations: no participant can be asked for rows", "take spread or k-fed"}
		}
		return nil
	}
	if t.refine < 0 {
		return &usageError{fmt.Sprintf("--refine: want at least 0 rounds, got %d", t.refine), ""}
	}
	if changed("synthetic") && t.synthetic < 1 {
		return &usageError{fmt.Sprintf("--synthetic: want at least 1 row, got %d", t.synthetic), ""}
	}
	k.Synthetic, k.Rounds = t.synthetic, 1+t.refine
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
