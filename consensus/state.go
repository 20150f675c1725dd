package consensus

import "slices"

// State is where a member stands in its slot.
type State uint8

// The states of a slot, in about the order in which they come.
const (
	Idle     State = iota + 1 // between two slots, computing
	Promised                  // no view of the promised ballot is known yet
	Watching                  // not in the view
	Dealt                     // own Seeds or Blob are out, waiting for the others'
	Session                   // averaging
	Sealing                   // averaging has ended, waiting for the sealer's result
	Stranded                  // dealt by an earlier process: its session is lost
	Fetching                  // lacks the sealed result that is to be finished or opened
	Voted                     // own Done is out, waiting for the others'
	Opening                   // decided, waiting for pads
	Finished                  // the run has ended here, as planned
	Failed                    // the run has ended here before its end
)

var stateNames = [...]string{
	Idle: "computing", Promised: "promised", Watching: "watching", Dealt: "dealt", Session: "session",
	Sealing: "sealing", Stranded: "started again", Fetching: "fetching", Voted: "voted", Opening: "opening",
	Finished: "finished", Failed: "failed",
}

func (s State) String() string {
	if int(s) < len(stateNames) && stateNames[s] != "" {
		return stateNames[s]
	}
	return "unknown state"
}

// State returns where the member stands.
func (m *Machine) State() State {
	s := m.slot
	switch {
	case m.err != nil:
		return Failed
	case m.finished:
		return Finished
	case s.ballots.commit != nil && m.sealedOf(s.ballots.commit.Value) == nil:
		return Fetching
	case s.ballots.commit != nil:
		return Opening
	case s.ballots.voted(), s.settled():
		return Voted
	case s.ballots.finishing() != nil:
		return Fetching
	}
	return m.attemptState()
}

// settled reports whether a member that does not vote has done its part.
func (s *slot) settled() bool {
	a := s.attempts[s.ballots.promised]
	return a != nil && a.settled
}

func (m *Machine) attemptState() State {
	s := m.slot
	v := s.ballots.working()
	if v == nil {
		return Promised
	}
	a := s.attempts[s.ballots.promised]
	switch {
	case m.fetches(v):
		return Fetching
	case !v.has(m.p.Self):
		return Watching
	case m.slot.abstains:
		return Stranded
	case a == nil || !a.dealt:
		return Idle
	case !a.here:
		return Stranded
	case a.result != nil:
		return Sealing
	case a.lanes != nil:
		return Session
	}
	return Dealt
}

// waiting returns the members whose own messages the slot needs to go on.
func (m *Machine) waiting() []int {
	s := m.slot
	a := s.attempts[s.ballots.promised]
	switch m.State() {
	case Promised:
		if s.ballots.promises == nil && s.ballots.promised > 0 {
			return []int{m.roster.owner(s.ballots.promised)}
		}
		return m.without(s.preset, func(member int) bool { _, ok := s.ballots.promises[member]; return ok })
	case Dealt:
		return m.unopened(a)
	case Session:
		return a.waiting()
	case Sealing:
		from, _ := m.relay(a)
		return []int{from}
	case Voted:
		if s.ballots.vote == nil { // the votes of others decide
			return nil
		}
		v := s.preset
		if a != nil {
			v = a.view
		}
		votes := s.ballots.done[s.ballots.vote.Ballot]
		return m.without(v, func(member int) bool { _, ok := votes[member]; return ok || !m.roster.decides(member) })
	case Opening:
		return s.opener.waiting(s.results.sealed[s.ballots.commit.Value.Attempt])
	}
	return nil
}

// unopened returns the members whose opening messages have not come.
func (m *Machine) unopened(a *attempt) []int {
	from := others(a.member, m.p.Self)
	if m.slot.call != nil && m.slot.call.header.Kind == Sum {
		from = m.seats(a.view).dealsFrom(m.p.Self)
	}
	return slices.DeleteFunc(from, func(member int) bool { return a.seeds[member] != nil || a.blobs[member] != nil })
}

func (m *Machine) without(v *View, has func(member int) bool) []int {
	var missing []int
	for _, member := range v.Members {
		if int(member) != m.p.Self && !has(int(member)) {
			missing = append(missing, int(member))
		}
	}
	return missing
}
