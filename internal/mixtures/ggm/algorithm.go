package ggm

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/mixtures/dpem"
	"github.com/collabdict/collabdict/internal/mixtures/em"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/option"
)

// Kind describes the algorithm to the program.
var Kind = algorithm.Kind{
	Name: "ggm", About: "a mixture of sparse Gaussian graphical models, by private sums",
	New: func() algorithm.Algorithm { return new(Algorithm) },
}

// Algorithm learns a mixture with an [em.Learner]. Its fields are the settings.
type Algorithm struct {
	Components, MostComponents, Rounds int
	Tol, Lambda0                       float64
	Score                              string
	Rho, Lambda, Sparse, Blur          float64
	Init                               option.FileContent
	Diversity                          privacy.Rule
	Covariance                         string
	privacy.Budget

	start  *gmm.Parameters // of Init
	shared *em.Solutions
}

// The values of Algorithm.Score.
const (
	scoreDensity  = "density"
	scoreExpected = "expected"
)

var _ algorithm.InOneProcess = (*Algorithm)(nil)

// Options returns the options that set the fields.
func (a *Algorithm) Options() option.Table {
	return append(option.Table{
		option.Range(&a.Components, &a.MostComponents, "components", 0, "number `K` of components of the shared mixture, one per pattern in the data. From a range such as 3-10, or auto for 4-20, held-out rows choose (default auto; with --rho 5, with --epsilon 10)",
			option.Auto[int](), option.AtLeast(1),
			option.DefaultBy(func() int {
				switch {
				case a.start != nil:
					return len(a.start.Weights)
				case a.Rho > 0:
					return paperComponents
				case a.private():
					return privateComponents
				}
				return 0
			})),
		dpem.RoundsOption(&a.Rounds, &a.Budget),
		option.Float(&a.Tol, "tol", 1e-6, "stop when a round changes the objective by less than this `SHARE` of it; 0 runs all rounds", option.Finite()).ForExperts(),
		option.Float(&a.Lambda0, "lambda0", 1, "pull the mean of each component towards 0 with the weight of `ROWS` rows, which matters for components of few rows", option.Above(0, math.MaxFloat64)).ForExperts(),
		option.Float(&a.Lambda, "lambda", 0, "sparsity `PENALTY` per row: larger values leave fewer dependencies (edges) between columns, which are scaled to variance 1 within components; auto tries out values on held-out rows",
			option.Auto[float64](), option.Above(0, math.MaxFloat64)),
		option.Float(&a.Rho, "rho", 0, "sparsity `PENALTY` that does not grow with the number of rows, as in Idé, Phan and Raymond 2024; use it in place of --lambda",
			option.Above(0, math.MaxFloat64), option.Optional[float64]("leave it out to use --lambda")).ForExperts(),
		privacy.BlurOption(&a.Blur, func() float64 {
			if a.Rho > 0 || a.private() {
				return 0
			}
			return privacy.BlurRows
		}),
		option.Float(&a.Sparse, "sparse-weights", 0, "penalise each component that a participant uses by this `SHARE`, 0 to 1, of the logarithm of its number of rows, so that it has weights above 0 for few components; 0.5 is BIC's", option.Between(0.0, 1.0)).ForExperts(),
		option.String(&a.Score, "score", scoreDensity, "anomaly `SCORE` of a row: density (−ln p(x) with this participant's weights) or expected (mean of −ln N(x|k) over the components k that the row may belong to, Eq. (19) of Idé, Phan and Raymond 2024) (default density, with --rho expected)",
			option.DefaultBy(func() string {
				if a.Rho > 0 {
					return scoreExpected
				}
				return scoreDensity
			}), option.OneOf(scoreDensity, scoreExpected)).ForExperts(),
		option.File(&a.Init, "init", "start training from the means, precisions and weights in a JSON `FILE`", a.readInit).ForExperts(),
		option.String(&a.Covariance, "covariance", dpem.Full, "with --epsilon: `FORM` of the covariance matrices: full, factor (full only in directions that stand out of the noise), tied (one for all components) or diag (variances only); simpler forms suffer less from the noise",
			option.OneOf(dpem.Full, dpem.Factor, dpem.Tied, dpem.Diag)).Needs("--epsilon", a.private).ForExperts(),
	}, append(a.Diversity.Options(), a.Budget.Options()...)...)
}

// paperComponents is the default number of components with the paper's prior.
const paperComponents = 5

// The default choices of components and penalties.
var (
	numbers       = []int{4, 10, 20, 40}
	mostByDefault = 20
	penalties     = []float64{0.003, 0.03, 0.3}
)

// choices returns the combinations to choose from, or nil if everything is given.
func (a *Algorithm) choices() (out []em.Choice) {
	if a.Rho > 0 || a.private() || a.start != nil || a.Components > 0 && a.MostComponents == 0 && a.Lambda > 0 {
		return nil
	}
	least, most := a.Components, a.MostComponents
	switch {
	case least == 0:
		least, most = numbers[0], mostByDefault
	case most == 0:
		most = least
	}
	lambdas := penalties
	if a.Lambda > 0 {
		lambdas = []float64{a.Lambda}
	}
	for _, k := range sizes(least, most) {
		for _, l := range lambdas {
			out = append(out, em.Choice{Components: k, Lambda: l})
		}
	}
	return out
}

