package dpem

import (
	"math"

	"github.com/collabdict/collabdict/internal/privacy"
)

// outweighs is the largest noise in a product of two columns at which the shared model is
// likely the better one, in standard errors of a mean over a participant's own rows. It was
// chosen on generated rows; see
// docs/adr/0039-totals-with-differential-privacy.md.
const outweighs = 0.7

// Outweighed reports whether noise is likely to cost more than sharing gains, for a participant
// with own rows among all rows. It compares the errors of covariances in the last round, in a
// component of typical size: those from noise, and those of learning from the own rows alone.
func (c Config) Outweighed(own, all, columns int) bool {
	p := expectation{means: *newMeans(c, columns), at: make([]component, c.Components)}
	w := p.weighing()
	of := weights(c.Rounds)
	s := w.moments(make([]float64, w.len()), privacy.ZCDP(float64(c.Loss)*of[len(of)-1]).DiscreteDeviation(1, w.len()))
	each := float64(all)
	if c.Form != Tied {
		each /= float64(c.Components)
	}
	return s.secondSD/each > outweighs*math.Sqrt(float64(c.Components)/float64(own))
}
