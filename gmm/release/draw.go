package release

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/gmm/privacy"
	"github.com/collabdict/collabdict/internal/kernels/lapack"
)

// Draw returns the mixture to be released, without the components that are not Kept. Means are
// drawn with src, and weights are N̄_k over their sum: nothing is of one participant.
//
// With λ_kΛ_k = UᵀU, what is drawn is Uw_k with standard normal noise, on a grid that does not
// depend on the rows ([privacy.Noisy]). The mean follows from that by U⁻¹ alone, so its digits
// tell no more than the noise lets through.
func (p *Posterior) Draw(src rand.Source) *gmm.Parameters {
	kept, dim := p.Kept(), p.Mixture.Dim()
	out := &gmm.Parameters{Means: mat.NewDense(len(kept), dim, nil)}
	all, means := 0.0, p.Mixture.Means()
	for i, k := range kept {
		precision := p.Mixture.Precision(k)
		c, ok := lapack.Factorise(precision)
		if !ok {
			panic("release: a precision matrix is not positive definite")
		}
		u, scale := c.U(), math.Sqrt(p.Lambda0+p.Rows[k])
		w, drawn := means.RawRowView(k), out.Means.RawRowView(i)
		for a := dim - 1; a >= 0; a-- {
			y, others := 0.0, 0.0
			for b := a; b < dim; b++ {
				y += scale * u[a*dim+b] * w[b]
			}
			for b := a + 1; b < dim; b++ {
				others += u[a*dim+b] * drawn[b]
			}
			drawn[a] = (privacy.Noisy(y, 1, src)/scale - others) / u[a*dim+a]
		}
		out.Precisions = append(out.Precisions, precision)
		out.Weights = append(out.Weights, p.Rows[k])
		all += p.Rows[k]
	}
	for i := range out.Weights {
		out.Weights[i] /= all
	}
	return out
}
