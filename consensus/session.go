package consensus

// session averages one vector over the view: x(t+1) = ω(t) W x(t) + (1-ω(t))
// x(t-1) with W = I - αL, ω = 1 for the constant steps (Eq. (3) of Idé et al.
// 2024 with α = 1/S) and the Chebyshev weights otherwise.
type session struct {
	plan       *Plan
	neighbours []int // ranks, ascending: the order of summation
	t          int   // iterations done
	x, before  []float64
	omega      float64
	// inbox[i] holds the neighbours' values at iteration t+i. A neighbour is at
	// most one iteration ahead: to go further it needs this member's value.
	inbox [2]map[int][]float64
}

func newSession(plan *Plan, neighbours []int, x []float64) *session {
	return &session{
		plan: plan, neighbours: neighbours, x: x,
		inbox: [2]map[int][]float64{{}, {}},
	}
}

func (s *session) finished() bool { return s.t >= s.plan.Iterations }

// receive takes a neighbour's value at an iteration. Doubles and values of other
// iterations are ignored.
func (s *session) receive(from, iteration int, values []float64) {
	i := iteration - s.t
	if s.finished() || i < 0 || i > 1 || s.inbox[i][from] != nil {
		return
	}
	s.inbox[i][from] = values
}

// blocked says whether a neighbour's value is missing for the next step.
func (s *session) blocked() bool { return len(s.inbox[0]) < len(s.neighbours) }

// waiting returns the neighbours whose values are missing for the next step.
func (s *session) waiting() []int {
	var missing []int
	for _, n := range s.neighbours {
		if s.inbox[0][n] == nil {
			missing = append(missing, n)
		}
	}
	return missing
}

// advance makes one step if it can, and says whether it did.
func (s *session) advance() bool {
	if s.finished() || s.blocked() {
		return false
	}
	next := s.mix()
	s.chebyshev(next)
	s.before, s.x = s.x, next
	s.inbox[0], s.inbox[1] = s.inbox[1], map[int][]float64{}
	s.t++
	return true
}

// mix returns W x: x + α Σ_j (x_j - x). Each product is rounded before it is
// added, so that no architecture fuses the two and goes on from other bits.
func (s *session) mix() []float64 {
	next := make([]float64, len(s.x))
	for _, n := range s.neighbours {
		other := s.inbox[0][n]
		for i, v := range s.x {
			next[i] += other[i] - v
		}
	}
	alpha := s.plan.alpha
	for i, v := range s.x {
		next[i] = v + float64(alpha*next[i])
	}
	return next
}

// chebyshev turns W x(t) into x(t+1) where the step rule says so.
func (s *session) chebyshev(next []float64) {
	if s.plan.Step != Chebyshev || s.t == 0 {
		s.omega = 2 // so that ω₂ = 1/(1-ρ²/2) falls out of the recurrence
		return
	}
	rho := s.plan.rate
	s.omega = 1 / (1 - float64(rho*rho*s.omega)/4)
	for i, v := range s.before {
		next[i] = float64(s.omega*next[i]) + float64((1-s.omega)*v)
	}
}

// total returns the sum over the view: S times the average.
func (s *session) total() []float64 {
	total := make([]float64, len(s.x))
	for i, v := range s.x {
		total[i] = float64(s.plan.Size) * v
	}
	return total
}
