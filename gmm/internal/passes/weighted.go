package passes

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/collabdict/collabdict/internal/kernels/mixture"
)

// Weighted adds up rows about the centres, K by M or nil for the origin, with the
// responsibilities that load gives each block.
func (r *Reader) Weighted(model *mixture.Model, centres []float64, load func(w *mixture.Workspace, from int, x []float64)) (*mixture.Sums, error) {
	p := NewPass(r, model)
	p.load = load
	lanes := make([]*mixture.Sums, len(r.lanes))
	for l := range lanes {
		lanes[l] = model.NewSums()
	}
	if err := p.Run(func(lane, _ int, s *Space) { lanes[lane].Add(s.Workspace, centres) }); err != nil {
		return nil, err
	}
	for _, s := range lanes[1:] {
		lanes[0].Merge(s)
	}
	return lanes[0], nil
}

// SoftMoments returns the moments of the rows about a point, nil for the origin, each row
// in the clusters of all centres, K by M: r_k(x) ∝ exp(−‖x − c_k‖²/2σ²). The
// log-likelihood is 0.
func (r *Reader) SoftMoments(k int, centres []float64, variance float64, about []float64, full bool) (*Moments, error) {
	model := mixture.NewModel(k, r.Dim, full)
	SetSpheres(model, 0, centres, variance, full)
	var points []float64
	if about != nil {
		points = slices.Repeat(about, k)
	}
	sums, err := r.Weighted(model, points, func(w *mixture.Workspace, _ int, x []float64) { w.Load(model, x) })
	if err != nil {
		return nil, err
	}
	out := NewMoments(k, r.Dim, full)
	out.Set(sums)
	out.LogLik = 0
	return out, nil
}

// SetSpheres sets components of a model from the first on: round ones of one variance and
// weight about the centres, K by M.
func SetSpheres(to *mixture.Model, first int, centres []float64, variance float64, full bool) {
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
		to.Set(first+k, 1, centres[k*dim:(k+1)*dim], precision, 0)
	}
}
