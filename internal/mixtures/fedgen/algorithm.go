package fedgen

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures"
	"github.com/collabdict/collabdict/internal/mixtures/em"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/option"
)

// Kind describes the algorithm to the program.
var Kind = algorithm.Kind{
	Name: "fedgen", About: "a Gaussian mixture in one round, from the participants' own mixtures",
	New: func() algorithm.Algorithm { return new(Algorithm) },
}

// Algorithm learns a mixture in one round from the participants' own mixtures, and may refine
// it in rounds of sums. Its fields are the settings.
type Algorithm struct {
	Components, MostComponents int // MostComponents is 0 unless it is a range
	Tol                        float64
	Covariance                 string
	// Synthetic is the number of rows drawn per gathered component, for a fit from scratch. 0
	// draws 100 and starts the fit from the reduced mixture.
	Synthetic int
	Refine    int // rounds of sums
	MinRows   int
	privacy.Budget
}

var _ algorithm.Algorithm = (*Algorithm)(nil)

// Options returns the options that set the fields.
func (a *Algorithm) Options() option.Table {
	return slices.Concat(option.Table{
		option.Range(&a.Components, &a.MostComponents, "components", 5, "number `K` of components of the shared mixture, one per pattern in the data, or a range such as 3-10 to choose from by BIC", option.AtLeast(1)),
		mixtures.Tol(&a.Tol),
		mixtures.Covariance(&a.Covariance, gmm.Diag, gmm.Full, gmm.Diag, gmm.Spherical),
		option.Int(&a.Synthetic, "synthetic", 0, "draw `H` synthetic rows per component of the participants' mixtures and fit the shared mixture to them from a k-means++ start, as in Zhang Pettersson et al. 2025 (default 100 rows, starting from the merged components)",
			option.Between(1, 1_000_000), option.Optional[int]("leave it out to start from the merged components")).ForExperts(),
		option.Int(&a.Refine, "refine", 0, "improve the mixture on all rows in up to `R` further rounds of private sums", option.AtLeast(0)),
	}, a.Budget.Options(), option.Table{
		privacy.MinRowsOption(&a.MinRows).Needs(privacy.NoNoise, func() bool { return a.Epsilon == 0 }),
	})
}

// Prepare checks and completes the settings.
func (a *Algorithm) Prepare(c algorithm.Coordinates) error {
	switch most := max(a.Components, a.MostComponents); {
	case most > maxComponents:
		return option.Errorf("components", "want at most %d, got %d", maxComponents, most)
	case a.Epsilon != 0 && a.MostComponents != 0:
		return option.Errorf("components", "want a number with epsilon, because a number chosen by BIC reveals something about the rows, got %d-%d", a.Components, a.MostComponents)
	case a.Epsilon != 0 && a.Refine > 0:
		return option.Errorf("refine", "want 0 with epsilon, because the noise does not cover rounds of sums, got %d", a.Refine)
	}
	return a.Budget.Prepare(c)
}

// Traits returns what the settings require of a run.
func (a *Algorithm) Traits() algorithm.Traits {
	return algorithm.Traits{
		Rounds: 1 + a.Refine, HoldsRows: true, Patterns: true,
		LeastRows: a.LeastRows(max(a.Components+1, a.MinRows)), ShownRows: a.MinRows, Noise: a.Noise(),
	}
}

// mixtureEntry names the mixtures that members show each other.
const mixtureEntry collabdict.Entry = "mixture"

// Disclosure returns what members reveal to each other.
func (a *Algorithm) Disclosure(c algorithm.Coordinates) algorithm.Disclosure {
	const own = "the mixture of its own rows: the weights, means and covariance matrices of the components, and the number of rows"
	d := algorithm.Disclosure{Items: []algorithm.Item{a.Published(mixtureEntry, privacy.OfRows(own, "each component is", a.MinRows))}}
	if a.Refine > 0 {
		d.Items = append(d.Items, em.StatisticsItem(a.Covariance, 0))
		d.Sums, d.Conserved = true, mixtures.Conserved(a.Covariance)
	}
	return d
}

// config returns the settings of the local fits and of the shared one.
func (a *Algorithm) config(seed uint64, least int) Config {
	k := Range{Min: a.Components, Max: max(a.Components, a.MostComponents)}
	return Config{Local: k, Global: k, EM: mixtures.EM(a.Covariance, a.Tol), MinRows: max(1, least), PerComponent: a.Synthetic, Reduce: a.Synthetic == 0, Seed: mixtures.Seed(seed)}
}

