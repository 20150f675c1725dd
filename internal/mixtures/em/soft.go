package em

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/internal/kernels/mixture"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/numeric/portable"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/privacy/guard"
)

// whole holds what a start knows about all participants' rows together.
type whole struct {
	*passes.Moments
	centre []float64 // M, their mean
	square float64   // the mean of ‖x − mean‖²; above 0
	widest float64   // the largest variance in any direction
}

func newWhole(all *passes.Moments) *whole {
	w := &whole{Moments: all, centre: all.Mean(0), square: 1}
	spread := all.Spread(0)
	n := math.Max(all.N[0], 1)
	if v := mat.Trace(spread) / n; v > math.Ldexp(1, -2*columnstats.MaxExp) {
		w.square = v
	}
	w.widest = portable.Norm(principal(spread)) / n
	return w
}

// clustering has K centres and one variance for all centres and variables. A row belongs to
// each cluster by r_k(x) ∝ exp(−‖x − c_k‖²/2σ²).
//
// Sums over participants are always soft in this way. If every row belonged only to the cluster
// of its nearest centre, two totals would show a row that moved between them.
type clustering struct {
	centres  *mat.Dense
	variance float64
	// between is Σ_k n_k ‖mean_k − mean‖² of the last step. The larger it is, the nearer rows
	// are to their centres.
	between float64
}

const (
	// softness is the maximum number of variables for which the distance between a row and its
	// centre counts. With more, nearly every row would belong to one cluster only.
	softness = 3
	// merging is the share of the widest variance above which all centres would coincide.
	merging = 0.5
	// leastSquare is the minimum squared distance of rows from their centres, as a share of
	// their squared distance from the mean. At 0, every row would belong to one cluster only.
	leastSquare = 1e-3
)

// newClustering returns k centres with the variance of k cells of equal size: the squares
// within cells fall by k^(−2/M).
func newClustering(centres *mat.Dense, all *whole) *clustering {
	k, dim := centres.Dims()
	return &clustering{centres: centres, variance: all.square / float64(dim) * math.Pow(float64(k), -2/float64(dim))}
}

// soften sets the variance for a mean squared distance of rows from their centres.
func (c *clustering) soften(square float64, all *whole) {
	square = math.Max(square, leastSquare*all.square)
	c.variance = square / float64(all.Dim)
	if all.Dim > softness {
		c.variance = math.Max(c.variance, math.Min(square/softness, merging*all.widest))
	}
}

// move moves the centres to the means of the rows, given their counts and sums from
// clusterSums. A centre with less than one row stays.
func (c *clustering) move(n, first []float64, all *whole) {
	k, _ := c.centres.Dims()
	c.between = 0
	for i := range k {
		if n[i] < minRows {
			continue
		}
		for j, mean := range all.centre {
			v := first[j*k+i] / n[i]
			c.between += float64(n[i] * float64((v-mean)*(v-mean)))
			c.centres.Set(i, j, v)
		}
	}
	c.soften(all.square-c.between/math.Max(all.N[0], 1), all)
}

// clusterSums appends, for each clustering in turn, the number of rows of each centre and their
// sum per variable.
func clusterSums(out []float64, r *passes.Reader, of []*clustering, rule privacy.Rule) ([]float64, error) {
	k, dim := of[0].centres.Dims()
	p := r.Lend(len(of)*k, false)
	defer p.Return()
	sums, err := guard.Apart(rule, len(of), k, func(without []bool) (*mixture.Sums, []privacy.Shares, error) {
		for i, c := range of {
			var own []bool
			if without != nil {
				own = without[i*k : (i+1)*k]
			}
			passes.SetSpheres(p.Model, i*k, c.centres.RawMatrix().Data, c.variance, false, own)
		}
		return p.Weighted(k, without != nil)
	})
	if err != nil {
		return nil, err
	}
	firsts := make([]float64, k*dim)
	for i := range of {
		for j := range k {
			out = append(out, sums.N(i*k+j))
			sums.First(i*k+j, firsts[j*dim:(j+1)*dim])
		}
		for v := range dim {
			for j := range k {
				out = append(out, firsts[j*dim+v])
			}
		}
	}
	return out, nil
}

// moments returns the moments of the rows in each cluster.
func (c *clustering) moments(r *passes.Reader, rule privacy.Rule) (*passes.Moments, error) {
	k, _ := c.centres.Dims()
	return guard.Apart(rule, 1, k, func(without []bool) (*passes.Moments, []privacy.Shares, error) {
		s, err := r.SoftMoments(k, c.centres.RawMatrix().Data, c.variance, nil, true, without)
		if err != nil {
			return nil, nil, err
		}
		return s, s.Shares, nil
	})
}

// clusterBlocks bounds clusterSums.
func (l limits) clusterBlocks(to []collabdict.Block, clusterings, k int) []collabdict.Block {
	for range clusterings {
		to = l.FirstMoments(to, k)
	}
	return to
}

// moveAll moves all clusterings by their sums, and returns the rest of the sums.
func moveAll(of []*clustering, sums []float64, all *whole) []float64 {
	for _, c := range of {
		k, dim := c.centres.Dims()
		c.move(sums[:k], sums[k:k*(1+dim)], all)
		sums = sums[k*(1+dim):]
	}
	return sums
}