// fewest returns the smallest number of patterns that components may be merged to, 0 if their number
// is given.
func (a *Algorithm) fewest() int {
	switch {
	case a.Rho > 0 || a.start != nil || a.Components > 0 && a.MostComponents == 0:
		return 0
	case a.Components > 0:
		return a.Components
	}
	return 1
}

// sizes returns the ends of a range and the usual numbers between them.
func sizes(least, most int) []int {
	out := []int{least}
	for _, k := range numbers {
		if k > least && k < most {
			out = append(out, k)
		}
	}
	if most > least {
		out = append(out, most)
	}
	return out
}

func (a *Algorithm) readInit(content []byte) (digest string, err error) {
	if a.start, err = gmm.ReadParameters(bytes.NewReader(content)); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256(content)), nil
}

// Prepare checks that the settings go together.
func (a *Algorithm) Prepare(c algorithm.Coordinates) error {
	if a.private() {
		return a.preparePrivate(c)
	}
	a.Diversity.Prepare(c)
	switch {
	case a.MostComponents > 0 && (a.Rho > 0 || a.start != nil):
		return option.Errorf("components", "want a number with --rho or --init, got %d-%d", a.Components, a.MostComponents)
	case a.Components == 0 && (a.Rho > 0 || a.start != nil):
		return option.Errorf("components", "want a number with --rho or --init, got auto")
	case a.Rho > 0 && a.Lambda > 0:
		return option.Errorf("lambda", "cannot be combined with --rho: leave one of them out")
	case a.start != nil && len(a.start.Weights) != a.Components:
		return option.Errorf("init", "want %d components, got %d", a.Components, len(a.start.Weights))
	}
	return nil
}

// Traits returns what the settings require of a run.
func (a *Algorithm) Traits() algorithm.Traits {
	if a.private() {
		return dpem.Traits(&a.Budget, a.config(), true)
	}
	return algorithm.Traits{
		Rounds: a.Rounds, HoldsOut: a.Rho == 0 || len(a.choices()) > 1, Rescales: len(a.choices()) > 1, Patterns: true, Missing: true, Framed: a.Blur > 0, LeastRows: max(max(a.Components, 2)+1, a.Diversity.LeastRows()),
		Blur: a.Blur, Objective: "log posterior, nats",
		Values: func(columns int) (n int) {
			for _, c := range a.choices() {
				n += passes.PackedLen(c.Components, columns, true) + 2
			}
			return cmp.Or(n, passes.PackedLen(max(a.Components, 1), columns, true)+1)
		},
	}
}

// Disclosure returns what members reveal to each other.
func (a *Algorithm) Disclosure(algorithm.Coordinates) algorithm.Disclosure {
	if a.private() {
		return algorithm.Disclosure{Items: []algorithm.Item{dpem.Item()}}
	}
	items := []algorithm.Item{{
		Entry: em.Entry, Form: algorithm.Summed, When: algorithm.EachRound, Hidden: privacy.BlurHides(a.Blur),
		What: "the number of all rows, and for each component, and each cluster of the start, the number of rows, their sum, the sum of their products, and a bound of the likelihood",
	}}
	if len(a.choices()) > 1 {
		items = append(items, algorithm.Item{
			Entry: em.Entry, Form: algorithm.Summed, When: algorithm.EachRound, Hidden: privacy.BlurHides(a.Blur),
			What: "how well each candidate explains the held-out rows of all",
		})
	}
	return algorithm.Disclosure{Items: items, Sums: true, Conserved: algorithm.Covariances}
}

// Together lets participants in one process share results that each would compute.
func (a *Algorithm) Together(uint64, func() (*mat.Dense, error)) error {
	a.shared = &em.Solutions{}
	return nil
}

// spread returns data whose training rows are spread over the steps of coarse columns.
func spread(d algorithm.Data) (algorithm.Data, error) {
	over := func(x collabdict.Rows) (collabdict.Rows, error) {
		steps, err := rows.Steps(x, d.Seed)
		if err != nil {
			return nil, err
		}
		return rows.Spread(x, steps, d.Seed), nil
	}
	var err error
	if d.Rows, err = over(d.Rows); err == nil && d.Rescaled != nil {
		rescaled := *d.Rescaled
		rescaled.Rows, err = over(rescaled.Rows)
		d.Rescaled = &rescaled
	}
	return d, err
}

