package report

import "time"

// Course is how a simulated run went, in virtual time: what is drawn of it.
type Course struct {
	Names   []string // of the roster
	Virtual time.Duration
	// Objective says what that of a round is.
	Objective string
	Failed    bool       // after the last of Slots
	Rounds    []RoundRow // the start-up is round 0
	Slots     []Slot
	Sent      []int64  // bytes, by member
	Down      [][]Span // when a member's process was not there, by member
	Faults    []Fault
	// Convergence is that of the last sum of a round; nil where sums are exact.
	Convergence *Convergence
	// Weightings are the participants', of the last round; nil if all count by other means.
	Weightings []Weighting
	// Choice is what there was to choose from; nil if there was no choice.
	Choice []Judged
}

// Slot is a decided call.
type Slot struct {
	Round   int
	At      time.Duration
	Members []uint32 // who is in it, by rank
}

// Span is a part of a run.
type Span struct{ From, To time.Duration }

// Fault is what was wrong for some time.
type Fault struct {
	Label string
	Span
}

// Convergence is how the disagreement ‖x − x̄‖₂ of a session fell, relative to what
// it was at first, after each number of iterations from 0.
type Convergence struct {
	Round, Members      int
	Step, Graph         string
	Measured, Predicted []float64
}
