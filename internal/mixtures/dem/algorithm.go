package dem

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/mixtures"
	"github.com/collabdict/collabdict/internal/mixtures/dpem"
	"github.com/collabdict/collabdict/internal/mixtures/em"
	"github.com/collabdict/collabdict/internal/mixtures/kfed"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/privacy/release"
	"github.com/collabdict/collabdict/option"
)

// Kind describes the algorithm to the program.
var Kind = algorithm.Kind{
	Name: "dem", About: "a Gaussian mixture by EM, from private sums",
	New: func() algorithm.Algorithm { return new(Algorithm) },
}

// The three starts of Zhang Pettersson et al. 2025.
const (
	startSpread     = "spread"      // centres far apart within the usual ranges of the columns
	startKFed       = "k-fed"       // federated clustering, in which members show their local centres
	startSharedRows = "shared-rows" // a mixture of some shared rows; in simulations only
)

// rowsToShare is the number of rows that startSharedRows uses.
const rowsToShare = 100

// Algorithm learns a mixture with an [em.Learner]. Its fields are the settings.
type Algorithm struct {
	Components, Rounds int
	Tol                float64
	Covariance, Start  string
	MinRows            int
	Blur               float64
	Diversity          privacy.Rule
	privacy.Budget

	shared *mat.Dense // rows to start from
}

var _ algorithm.InOneProcess = (*Algorithm)(nil)

// Options returns the options that set the fields.
func (a *Algorithm) Options() option.Table {
	return append(option.Table{
		option.Int(&a.Components, "components", 5, "number `K` of components of the shared mixture, one per pattern in the data", option.Between(1, mixtures.MostComponents)),
		dpem.RoundsOption(&a.Rounds, &a.Budget),
		mixtures.Tol(&a.Tol),
		privacy.BlurOption(&a.Blur, func() float64 {
			if a.private() {
				return 0
			}
			return privacy.BlurRows
		}),
		mixtures.Covariance(&a.Covariance, gmm.Diag, gmm.Full, gmm.Diag, gmm.Spherical),
		option.String(&a.Start, "start", startSpread, "`START` of training: spread (centres far apart within the columns' usual ranges), k-fed (cluster centres that each member shows to all others) or shared-rows (rows of all members; in simulations only)",
			option.OneOf(startSpread, startKFed, startSharedRows)),
		privacy.MinRowsOption(&a.MinRows).Needs("--start k-fed, the only start that shows clusters", func() bool { return a.Start == startKFed }),
	}, append(a.Diversity.Options(), a.Budget.Options()...)...)
}

// Prepare checks the settings of differential privacy, and prepares the rule of diversity.
func (a *Algorithm) Prepare(c algorithm.Coordinates) error {
	if a.private() {
		return a.preparePrivate(c)
	}
	a.Diversity.Prepare(c)
	return nil
}

// Traits returns what the settings require of a run.
func (a *Algorithm) Traits() algorithm.Traits {
	if a.private() {
		return dpem.Traits(&a.Budget, a.config(), false)
	}
	t := algorithm.Traits{
		Rounds: a.Rounds, HoldsRows: a.Start == startKFed, Patterns: true, Framed: true,
		LeastRows: max(a.Components+1, a.MinRows, a.Diversity.LeastRows()), ShownRows: a.MinRows,
		Blur: a.Blur,
		Values: func(columns int) int {
			return passes.PackedLen(a.Components, columns, mixtures.Form(a.Covariance) == gmm.Full) + 1
		},
	}
	if a.Start == startSharedRows {
		t.OnlySimulated = onlySimulated()
	}
	return t
}

// onlySimulated returns the error for a start from shared rows outside of simulations.
func onlySimulated() *option.Error {
	return &option.Error{Name: "start", Msg: startSharedRows + " works only in simulations: a participant cannot be asked for its rows", Hint: "take " + startSpread + " or " + startKFed}
}