// Learn runs one participant's part of the training.
func (a *Algorithm) Learn(ctx context.Context, g collabdict.Group, d algorithm.Data, after func(algorithm.Progress)) (algorithm.Outcome, error) {
	switch {
	case a.private() && (a.Hides(d) || g.Membership().Size > 1): // noise needs a source
		return a.trainPrivate(ctx, g, d, after)
	case a.private():
		return a.alone().Learn(ctx, g, d, after)
	}
	if a.Rho == 0 {
		var err error
		if d, err = spread(d); err != nil {
			return algorithm.Outcome{}, err
		}
	}
	c := em.Config{Components: a.Components, Lambda0: a.Lambda0, Rho: a.Rho, Lambda: a.Lambda, Sparse: a.Sparse, Choices: a.choices(), Fewest: a.fewest(), Held: d.Held, Missing: d.Missing, Seed: d.Seed, Init: inFrame(a.start, d.Frame)}
	rule := a.Diversity.For(d.RowsEach)
	if g.Membership().Size > 1 {
		c.Rescaled = d.Rescaled
		c.Diversity, c.Blur, c.Source, c.Colluders, c.Shared = rule, a.Blur, d.Source, d.Colluders, a.shared
	}
	l, err := em.NewLearner(d.Rows, c)
	if err != nil {
		return algorithm.Outcome{}, err
	}
	var done []algorithm.LowDiversity
	last, err := collabdict.Train(ctx, g, l, collabdict.Options{Rounds: a.Rounds, Tol: a.Tol, Noisy: c.Blur > 0, OnRound: func(r collabdict.Round) {
		low := privacy.InRound(r.Number, l.LowDiversity())
		done = append(done, low...)
		diversity := algorithm.Diversity(rule.Diversity(l.Diversity()))
		after(algorithm.Progress{Round: r, Loss: -r.Objective / float64(max(l.TotalRows(), 1)), Diversity: &diversity, LowDiversity: low})
	}})
	if last.Number == 0 {
		return algorithm.Outcome{}, err
	}
	m, fault := l.Written()
	if fault != nil {
		return algorithm.Outcome{}, errors.Join(err, fault)
	}
	out := algorithm.Outcome{Last: last, Model: a.scoring(m), TotalRows: l.TotalRows(), PriorVariances: l.PriorVariances(), Rescaled: l.Rescaled()}
	if chosen, judged := l.Chosen(); len(judged) > 0 {
		out.Used, out.Judged = map[string]any{"components": chosen.Components, "lambda": chosen.Lambda}, judged
	}
	if a.Rho == 0 && a.Score == scoreDensity {
		out.LeftOut = func(rows collabdict.Rows, f func(from int, scores []float64)) error { return l.EachLeftOut(m, rows, f) }
	}
	if !l.Counted() {
		out.Warnings = append(out.Warnings, "no round counted this participant's statistics: the patterns were learned without its rows, and only the weights are fitted to them")
	}
	if g.Membership().Size > 1 {
		out.Warnings = append(out.Warnings, privacy.LoneWarnings(l.Lone())...)
	}
	out.Warnings = append(out.Warnings, privacy.RuleWarnings(done)...)
	if m.Dim() > 1 && !hasEdges(m) {
		out.Warnings = append(out.Warnings, a.edgeless(l))
	}
	if e := l.Stalled(); e != nil {
		out.Warnings = append(out.Warnings, "graphical lasso: the last round did not reach the optimum of a component: "+e.Error())
	}
	return out, err
}

// inFrame returns given parameters in the coordinates of a frame; nil stands for none.
func inFrame(p *gmm.Parameters, f *algorithm.Frame) *gmm.Parameters {
	if p == nil || f == nil {
		return p
	}
	out := &gmm.Parameters{Weights: p.Weights, Means: mat.DenseCopyOf(p.Means)}
	out.Means.Apply(func(_, j int, v float64) float64 { return (v - f.Shift[j]) / f.Scale[j] }, out.Means)
	for _, precision := range p.Precisions {
		scaled := mat.NewSymDense(len(f.Scale), nil)
		for i, s := range f.Scale {
			for j := i; j < len(f.Scale); j++ {
				scaled.SetSym(i, j, s*f.Scale[j]*precision.At(i, j))
			}
		}
		out.Precisions = append(out.Precisions, scaled)
	}
	return out
}

// hasEdges reports whether any precision matrix has an element other than 0 off the diagonal.
func hasEdges(m *gmm.Mixture) bool {
	for k := range m.Components() {
		p := m.Precision(k)
		for i := range m.Dim() {
			for j := range i {
				if p.At(i, j) != 0 {
					return true
				}
			}
		}
	}
	return false
}

func (a *Algorithm) edgeless(l *em.Learner) string {
	name, penalty := "rho", a.Rho
	if chosen, _ := l.Chosen(); chosen.Lambda > 0 {
		name, penalty = "lambda", chosen.Lambda
	}
	return fmt.Sprintf("no edges between columns at %s %g: all precision matrices are diagonal, so unusual combinations of values within a component go unnoticed; try --%[1]s %.3[3]g, or fewer --components", name, penalty, penalty/10)
}

// Load returns the mixture stored in arrays.
func (a *Algorithm) Load(arrays algorithm.Arrays, coordinates int) (algorithm.Model, error) {
	m, err := gmm.LoadMixture(arrays, "", gmm.Full, coordinates)
	if err != nil {
		return nil, err
	}
	return a.scoring(m), nil
}

// scoring returns the mixture as a model that scores rows according to the settings.
func (a *Algorithm) scoring(m *gmm.Mixture) algorithm.Model {
	if a.Score == scoreExpected {
		return gmm.Expected{Mixture: m}
	}
	return m
}
