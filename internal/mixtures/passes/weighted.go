package passes

import (
	"math"
	"slices"

	"github.com/collabdict/collabdict/internal/kernels/mixture"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
	"github.com/collabdict/collabdict/internal/privacy"
)

// A weighting says how a job weights rows, and what it adds up of them.
type weighting struct {
	Model *mixture.Model
	// Group is the number of components of each mixture in the model. Their responsibilities for a row
	// add up to 1.
	Group     int
	Centres   []float64 // K by M, about which moments are taken; nil means the origin
	Entropies bool      // whether the entropies of densities are wanted
	Shares    bool      // whether the shares of rows are wanted

	memory *Pass // of this process; nil for none
}

// weighed is what a lane's rows add up to.
type weighed struct {
	Sums      *mixture.Sums
	Entropies entropies
}

// weigh adds up the weighted rows of a lane.
var weigh = lanes.NewJob("weighted moments", func(l *lanes.Lane, of weighting) (weighed, error) {
	memory, number := of.memory, l.Number
	if memory == nil {
		memory, number = NewPass(&Reader{N: l.Rows, Dim: l.Dim}, of.Model), 0
	}
	s, out := memory.take(), memory.lane(number)
	defer memory.put(s)
	l.Room = s.block
	return out, l.Blocks(func(_ int, x []float64) {
		s.LoadGroups(of.Model, x, of.Group)
		out.Sums.Add(s.Workspace, of.Centres)
		for k := range of.Model.Components() {
			if of.Entropies {
				top, sum, moment, plogp := s.Entropies(of.Model, k)
				out.Entropies.add(k, privacy.EntropyOf(top, sum, moment), plogp, largest(s.Responsibilities(k)))
			}
			if of.Shares {
				for _, v := range s.Responsibilities(k) {
					out.Entropies.addRow(k, v)
				}
			}
		}
	})
})

// Weighted sums rows about the origin, weighted by several mixtures. The model of the pass holds them one
// after the other, each with the number of components in group. If measure is set, it also returns how the
// rows share in each component. The sums are valid until the next pass.
func (p *Pass) Weighted(group int, measure bool) (*mixture.Sums, []privacy.Shares, error) {
	return p.weighted(group, nil, measure)
}

// weighted adds up what all lanes weigh, about the centres.
func (p *Pass) weighted(group int, centres []float64, measure bool) (*mixture.Sums, []privacy.Shares, error) {
	parts, err := weigh.Over(p.Rows, weighting{Model: p.Model, Group: group, Centres: centres, Shares: measure, memory: p})
	if err != nil {
		return nil, nil, err
	}
	total := parts[0]
	for _, part := range parts[1:] {
		total.Sums.Merge(part.Sums)
		total.Entropies.merge(&part.Entropies)
	}
	if !measure {
		return total.Sums, nil, nil
	}
	return total.Sums, total.Entropies.shares(), nil
}

// SoftMoments returns the moments of the rows about a point (nil means the origin). Each row
// belongs to the clusters of all centres, K by M, except those marked in without: r_k(x) ∝
// exp(−‖x − c_k‖²/2σ²). The log-likelihood is 0. If without is not nil, the moments include how
// the rows share in the clusters.
func (r *Reader) SoftMoments(k int, centres []float64, variance float64, about []float64, full bool, without []bool) (*Moments, error) {
	p := r.Lend(k, full)
	defer p.Return()
	SetSpheres(p.Model, 0, centres, variance, full, without)
	var points []float64
	if about != nil {
		points = slices.Repeat(about, k)
	}
	sums, shares, err := p.weighted(k, points, without != nil)
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
	var precision []float64
	if full {
		precision = make([]float64, dim*dim)
		for i := range dim {
			precision[i*dim+i] = 1 / math.Sqrt(variance)
		}
	} else {
		precision = slices.Repeat([]float64{1 / variance}, dim)
	}
	for k := 0; k*dim < len(centres); k++ {
		weight := 1.0
		if without != nil && without[k] {
			weight = 0
		}
		to.Set(first+k, weight, centres[k*dim:(k+1)*dim], precision, 0)
	}
}
