package release

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/kernels/lapack"
	"github.com/collabdict/collabdict/internal/privacy"
)

// Draw returns the mixture to release, which has only the Kept components. It draws the means
// with src. Weights are N̄_k over their sum, so nothing comes from a single participant.
//
// With λ_kΛ_k = UᵀU, it adds standard normal noise to Uw_k on a grid that does not depend on
// the rows ([privacy.Noisy]). The mean follows from the result by U⁻¹ alone, so its digits
// reveal no more than the noise allows.
func (p *Posterior) Draw(src rand.Source) *gmm.Mixture {
	of := p.Mixture.WithRows(p.Rows).Only(p.Kept())
	dim, means, rows := of.Dim(), of.Means(), of.ComponentRows()
	for k := range of.Components() {
		c, ok := lapack.Factorise(of.Precision(k))
		if !ok {
			panic("release: a precision matrix is not positive definite")
		}
		u, scale := c.U(), math.Sqrt(p.Lambda0+rows[k])
		drawn := means.RawRowView(k)
		w := slices.Clone(drawn)
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
	}
	return of.WithMeans(means)
}
