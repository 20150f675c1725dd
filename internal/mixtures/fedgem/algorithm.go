package fedgem

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures"
	"github.com/collabdict/collabdict/internal/numeric/metrics"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/option"
)

// Kind describes the algorithm to the program.
var Kind = algorithm.Kind{
	Name: "fedgem", About: "clusters of unknown number",
	New: func() algorithm.Algorithm { return new(Algorithm) },
}

// The rules for the radii of rounds.
const (
	exactRadius = "exact" // as far as no likelihood falls
	halfRadius  = "half"  // half of the squared exact radius, as in the paper's public code
)

// chiSquare is the rule of the last merge that needs no factor.
const chiSquare = "chi-square"

// mostByBIC is the maximum number of components of a participant if neither settings nor labels
// give the number.
const mostByBIC = 10

// Algorithm finds clusters with [Learn]. Its fields are the settings.
type Algorithm struct {
	// Components is the number of clusters of each participant, or with MostComponents a range;
	// 0 lets each participant choose its number.
	Components, MostComponents int
	Rounds                     int // including the last merge
	Tol                        float64
	LocalSteps                 int
	Covariance, Radius, Final  string
	MinRows                    int
	privacy.Budget
}

var _ algorithm.Algorithm = (*Algorithm)(nil)

// Options returns the options that set the fields.
func (a *Algorithm) Options() option.Table {
	// With noise, fewer rounds are better, because each one adds noise.
	const rounds, noisyRounds = 50, 10
	return slices.Concat(option.Table{
		option.Range(&a.Components, &a.MostComponents, "components", 0, "number `K` of clusters that each participant finds in its rows, or a range such as 3-10 to choose from by BIC (default the number of classes in --label, otherwise by BIC)",
			option.AtLeast(1), option.Optional[int]("leave it out to let each participant choose its number")),
		option.Int(&a.Rounds, "rounds", rounds, "maximum number of `ROUNDS`, including the last merge; with --epsilon, the default is 10",
			option.DefaultBy(func() int {
				if a.Epsilon != 0 {
					return noisyRounds
				}
				return rounds
			}),
			option.Check(func(v int) error {
				if v < 2 {
					return fmt.Errorf("want at least 2, one before the last merge, got %d", v)
				}
				return nil
			})),
		option.Float(&a.Tol, "tol", 1e-6, "stop when no centre moves by more than `X` standard deviations of its cluster in a round; 0 runs all rounds", option.Finite()),
		option.Int(&a.LocalSteps, "local-steps", 1, "number `E` of EM steps that each participant makes per round", option.AtLeast(1)).ForExperts(),
		mixtures.Covariance(&a.Covariance, gmm.Spherical, gmm.Spherical, gmm.Full),
		option.String(&a.Radius, "radius", exactRadius, "`LIMIT` on how far a round may move a centre towards those of other members: exact (until its likelihood would fall) or half (half of that squared, as in the code of Ibrahim et al. 2026)",
			option.OneOf(exactRadius, halfRadius)).ForExperts(),
		option.String(&a.Final, "final", chiSquare, "`RULE` by which the last merge decides that clusters are the same: chi-square (by the sampling error of their centres), factor=V (as in Ibrahim et al. 2026; larger V merges more) or, with --min-rows 1, factor=V1,V2,... (chosen by cross-validation)",
			option.Check(func(v string) error { _, err := factorsOf(v); return err })).ForExperts(),
	}, a.Budget.Options(), option.Table{
		privacy.MinRowsOption(&a.MinRows).Needs(privacy.NoNoise, func() bool { return a.Epsilon == 0 }),
	})
}

// factorsOf parses a rule for the last merge: chi-square, which has no factors, or "factor="
// and the factors to choose from, separated by commas.
func factorsOf(rule string) (factors []float64, err error) {
	if rule == chiSquare {
		return nil, nil
	}
	values, ok := strings.CutPrefix(rule, "factor=")
	if !ok {
		return nil, fmt.Errorf("want %s, factor=V, or factor=V1,V2,... to choose from by cross-validation, got %q", chiSquare, rule)
	}
	for _, text := range strings.Split(values, ",") {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v > 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("want factors that are finite and above 0, got %q", text)
		}
		factors = append(factors, v)
	}
	return factors, nil
}

