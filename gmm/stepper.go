package gmm

import "github.com/collabdict/collabdict/internal/mixtures/passes"

// Stepper runs maximum likelihood EM step by step. Iterations after the first reuse its memory.
type Stepper struct {
	rows     *passes.Reader
	regCovar float64
	mixture  *Mixture        // of the last Maximise, without precisions, or the start
	sums     *passes.Moments // sums of the last Expect; nil after Maximise
	// two buffers that take turns as the result of a step
	next, after *maximiser
	stepped     bool
}

// NewStepper returns a stepper that starts with the given mixture, over finite rows with the
// mixture's number of variables. Of o it uses only RegCovar.
func NewStepper(start *Mixture, rows Rows, o EM) *Stepper {
	room := func() *maximiser { return &maximiser{out: start.room(start.Components(), start.Dim())} }
	return &Stepper{rows: passes.NewReader(rows), regCovar: o.withDefaults().RegCovar, mixture: start, next: room(), after: room()}
}

// Mixture returns the mixture of the last Maximise, or the start before the first one.
func (s *Stepper) Mixture() *Mixture {
	if !s.stepped {
		return s.mixture
	}
	return s.mixture.finished()
}

// Expect is the E-step: it sums over the rows and returns their mean log-likelihood in nats.
func (s *Stepper) Expect() (mean float64, err error) {
	s.sums, _, err = s.mixture.evaluator().Statistics(s.rows, nil, s.mixture.means, nil, false)
	if err != nil {
		return 0, err
	}
	return s.sums.LogLik / float64(s.rows.N), nil
}

// Maximise is the M-step on the sums of the last Expect. It panics without such sums.
func (s *Stepper) Maximise() error {
	if s.sums == nil {
		panic("gmm: an M-step without an E-step")
	}
	if err := s.next.maximise(s.mixture, s.sums, s.regCovar, s.mixture.means); err != nil {
		return err
	}
	s.mixture, s.sums, s.stepped = s.next.out, nil, true
	s.next, s.after = s.after, s.next
	return nil
}
