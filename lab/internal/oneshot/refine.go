package oneshot

import "math"

// target sets the target for rounds of sums.
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

// near is the greatest distance of the target below all rows in one place, in nats. It is the
// only bound where local mixtures do not fit the rows of others at all.
const near = 0.1

// level returns the target: the level of all rows in one place, less a hundredth of its
// distance to local mixtures.
func level(all, own Outcome) float64 {
	return all.LogLik - math.Min(near, (all.LogLik-own.LogLik)/100)
}