// Learn runs one participant's part of the training.
func (a *Algorithm) Learn(ctx context.Context, g collabdict.Group, d algorithm.Data, after func(algorithm.Progress)) (algorithm.Outcome, error) {
	out := algorithm.Outcome{Warnings: a.Warnings(d.Rows)}
	least, err := privacy.LeastRows(g, d, a.MinRows)
	if err != nil {
		return out, err
	}
	g.StartRound(1, [32]byte{})
	x, err := algorithm.Dense(d.Rows)
	if err != nil {
		return out, err
	}
	r, few, err := a.once(ctx, g, x, d, a.config(d.Seed, least), &out)
	if err != nil {
		return out, fmt.Errorf("round 1: %w", err)
	}
	out.Last = collabdict.Round{Number: 1, Objective: r.Choices[r.Best].MeanLogLik, Converged: a.Refine == 0}
	out.Model, out.TotalRows, out.Selection = r.Mixture.WithTotal(float64(r.Rows)), r.Rows, r.selection()
	out.Warnings = append(out.Warnings, privacy.FewWarnings(few, least)...)
	after(algorithm.Progress{Round: out.Last, Loss: -out.Last.Objective})
	if a.Refine == 0 {
		return out, nil
	}
	err = a.refine(ctx, g, d, &out, after)
	return out, err
}

// once makes the one round. A participant that learns alone uses its local mixture as the
// shared one. few is the number of own components that were merged because they had few rows. What
// noise has spent is entered in out.
func (a *Algorithm) once(ctx context.Context, g collabdict.Group, x *mat.Dense, d algorithm.Data, c Config, out *algorithm.Outcome) (r *Result, few int, err error) {
	var own Contribution
	switch {
	case a.Hides(d):
		var spent privacy.ZCDP
		own, spent, err = a.private(x, d, c)
		out.Spends = a.Spend(privacy.InTheClear, spent)
	case g.Membership().Size > 1:
		own, few, err = Local(x, c)
	default:
		r, err = alone(x, c)
		return r, 0, err
	}
	if err != nil {
		return nil, 0, err
	}
	r, err = Exchange(ctx, g, own, c)
	return r, few, err
}

// private fits the own mixture with noise. Each value lies within Clip of the middle.
func (a *Algorithm) private(x *mat.Dense, d algorithm.Data, c Config) (Contribution, privacy.ZCDP, error) {
	_, dim := x.Dims()
	p := Privacy{Epsilon: a.Epsilon, Delta: a.Delta, Low: make([]float64, dim), High: make([]float64, dim)}
	for i := range dim {
		p.Low[i], p.High[i] = a.Middle()-a.Clip, a.Middle()+a.Clip
	}
	return Private(x, a.Components, c.EM.Form, p, c.Seed, d.Source)
}

func alone(x *mat.Dense, c Config) (*Result, error) {
	choices, best, err := Select(x, c.Local, c.EM, c.Seed)
	if err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	r := &Result{Mixture: choices[best].Mixture, Rows: n, Gathered: choices[best].Mixture.Components(), Best: best}
	for _, choice := range choices {
		bic := choice.BIC(float64(n))
		r.Choices = append(r.Choices, Summary{Components: choice.Mixture.Components(), MeanLogLik: choice.MeanLogLik, BIC: bic, BICData: bic})
	}
	return r, nil
}

func (r *Result) selection() *algorithm.Selection {
	s := &algorithm.Selection{Rows: r.Rows, Gathered: r.Gathered, Synthetic: r.Synthetic}
	for _, c := range r.Choices {
		s.Choices = append(s.Choices, algorithm.Choice{Components: c.Components, Loglik: c.MeanLogLik, BIC: c.BIC, BICRows: c.BICData})
	}
	return s
}

// refine makes rounds of sums from the model in out, and stores their results in out.
func (a *Algorithm) refine(ctx context.Context, g collabdict.Group, d algorithm.Data, out *algorithm.Outcome, after func(algorithm.Progress)) error {
	first := out.Model.(*gmm.Mixture)
	l, err := em.NewLearner(d.Rows, em.Config{Plain: &em.Plain{Mixture: func(context.Context, collabdict.Group) (*gmm.Mixture, error) { return first, nil }}})
	if err != nil {
		return err
	}
	_, err = collabdict.Train(ctx, later{g}, l, collabdict.Options{Rounds: a.Refine, AbsTol: a.Tol, OnRound: func(r collabdict.Round) {
		r.Number++
		out.Last, out.Model, out.TotalRows = r, l.Model(), l.TotalRows()
		after(algorithm.Progress{Round: r, Loss: -r.Objective})
	}})
	return err
}

// Load returns the mixture stored in arrays.
func (a *Algorithm) Load(arrays algorithm.Arrays, coordinates int) (algorithm.Model, error) {
	return mixtures.Load(arrays, a.Covariance, coordinates)
}

// later is a group whose rounds are counted after the one round made before.
type later struct{ collabdict.Group }

func (l later) StartRound(number int, parameters [32]byte) {
	l.Group.StartRound(number+1, parameters)
}
