package oneshot

// target sets what rounds of sums are to come to: all but a hundredth of what all rows
// in one place have over local mixtures.
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

func level(all, own Outcome) float64 { return all.LogLik - (all.LogLik-own.LogLik)/100 }