// Disclosure returns what members reveal to each other.
func (a *Algorithm) Disclosure(c algorithm.Coordinates) algorithm.Disclosure {
	if a.private() {
		return algorithm.Disclosure{Items: []algorithm.Item{dpem.Item()}}
	}
	d := algorithm.Disclosure{Items: []algorithm.Item{em.StatisticsItem(a.Covariance, a.Blur)}, Sums: true, Conserved: mixtures.Conserved(a.Covariance)}
	shown := ""
	switch {
	case a.Start == startKFed && a.MinRows > 1:
		shown = fmt.Sprintf("the centres of its clusters, each the mean of at least %d rows", a.MinRows)
	case a.Start == startKFed:
		shown = "the centres of its clusters, each the mean of some of its rows, possibly of a single one"
	case a.Start == startSharedRows:
		shown = fmt.Sprintf("%d rows, drawn from those of all participants", rowsToShare)
	}
	if shown != "" {
		d.Items = append(d.Items, algorithm.Item{Entry: kfed.Entry, What: shown, Form: algorithm.Published, When: algorithm.AtStart})
	}
	return d
}

// Together draws the shared rows, if the settings ask for them.
func (a *Algorithm) Together(seed uint64, all func() (*mat.Dense, error)) error {
	if a.Start != startSharedRows {
		return nil
	}
	x, err := all()
	if err != nil {
		return err
	}
	a.shared = SharedRows([]*mat.Dense{x}, max(rowsToShare, a.Components), source(seed))
	return nil
}

// fitted returns a mixture of the shared rows, in the coordinates of d.
func (a *Algorithm) fitted(d algorithm.Data) (*gmm.Mixture, error) {
	x := mat.DenseCopyOf(a.shared)
	if f := d.Frame; f != nil {
		x.Apply(func(_, j int, v float64) float64 { return (v - f.Shift[j]) / f.Scale[j] }, x)
	}
	fit, err := gmm.Fit(x, a.Components, mixtures.EM(a.Covariance, a.Tol), rand.New(source(d.Seed)))
	if err != nil {
		return nil, fmt.Errorf("fit to shared rows: %w", err)
	}
	return fit.Mixture, nil
}

func source(seed uint64) rand.Source { return rand.NewChaCha8(mixtures.Seed(seed)) }

// Learn runs one participant's part of the training.
func (a *Algorithm) Learn(ctx context.Context, g collabdict.Group, d algorithm.Data, after func(algorithm.Progress)) (algorithm.Outcome, error) {
	switch {
	case a.private() && (a.Hides(d) || g.Membership().Size > 1): // noise needs a source
		return a.trainPrivate(ctx, g, d, after)
	case a.private():
		return a.alone().Learn(ctx, g, d, after)
	}
	least, err := privacy.LeastRows(g, d, a.MinRows)
	if err != nil {
		return algorithm.Outcome{}, err
	}
	few := 0 // own clusters that were merged
	start := em.Plain{Form: mixtures.Form(a.Covariance)}
	c := em.Config{Plain: &start}
	rule := a.Diversity.For(d.RowsEach)
	if g.Membership().Size > 1 {
		c.Diversity, c.Blur, c.Source, c.Colluders = rule, a.Blur, d.Source, d.Colluders
	}
	switch {
	case g.Membership().Size == 1: // alone: no agreement needed
		start.Centres = func(context.Context, collabdict.Group) (*mat.Dense, error) { return a.ownCentres(d) }
	case a.Start == startSharedRows && a.shared == nil:
		return algorithm.Outcome{}, onlySimulated()
	case a.Start == startSharedRows:
		start.Mixture = func(context.Context, collabdict.Group) (*gmm.Mixture, error) { return a.fitted(d) }
	case a.Start == startKFed:
		start.Centres = func(ctx context.Context, g collabdict.Group) (centres *mat.Dense, err error) {
			centres, few, err = a.clusters(ctx, g, d, least)
			return centres, err
		}
	default:
		start.Centres = func(context.Context, collabdict.Group) (*mat.Dense, error) { return a.spread(d), nil }
	}
	l, err := em.NewLearner(d.Rows, c)
	if err != nil {
		return algorithm.Outcome{}, err
	}
	var done []algorithm.LowDiversity
	last, err := collabdict.Train(ctx, g, l, collabdict.Options{Rounds: a.Rounds, AbsTol: a.Tol, Noisy: c.Blur > 0, OnRound: func(r collabdict.Round) {
		low := privacy.InRound(r.Number, l.LowDiversity())
		done = append(done, low...)
		diversity := algorithm.Diversity(rule.Diversity(l.Diversity()))
		after(algorithm.Progress{Round: r, Loss: -r.Objective, Diversity: &diversity, LowDiversity: low})
	}})
	if last.Number == 0 {
		return algorithm.Outcome{}, err
	}
	m, fault := l.Written()
	if fault != nil {
		return algorithm.Outcome{}, errors.Join(err, fault)
	}
	out := algorithm.Outcome{Last: last, Model: m, TotalRows: l.TotalRows(), Warnings: privacy.FewWarnings(few, least)}
	if g.Membership().Size > 1 {
		out.Warnings = append(out.Warnings, privacy.LoneWarnings(l.Lone())...)
	}
	out.Warnings = append(out.Warnings, privacy.RuleWarnings(done)...)
	return out, err
}

