package report

import "time"

// Course is the course of a simulated run in virtual time, for figures.
type Course struct {
	Names   []string // of the roster
	Virtual time.Duration
	// Objective names the objective of a round.
	Objective string
	Failed    bool       // the run failed after the last of Slots
	Rounds    []RoundRow // round 0 is the start-up
	Slots     []Slot
	Sent      []int64  // bytes, by member
	Down      [][]Span // times without a process, by member
	Faults    []Fault
	// Convergence is that of the last sum of a round; nil for exact sums.
	Convergence *Convergence
	// Weightings are the participants' weights in the last round; nil if all count by other
	// means.
	Weightings []Weighting
	// Choice holds the candidates of a selection; nil without one.
	Choice []Judged
}

// Slot is a decided call.
type Slot struct {
	Round   int
	At      time.Duration
	Members []uint32 // members that took part, by rank
}

// Span is a time interval of a run.
type Span struct{ From, To time.Duration }

// Fault is a fault that lasted for some time.
type Fault struct {
	Label string
	Span
}

// Convergence is the disagreement ‖x − x̄‖₂ of a session, relative to the initial one, after
// each number of iterations from 0.
type Convergence struct {
	Round, Members      int
	Step, Graph         string
	Measured, Predicted []float64
}