// Prepare checks and completes the settings.
func (a *Algorithm) Prepare(c algorithm.Coordinates) error {
	factors, err := factorsOf(a.Final)
	if err != nil {
		return option.Errorf("final", "%v", err)
	}
	if len(factors) > 1 && a.once() {
		return &option.Error{
			Name: "final", Msg: fmt.Sprintf("want one factor, or %s, with min-rows above 1, because clusters of two thirds of the rows, shown next to those of all rows, reveal few rows", chiSquare),
			Hint: "choose a factor on rows that may be shown, or set --min-rows 1",
		}
	}
	switch {
	case a.Epsilon == 0:
		return nil
	case a.Components == 0 || a.MostComponents != 0:
		return option.Errorf("components", "want a number with epsilon, because a number chosen by BIC or by labels reveals something about the rows")
	case a.full():
		return option.Errorf("covariance", "want %s with epsilon, got %s", gmm.Spherical, a.Covariance)
	case len(factors) > 1:
		return option.Errorf("final", "want one factor, or %s, with epsilon, because a factor chosen by held-out rows reveals something about them", chiSquare)
	}
	return a.Budget.Prepare(c)
}

func (a *Algorithm) full() bool { return a.Covariance == gmm.Full.String() }

// once reports whether members show their clusters only in the last merge.
func (a *Algorithm) once() bool { return a.MinRows > 1 }

// Traits returns what the settings require of a run.
func (a *Algorithm) Traits() algorithm.Traits {
	t := algorithm.Traits{
		Rounds: a.Rounds, HoldsRows: true, Patterns: true,
		LeastRows: a.LeastRows(max(a.Components+1, a.MinRows)), ShownRows: a.MinRows, Noise: a.Noise(),
	}
	if a.once() {
		t.Rounds = 1
	}
	return t
}

// Disclosure returns what members reveal to each other.
func (a *Algorithm) Disclosure(c algorithm.Coordinates) algorithm.Disclosure {
	shape, when := "spread", "in every round"
	if a.full() {
		shape = "covariance matrix"
	}
	if a.once() {
		when = "once"
	}
	shown := fmt.Sprintf("the centre, the number of rows and the %s of each of its clusters, and how far each may be moved, %s", shape, when)
	factors, _ := factorsOf(a.Final)
	if len(factors) > 1 {
		shown += ", and the same of clusters of two thirds of its rows, three times, to choose a factor"
	}
	items := []algorithm.Item{a.Published(clustersEntry, privacy.OfRows(shown, "each is", a.MinRows))}
	if !a.once() {
		items[0].When = algorithm.EachRound
	}
	if len(factors) > 1 {
		items = append(items, algorithm.Item{Entry: factorsEntry, What: "how well each factor did", Form: algorithm.Summed, When: algorithm.Once})
	}
	return algorithm.Disclosure{Items: items}
}

// The entries of what members show.
const (
	clustersEntry collabdict.Entry = "clusters"
	factorsEntry  collabdict.Entry = "factors"
)