// mostSampled is the largest number of rows that first centres are found by. More rows would hardly move
// them, and each total that follows is over all rows.
const mostSampled = 10_000

// sample returns the rows that first centres are found by.
func sample(d algorithm.Data) (*mat.Dense, error) {
	n, _ := d.Rows.Dims()
	if n <= mostSampled {
		return algorithm.Dense(d.Rows)
	}
	return algorithm.Dense(rows.Subset(d.Rows, rows.Drawn(n, mostSampled, d.Seed)))
}

// ownCentres returns the centres of k-means++ and Lloyd's algorithm on the own rows.
func (a *Algorithm) ownCentres(d algorithm.Data) (*mat.Dense, error) {
	if n, _ := d.Rows.Dims(); a.Components > n {
		return nil, option.Errorf("components", "want at most the %d rows, got %d", n, a.Components)
	}
	x, err := sample(d)
	if err != nil {
		return nil, err
	}
	return gmm.KMeans(x, a.Components, source(d.Seed)), nil
}

// reach is the distance from the middle of a frame, in units of it, within which the centres of
// startSpread lie.
const reach = 3

// spread spreads centres within the frame of all rows, which it needs no sum for.
func (a *Algorithm) spread(d algorithm.Data) *mat.Dense {
	_, dim := d.Rows.Dims()
	return em.Spread(a.Components, slices.Repeat([]float64{-reach}, dim), slices.Repeat([]float64{reach}, dim), source(d.Seed))
}

// clusters finds the centres by federated clustering. Each participant finds √K clusters
// (Dennis et al. 2021), or more if half of the participants would otherwise not have K
// together.
func (a *Algorithm) clusters(ctx context.Context, g collabdict.Group, d algorithm.Data, least int) (centres *mat.Dense, few int, err error) {
	x, err := sample(d)
	if err != nil {
		return nil, 0, err
	}
	k, size := a.Components, g.Membership().Size
	local := min(k, max(int(math.Ceil(math.Sqrt(float64(k)))), (2*k+size-1)/size))
	centres, few, err = kfed.Cluster(ctx, g, x, kfed.Config{Local: local, Clusters: k, MinRows: least}, source(d.Seed))
	if errors.As(err, new(*kfed.FewError)) {
		return nil, 0, &option.Error{Name: "components", Msg: err.Error(), Hint: "lower --components, add rows, or use --start " + startSpread}
	}
	return centres, few, err
}

// Load returns the mixture stored in arrays.
func (a *Algorithm) Load(arrays algorithm.Arrays, coordinates int) (algorithm.Model, error) {
	return mixtures.Load(arrays, a.Covariance, coordinates)
}

var _ release.Releaser = (*Algorithm)(nil)

// Posterior returns the posterior of a mixture's means under a flat prior; they are the means
// of their rows. All variances include em.RegCovar, so 1/em.RegCovar bounds the precisions.
func (a *Algorithm) Posterior(m algorithm.Model, _ []float64) (*release.Posterior, error) {
	mixture, ok := m.(*gmm.Mixture)
	if !ok {
		return nil, errors.New("want a mixture")
	}
	p := &release.Posterior{Mixture: mixture, Rows: mixture.ComponentRows(), Bound: func(float64) float64 { return 1 / em.RegCovar }}
	return p, p.Check()
}
