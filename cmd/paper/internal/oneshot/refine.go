package oneshot

import "math"

// target sets what rounds of sums are to come to.
func (r *runner) target(t *trial) error {
	all, err := r.cell(r.pooled(t.set, t.k, t.repeat))
	if err != nil {
		return err
	}
	own, err := t.local()
	if err != nil {
		return err
	}
	t.target = level(all[pooled], own)
	return nil
}

// near is how far below all rows in one place the target is at most, in nats: where
// local mixtures are without meaning for the rows of others, there is no other bound.
const near = 0.1

// level is the target: all but a hundredth of what all rows in one place have over local
// mixtures.
func level(all, own Outcome) float64 {
	return all.LogLik - math.Min(near, (all.LogLik-own.LogLik)/100)
}
