package gmm

import "github.com/collabdict/collabdict/gmm/internal/passes"

// Stepper is maximum likelihood by EM, a step at a time: what the first iteration
// has allocated, the next ones use again.
type Stepper struct {
	rows     *passes.Reader
	regCovar float64
	mixture  *Mixture        // of the last Maximise, without precisions, or the start
	sums     *passes.Moments // of the last Expect; nil after Maximise
	// Steps are made into one and into the other of two mixtures.
	next, after *maximiser
	stepped     bool
}

// NewStepper returns a stepper at the given mixture over rows, which are finite and have
// its number of variables. Of o it takes RegCovar alone.
func NewStepper(start *Mixture, rows Rows, o EM) *Stepper {
	room := func() *maximiser { return &maximiser{out: start.room(start.Components(), start.Dim())} }
	return &Stepper{rows: passes.NewReader(rows), regCovar: o.withDefaults().RegCovar, mixture: start, next: room(), after: room()}
}

// Mixture returns the mixture of the last Maximise, at first that of the start.
func (s *Stepper) Mixture() *Mixture {
	if !s.stepped {
		return s.mixture
	}
	return s.mixture.finished()
}

// Expect is the E-step: it sums over the rows, and returns their mean log-likelihood in
// nats.
func (s *Stepper) Expect() (mean float64, err error) {
	s.sums, _, err = s.mixture.Statistics(s.rows, s.mixture.means, nil, false)
	if err != nil {
		return 0, err
	}
	return s.sums.LogLik / float64(s.rows.N), nil
}

// Maximise is the M-step on the sums of the last Expect. It panics if there are none.
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