// Learn runs one participant's part of the training. The last merge counts as the last round;
// without it there is no model.
func (a *Algorithm) Learn(ctx context.Context, g collabdict.Group, d algorithm.Data, after func(algorithm.Progress)) (algorithm.Outcome, error) {
	out := algorithm.Outcome{Warnings: a.Warnings(d.Rows)}
	least, err := privacy.LeastRows(g, d, a.MinRows)
	if err != nil {
		return out, err
	}
	x, err := algorithm.Dense(d.Rows)
	if err != nil {
		return out, err
	}
	c, err := a.config(ctx, g, x, d, least)
	if err != nil {
		return out, err
	}
	c.OnRound = func(r Round) {
		after(algorithm.Progress{Round: collabdict.Round{Number: r.Number, Objective: r.Step}, Loss: r.Step, Step: true})
	}
	r, err := Learn(ctx, g, x, c)
	if err != nil {
		return out, err
	}
	mixture, err := r.Mixture()
	if err != nil {
		return out, err
	}
	total := 0.0
	for _, c := range r.Clusters {
		total += c.Rows
	}
	out.Last = collabdict.Round{Number: r.Rounds, Objective: r.Step, Converged: r.Converged}
	out.Model, out.TotalRows = &Model{Mixture: mixture, Own: r.Local(), Of: r.Own}, int(math.Round(total))
	out.Warnings = append(out.Warnings, privacy.FewWarnings(r.Few, least)...)
	if c.Noise != nil {
		out.Spends = a.Spend(privacy.InTheClear, r.Spent)
	}
	after(algorithm.Progress{Round: out.Last, Loss: out.Last.Objective, Step: true, Clusters: mixture.Components()})
	return out, nil
}

func (a *Algorithm) config(ctx context.Context, g collabdict.Group, x *mat.Dense, d algorithm.Data, least int) (c Config, err error) {
	c = Config{
		Full: a.full(), LocalSteps: a.LocalSteps, Rounds: a.Rounds - 1, Tol: a.Tol, Half: a.Radius == halfRadius,
		MinRows: max(1, least), Seed: d.Seed,
	}
	if a.Tol == 0 {
		c.Tol = -1 // never
	}
	if c.Components, err = a.components(x, d); err != nil {
		return c, err
	}
	if a.Hides(d) {
		// If all M columns of a row are within Clip of the middle, the row is within Clip·√M of
		// it.
		_, dim := x.Dims()
		c.Noise = &Noise{
			Loss: a.Loss(), Radius: a.Clip * math.Sqrt(float64(dim)), Middle: a.Middle(), Source: d.Source,
		}
	}
	factors, err := factorsOf(a.Final)
	switch {
	case err != nil:
		return c, err
	case len(factors) == 1 || len(factors) > 1 && g.Membership().Size == 1: // alone, clusters stay apart whatever the factor
		c.Final = Factor{V: factors[0]}
	case len(factors) > 1:
		v, err := choose(ctx, g, x, c, factors)
		if err != nil {
			return c, fmt.Errorf("choose a factor: %w", err)
		}
		c.Final = Factor{V: v}
	}
	return c, nil
}

// components returns the number of own clusters: the agreed number, or the one of smallest BIC
// in the agreed range. If neither was agreed, it is the number of classes of the own labels, or
// without labels the one of smallest BIC.
func (a *Algorithm) components(x *mat.Dense, d algorithm.Data) (k int, err error) {
	rows, _ := x.Dims()
	least, most := a.Components, a.MostComponents
	switch {
	case least != 0 && most == 0:
		k = least
	case least == 0 && d.Labels != nil:
		k = Classes(d.Labels)
	default:
		if least == 0 {
			least, most = 1, mostByBIC
		}
		if k = least; least <= rows {
			return ComponentsByBIC(x, least, most, a.full(), d.Seed)
		}
	}
	if k > rows && !a.Hides(d) { // with noise, nobody may learn that there are few rows
		return 0, option.Errorf("components", "want at most %d, the number of own rows, got %d", rows, k)
	}
	return k, nil
}

// choose chooses a factor by cross-validation, before the first round.
func choose(ctx context.Context, g collabdict.Group, x *mat.Dense, c Config, factors []float64) (float64, error) {
	return ChooseFactor(ctx, setup{g}, x, c, factors, func(x *mat.Dense, labels []int) float64 {
		v, ok := metrics.Silhouette(x, labels, c.Seed)
		if !ok {
			return math.NaN()
		}
		return v
	})
}

// setup is a group whose collectives belong to no round yet.
type setup struct{ collabdict.Group }
