package fedgem

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/kernels/lapack"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
)

// Final is a rule that sets the regions of the last merge, because the regions of the rounds have
// by then shrunk to nothing: [ChiSquare] or [Factor].
type Final interface {
	// radii sets the radii of the regions about the centres of next, which is one EM step from
	// the participant's mixture.
	radii(regions []region, l *local, next *gmm.Mixture)
}

// ChiSquare makes each region as large as the sampling error of its centre. For a ball, M_k is
// normal about the true centre with variance σ²/N_k in each of d columns, so the radius is
// σ√(χ²_{d,1−α}/N_k). For an ellipsoid it is √(χ²_{d,1−α}/N_k) in units of the covariance. It
// needs no tuning. If clusters are assumed to be spherical, σ² is multiplied by the anisotropy of
// the own clusters: the ratio of their largest variance in any direction to the mean one, on
// average.
type ChiSquare struct{}

// outside is the probability that a true centre is outside its region.
const outside = 1e-4

func (ChiSquare) radii(regions []region, l *local, next *gmm.Mixture) {
	dim := next.Dim()
	square := distuv.ChiSquared{K: float64(dim)}.Quantile(1 - outside)
	stretch := 1.0
	if !l.config.Full && l.config.Noise == nil {
		stretch = anisotropy(l.x, l.mix, next.Means())
	}
	for k, r := range regions {
		variance := 1.0
		if r.shape == nil {
			variance = r.spread * stretch
		}
		variance /= r.rows
		if l.config.Noise != nil { // noise moves the centre, too
			variance += l.config.variance(r.rows)
		}
		regions[k].radius = math.Sqrt(square * variance)
	}
}

// Factor is the paper's rule: a region has the radius V·R_g/(π_k√N_g), where R_g is the
// smallest distance between two centres of the participant and N_g its number of rows. The
// result depends much on V; [ChooseFactor] finds one. With Config.Half this is the squared
// radius, as in the public code.
type Factor struct{ V float64 }

func (f Factor) radii(regions []region, l *local, next *gmm.Mixture) {
	dim := next.Dim()
	least := math.Inf(1)
	for i, r := range regions {
		for _, o := range regions[:i] {
			least = math.Min(least, math.Sqrt(passes.SquaredDistance(r.centre, o.centre)))
		}
	}
	for k, r := range regions {
		if len(regions) == 1 { // without another centre, use the distance of its rows
			least = math.Sqrt(r.spread * float64(dim))
		}
		v := f.V * least / (r.rows / l.rows * math.Sqrt(l.rows))
		if l.config.Half {
			v = math.Sqrt(v)
		}
		if r.shape != nil {
			v /= math.Sqrt(r.spread)
		}
		regions[k].radius = v
	}
}

// pointlike is the variance, times the number of rows, below which rows are considered equal.
// Matrices of such tiny values have no eigenvalues that can be computed.
const pointlike = 1e-100

// anisotropy returns the ratio of the largest eigenvalue of a cluster's covariance to the mean
// one, averaged over the mixture's components by their rows. The largest eigenvalue of few rows
// is too large even if the cluster is spherical; the law of spiked covariances corrects for
// that (Paul 2007).
func anisotropy(x *mat.Dense, m *gmm.Mixture, means *mat.Dense) float64 {
	n, dim := x.Dims()
	resp := m.Responsibilities(x)
	d := make([]float64, dim)
	sum, all := 0.0, 0.0
	for k := range m.Components() {
		scatter, rows := make([]float64, dim*dim), 0.0
		for i := range n {
			if r := resp.At(i, k); r > 1e-6 {
				rows += r
				floats.SubTo(d, x.RawRowView(i), means.RawRowView(k))
				for j, v := range d {
					blas.AddScaled(scatter[j*dim:(j+1)*dim], r*v, d)
				}
			}
		}
		mean := 0.0
		for j := range dim {
			mean += scatter[j*dim+j] / float64(dim)
		}
		if rows < minRows || !(mean > pointlike) {
			continue
		}
		values, _, ok := lapack.Eigen(scatter, dim)
		if !ok {
			continue
		}
		sum += float64(rows * spike(values[dim-1]/mean, float64(dim)/rows))
		all += rows
	}
	if all == 0 {
		return 1
	}
	return max(1, sum/all)
}

// spike returns the eigenvalue of the true covariance whose largest sample eigenvalue is l, if
// the others are 1 and gamma is columns over rows; 1 if chance alone can explain l.
func spike(l, gamma float64) float64 {
	b := l + 1 - gamma
	if edge := 1 + math.Sqrt(gamma); l <= edge*edge || b*b <= 4*l {
		return 1
	}
	return (b + math.Sqrt(float64(b*b)-float64(4*l))) / 2
}
