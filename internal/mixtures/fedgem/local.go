package fedgem

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/privacy"
)

// local holds one participant's rows and mixture. After the burn-in only the centres move.
type local struct {
	config  Config
	x       *mat.Dense
	mix     *gmm.Mixture
	steps   int              // number of EM steps made on the rows
	rows    float64          // number of rows in the last step; with noise, the sum of the noisy counts
	account *privacy.Account // of the noise; nil if there is none
	// settled means that no centre moved by more than the tolerance in the last round.
	settled bool
}

func newLocal(x *mat.Dense, c Config) (*local, error) {
	l := &local{config: c, x: x}
	if c.Noise != nil {
		l.account = c.account()
		return l, l.noisyStart()
	}
	k := c.Components
	if k == 0 {
		var err error
		if k, err = ComponentsByBIC(x, 1, c.MaxComponents, c.Full, c.Seed); err != nil {
			return nil, err
		}
	}
	var err error
	l.mix, _, err = fit(x, k, c.Full, c.BurnIn, c.Seed)
	l.steps = c.BurnIn
	return l, err
}

// maximise makes an EM step of all parameters on the own rows.
func (l *local) maximise() (*gmm.Mixture, error) {
	l.steps++
	if l.config.Noise != nil {
		planned := l.account.Plan(1)
		l.account.Spend(planned, 1, 1)
		next, rows, err := l.config.Noise.step(l.mix, l.x, planned.Deviation(sensitivity))
		l.rows = rows
		return next, err
	}
	rows, _ := l.x.Dims()
	l.rows = float64(rows)
	return step(l.mix, l.x)
}

// round makes the EM steps of a round and returns the regions to which the centres may be
// moved. With N_k = Σγ and M_k = Σγx/N_k, Σγ‖x−θ‖² = N_k‖θ−M_k‖² + Σγ‖x−M_k‖² for every θ. So
// the places that are no less likely than θ′, the centre of the last E-step, form exactly the
// ball about M_k whose border contains θ′. With another covariance they form the ellipsoid.
func (l *local) round() ([]region, error) {
	for range l.config.LocalSteps - 1 {
		next, err := l.maximise()
		if err != nil {
			return nil, err
		}
		l.move(next.Means())
	}
	next, err := l.maximise()
	if err != nil {
		return nil, err
	}
	out := l.published(next, l.mix)
	old := l.mix.Means()
	for k := range out {
		out[k].radius = l.distance(k, old.RawRowView(k), out[k].centre)
		if l.config.Half {
			out[k].radius *= math.Sqrt(0.5)
		}
	}
	return out, nil
}

// published returns regions with the centres and rows of next and the covariances of shape.
func (l *local) published(next, shape *gmm.Mixture) []region {
	_, dim := l.x.Dims()
	means, weights := next.Means(), next.Weights()
	out := make([]region, len(weights))
	for k := range out {
		cov := shape.Covariance(k)
		out[k] = region{rows: weights[k] * l.rows, centre: means.RawRowView(k), spread: mat.Trace(cov) / float64(dim)}
		if l.config.Full {
			out[k].shape = mat.DenseCopyOf(cov).RawMatrix().Data
		}
	}
	return out
}

// distance returns the distance between two places of centre k: Euclidean for balls, else
// Mahalanobis.
func (l *local) distance(k int, a, b []float64) float64 {
	d := make([]float64, len(a))
	floats.SubTo(d, a, b)
	if !l.config.Full {
		return math.Sqrt(blas.Dot(d, d))
	}
	square, precision := 0.0, l.mix.Precision(k)
	for i, v := range d {
		for j, w := range d {
			square += float64(float64(v*precision.At(i, j)) * w)
		}
	}
	return math.Sqrt(math.Max(0, square))
}

// pull moves every centre towards the mean of its super-cluster as far as its region allows, so
// that no participant's likelihood falls. A centre in no super-cluster moves to the middle of
// its region.
func (l *local) pull(regions []region, targets [][]float64) {
	_, dim := l.x.Dims()
	old := l.mix.Means()
	to := mat.NewDense(len(regions), dim, nil)
	l.settled = true
	for k, r := range regions {
		row := to.RawRowView(k)
		copy(row, r.centre)
		if targets[k] != nil {
			share := 1.0
			if d := l.distance(k, targets[k], r.centre); d > r.radius {
				share = r.radius / d
			}
			for i, c := range targets[k] {
				row[i] += float64(share * (c - r.centre[i]))
			}
		}
		moved := math.Sqrt(passes.SquaredDistance(row, old.RawRowView(k)))
		if moved > l.config.Tol*math.Sqrt(r.spread) {
			l.settled = false
		}
	}
	l.move(to)
}

// move sets the centres; weights and covariances stay.
func (l *local) move(means *mat.Dense) {
	mix, err := withMeans(l.mix, means)
	if err != nil {
		panic(fmt.Sprintf("fedgem: impossible centres: %v", err))
	}
	l.mix = mix
}

func withMeans(m *gmm.Mixture, means *mat.Dense) (*gmm.Mixture, error) {
	k, dim := means.Dims()
	if m.Form() == gmm.Full {
		precisions := make([]*mat.SymDense, k)
		for i := range precisions {
			precisions[i] = m.Precision(i)
		}
		return gmm.NewMixture(m.Weights(), means, precisions)
	}
	diagonals := mat.NewDense(k, dim, nil)
	for i := range k {
		p := m.Precision(i)
		for j := range dim {
			diagonals.Set(i, j, p.At(j, j))
		}
	}
	return gmm.NewDiagMixture(m.Form(), m.Weights(), means, diagonals)
}
