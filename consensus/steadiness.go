package consensus

import "slices"

// Steadiness says which sums of a run a stopping rule may compare. The zero value is that
// of a run without sums.
type Steadiness struct {
	whose []uint32
	since map[uint32]uint32 // the rounds in which running totals have counted members last
}

// awaited is for how many rounds a member may be away before its last vector is good enough
// for the model to be final.
const awaited = 20

// Add enters the decision of the next sum, and reports whether a rule may compare its total
// with the one before. Both must count the vectors of the same members, and of any. No other
// member may have a vector in the running total that is newer than some rounds: that member
// may come back, and a model of its old vector is not final.
func (s *Steadiness) Add(d *Decision) (steady bool) {
	steady = len(d.whose()) > 0 && slices.Equal(d.whose(), s.whose)
	s.whose = d.whose()
	if d.Running == nil {
		return steady
	}
	if s.since == nil {
		s.since = map[uint32]uint32{}
	}
	for _, member := range s.whose {
		s.since[member] = d.Round
	}
	for _, round := range s.since {
		steady = steady && (round == d.Round || d.Round-round >= awaited)
	}
	return steady
}
