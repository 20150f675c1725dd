package task

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/gmm/dem"
	"github.com/collabdict/collabdict/gmm/fedgen"
	"github.com/collabdict/collabdict/gmm/kfed"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/extremes"
	"github.com/collabdict/collabdict/internal/model"
)

// Start says where EM by sums begins: the three ways of Zhang Pettersson et al. 2025.
type Start string

// The starts.
const (
	Spread     Start = "spread"      // centres far apart in the ranges of the columns
	SharedRows Start = "shared-rows" // a mixture of some rows that are shared: in simulations only
	KFed       Start = "k-fed"       // federated clustering, whose local centres are shown
)

// sharedRows are how many rows a start from them takes.
const sharedRows = 100

// bySums learns a mixture by EM on sums over all participants' rows.
type bySums struct {
	task    Task
	rows    dataset.Rows
	learner *dem.Learner
	told    []string // that components were merged
}

func newDEM(t Task, own ownData) (learner, error) {
	return &bySums{task: t, rows: own.rows}, nil
}

func checkDEM(t Task) error {
	if err := t.checkCovariance(); err != nil {
		return err
	}
	if t.Start != Spread && t.Start != SharedRows && t.Start != KFed {
		return wrong("start", "want %s, %s or %s, got %q", Spread, KFed, SharedRows, t.Start)
	}
	if err := (fedgen.Range{Min: t.Components, Max: t.Components}).Validate(); err != nil {
		return &Error{Field: "components", Msg: err.Error()}
	}
	return nil
}

func shownByDEM(t Task) (what []string, sums bool) {
	switch t.Start {
	case KFed:
		what = []string{"the centres of clusters of the own rows, each the mean of some of them, however few"}
		if least := t.LeastRows(); least > 1 {
			what = []string{fmt.Sprintf("the centres of clusters of the own rows, each the mean of at least %d rows", least)}
		}
	case SharedRows:
		what = []string{fmt.Sprintf("%d rows, drawn from those of all participants", sharedRows)}
	}
	return what, true
}

// start returns where EM begins in a group. Who is alone has nothing to agree on, and
// begins as anybody would.
func (l *bySums) start(g collabdict.Group) dem.Config {
	t := l.task
	c := dem.Config{Form: t.em().Form}
	switch {
	case g.Size() == 1:
		c.Centres = func(context.Context, collabdict.Group) (*mat.Dense, error) { return t.ownCentres(l.rows) }
	case t.Start == SharedRows:
		c.Mixture = func(context.Context, collabdict.Group) (*gmm.Mixture, error) { return t.sharedStart() }
	case t.Start == KFed:
		c.Centres = func(ctx context.Context, g collabdict.Group) (*mat.Dense, error) { return l.kfedCentres(ctx, g) }
	default:
		c.Centres = func(ctx context.Context, g collabdict.Group) (*mat.Dense, error) {
			return t.spreadCentres(ctx, g, l.rows)
		}
	}
	return c
}

// ownCentres are those of k-means++ and Lloyd's algorithm.
func (t Task) ownCentres(rows dataset.Rows) (*mat.Dense, error) {
	if n, _ := rows.Dims(); t.Components > n {
		return nil, fmt.Errorf("components: want at most the %d rows, got %d", n, t.Components)
	}
	x, err := dataset.Dense(rows)
	if err != nil {
		return nil, err
	}
	return gmm.KMeans(x, t.Components, t.source()), nil
}

// spreadCentres agrees on the ranges of all columns by sums of counts.
func (t Task) spreadCentres(ctx context.Context, g collabdict.Group, rows dataset.Rows) (*mat.Dense, error) {
	ranges, _, err := extremes.Fit(ctx, g, rows)
	if err != nil {
		return nil, err
	}
	high := make([]float64, len(ranges.Shift))
	for i, low := range ranges.Shift {
		high[i] = low + ranges.Scale[i]
	}
	return dem.Spread(t.Components, ranges.Shift, high, t.source()), nil
}

// kfedCentres clusters. Participants have √K clusters each (Dennis et al. 2021), or
// more where half of them would not have K together.
func (l *bySums) kfedCentres(ctx context.Context, g collabdict.Group) (*mat.Dense, error) {
	t := l.task
	x, err := dataset.Dense(l.rows)
	if err != nil {
		return nil, err
	}
	k, size := t.Components, g.Size()
	local := min(k, max(int(math.Ceil(math.Sqrt(float64(k)))), (2*k+size-1)/size))
	c := kfed.Config{Local: local, Clusters: k, MinRows: t.LeastRows()}
	centres, few, err := kfed.Cluster(ctx, g, x, c, t.source())
	var fewer *kfed.FewError
	if errors.As(err, &fewer) {
		return nil, &Error{"components", err.Error(), "lower --components, give more rows, or take --start spread"}
	}
	l.told = t.fewWarnings(few)
	return centres, err
}

func (t Task) sharedStart() (*gmm.Mixture, error) {
	if t.First == nil {
		return nil, fmt.Errorf("start %s: no participant of a real run can be asked for rows: take %s or %s", SharedRows, Spread, KFed)
	}
	return t.First, nil
}

// ShareRows sets the first mixture of the start SharedRows from all participants' rows
// in the coordinates trained on, as only who has all of them in one place can.
func (t *Task) ShareRows(all *mat.Dense) (err error) {
	t.First, err = dem.SharedRows([]*mat.Dense{all}, max(sharedRows, t.Components), t.Components, t.em(), t.source())
	return err
}

func (t Task) source() rand.Source { return rand.NewChaCha8(t.seed()) }

func (l *bySums) train(ctx context.Context, g collabdict.Group, after func(collabdict.Round)) (last collabdict.Round, err error) {
	if l.learner, err = dem.NewLearner(l.rows, l.start(g)); err != nil {
		return collabdict.Round{}, err
	}
	return collabdict.Train(ctx, g, l.learner, collabdict.Options{Rounds: l.task.Rounds, AbsTol: l.task.Tol, OnRound: after})
}

func (l *bySums) progress(r collabdict.Round) Progress {
	return Progress{Round: r, Loss: -r.Objective}
}

func (l *bySums) state() state {
	return state{scorer: model.Mixture{Mixture: l.learner.Mixture()}, totalRows: l.learner.TotalRows(), warnings: l.told}
}
