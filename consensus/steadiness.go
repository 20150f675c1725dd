package consensus

// Steadiness records which sums of a run a stopping rule may compare. The zero value is for a
// run without sums.
type Steadiness struct {
	whose  []uint32          // members whose vectors the last total counted
	latest []uint32          // those of the last running total
	round  uint32            // of that total
	away   map[uint32]uint32 // member that it did not count → the round in which one last did
}

// awaited is the number of rounds for which the model is not final while a member is away.
// After that its last vector is good enough.
const awaited = 20

// Add enters the next sum, and reports whether a stopping rule may compare its total with the
// one before. Both must count the vectors of the same members, and at least one. The total must
// have no recent vector of a member that is away: it may come back, and a model of its old
// vector is not final.
func (s *Steadiness) Add(d *Decision) (steady bool) {
	steady = len(d.whose()) > 0 && equalMembers(d.whose(), s.whose)
	s.whose = d.whose()
	if d.Running == nil {
		return steady
	}
	if !equalMembers(s.whose, s.latest) {
		if s.away == nil {
			s.away = map[uint32]uint32{}
		}
		for _, member := range s.latest {
			s.away[member] = s.round
		}
		for _, member := range s.whose {
			delete(s.away, member)
		}
	}
	s.latest, s.round = s.whose, d.Round
	for _, round := range s.away {
		steady = steady && (round == d.Round || d.Round-round >= awaited)
	}
	return steady
}
