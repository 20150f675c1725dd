package passes

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/collabdict/collabdict/internal/kernels/mixture"
	"github.com/collabdict/collabdict/internal/privacy"
)

// Weighted sums rows about the centres (K by M, or nil for the origin), with the
// responsibilities that load sets for each block.
func (r *Reader) Weighted(model *mixture.Model, centres []float64, load func(w *mixture.Workspace, from int, x []float64)) (*mixture.Sums, error) {
	sums, _, err := r.WeightedShares(model, centres, load, false)
	return sums, err
}

// WeightedShares is Weighted. If measure is set, it also returns how the rows share in each
// component.
func (r *Reader) WeightedShares(model *mixture.Model, centres []float64, load func(w *mixture.Workspace, from int, x []float64), measure bool) (*mixture.Sums, []privacy.Shares, error) {
	p := NewPass(r, model)
	p.load = load
	lanes, tallies := make([]*mixture.Sums, len(r.lanes)), make([]*Tally, len(r.lanes))
	for l := range lanes {
		lanes[l], tallies[l] = model.NewSums(), NewTally(model.Components())
	}
	err := p.Run(func(lane, _ int, s *Space) {
		lanes[lane].Add(s.Workspace, centres)
		for k := 0; measure && k < model.Components(); k++ {
			for _, v := range s.Responsibilities(k) {
				tallies[lane].Add(k, v)
			}
		}
	})
	if err != nil {
		return nil, nil, err
	}
	for l, s := range lanes[1:] {
		lanes[0].Merge(s)
		tallies[0].Merge(tallies[l+1])
	}
	if !measure {
		return lanes[0], nil, nil
	}
	return lanes[0], tallies[0].Shares(), nil
}

// Tally accumulates [privacy.Shares] for responsibilities of any kind.
type Tally struct{ n, plogp, top []float64 }

// NewTally returns an empty Tally for k components.
func NewTally(k int) *Tally {
	return &Tally{make([]float64, k), make([]float64, k), make([]float64, k)}
}

// Add adds a row with responsibility r in component k.
func (t *Tally) Add(k int, r float64) {
	if r > 0 {
		t.n[k] += r
		t.plogp[k] += float64(r * math.Log(r))
		t.top[k] = max(t.top[k], r)
	}
}

// Merge adds the rows of o.
func (t *Tally) Merge(o *Tally) {
	for k, top := range o.top {
		t.n[k] += o.n[k]
		t.plogp[k] += o.plogp[k]
		t.top[k] = max(t.top[k], top)
	}
}

// Shares returns how the rows share in each component.
func (t *Tally) Shares() []privacy.Shares {
	out := make([]privacy.Shares, len(t.n))
	for k, n := range t.n {
		out[k] = privacy.SharesOf(n, t.plogp[k], t.top[k])
	}
	return out
}

// SoftMoments returns the moments of the rows about a point (nil means the origin). Each row
// belongs to the clusters of all centres, K by M, except those marked in without: r_k(x) ∝
// exp(−‖x − c_k‖²/2σ²). The log-likelihood is 0. If without is not nil, the moments include how
// the rows share in the clusters.
func (r *Reader) SoftMoments(k int, centres []float64, variance float64, about []float64, full bool, without []bool) (*Moments, error) {
	model := mixture.NewModel(k, r.Dim, full)
	SetSpheres(model, 0, centres, variance, full, without)
	var points []float64
	if about != nil {
		points = slices.Repeat(about, k)
	}
	sums, shares, err := r.WeightedShares(model, points, func(w *mixture.Workspace, _ int, x []float64) { w.Load(model, x) }, without != nil)
	if err != nil {
		return nil, err
	}
	out := NewMoments(k, r.Dim, full)
	out.Set(sums)
	out.LogLik, out.Shares = 0, shares
	return out, nil
}

// SetSpheres sets components of a model, from number first on: spherical ones of the same
// variance and weight at the centres, K by M. Those marked in without get no weight.
func SetSpheres(to *mixture.Model, first int, centres []float64, variance float64, full bool, without []bool) {
	dim := to.Dim()
	precision := make([]float64, dim)
	floats.AddConst(1/variance, precision)
	if full {
		precision = make([]float64, dim*dim)
		for i := range dim {
			precision[i*dim+i] = 1 / math.Sqrt(variance)
		}
	}
	for k := 0; k*dim < len(centres); k++ {
		weight := 1.0
		if without != nil && without[k] {
			weight = 0
		}
		to.Set(first+k, weight, centres[k*dim:(k+1)*dim], precision, 0)
	}
}
