package consensus

import (
	"time"

	"github.com/collabdict/collabdict/consensus/session"
)

// Status is a machine's state for display.
type Status struct {
	Slot      uint64
	Ballot    uint32
	Kind      Kind // kind of the current call; 0 between calls
	Round     uint32
	State     State
	Plan      session.Plan     // that of the current session; nil if there is none
	Seats     [][]int          // by lane of the session: the members in the order of the plan's vertices
	Step      int              // round of the session
	Steps     int              // predicted rounds of the session
	Come      session.Progress // progress of the current session, over all lanes
	Members   []uint32
	Missing   []Missing
	Lost      []Missing // members that have been silent for too long, or have left
	Alone     []Alone   // members that alone consider another lost
	Stuck     string    // why the current ballot cannot decide; "" if it may
	Paused    bool      // the run waits: too few members are there, or an amendment has paused it
	PausedBy  uint32    // revision of the roster that has paused the run; 0 for none
	Least     int       // members without which the slot pauses
	Held      []uint32  // members whose vectors the last running total did not count
	Waiting   []int     // members that hold up the slot, judged from heartbeats
	Wanted    []Wanted  // requested amendments, and the members that request them, judged from heartbeats
	Requested [32]byte  // digest of the amendment that this member requests; zero for none
	Usual     time.Duration
	Since     time.Duration // time of this member's last progress
}

// Status returns the machine's state.
func (m *Machine) Status() Status {
	s := m.slot
	st := Status{
		Slot: s.number, Ballot: s.ballots.promised, State: m.State(), Since: m.monitor.since, Stuck: m.monitor.stuck,
		Members: s.preset.Members, Missing: s.preset.Missing, Usual: m.monitor.usual, Held: m.held,
		Wanted: m.monitor.wanted(m.now, m.requested(), m.formed), Requested: m.requested(), Paused: m.p.Paused > 0, PausedBy: m.p.Paused,
	}
	if v := s.ballots.working(); v != nil && !v.amends() {
		st.Members, st.Missing = v.Members, v.Missing
	}
	for _, lost := range m.monitor.lostMembers(m.now) {
		st.Lost = append(st.Lost, Missing{uint32(lost), m.monitor.whyAbsent(m.now, lost, s.number)})
	}
	st.Alone, st.Least = m.alone(), m.monitor.needs(m.now, m.standing())
	if m.calls() {
		st.Kind, st.Round = s.call.header.Kind, s.call.header.Round
		st.Waiting = m.monitor.holdingUp(m.now, m.standing())
		st.Paused = st.Paused || m.err == nil && m.tooFew()
	}
	if a := s.attempts[s.ballots.promised]; a != nil && a.lanes != nil {
		st.Plan = a.plan().Session(a.layout.Words())
		st.Steps = st.Plan.Rounds()
		for lane, x := range a.lanes {
			st.Seats = append(st.Seats, a.seats().placement(lane, a.self).Members)
			st.Step = max(st.Step, x.Round())
			st.Come.Add(x.Progress())
		}
	}
	return st
}

// tooFew reports whether the slot waits because too few members are there to form a view.
func (m *Machine) tooFew() bool {
	waits := m.monitor.stuck != "" || m.slot.ballots.promises != nil || m.State() == Promised
	return waits && m.monitor.tooFew(m.now, m.standing())
}

// A State is a member's position in its slot.
type State uint8

// The states, roughly in order.
const (
	Idle     State = iota + 1 // between two slots, computing
	Promised                  // waits for the view of the promised ballot
	Watching                  // not in the view
	Dealt                     // has sent its Seeds or Blob, waits for those of the others
	Session                   // averaging
	Sealing                   // session has ended, waits for the sealer's result
	Stranded                  // an earlier process dealt, and its session is lost
	Fetching                  // lacks the sealed result to finish or to open
	Voted                     // has sent its Done, waits for those of the others
	Opening                   // decided, waits for pads
	Finished                  // the run has ended at this member, as planned
	Failed                    // the run has ended at this member, early
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

// State returns the member's state.
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

// settled reports whether a member that does not vote has its result.
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
	case a == nil || !a.secrets.dealt:
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

// waiting returns the members whose own messages the slot needs.
func (m *Machine) waiting() []int {
	s := m.slot
	a := s.attempts[s.ballots.promised]
	if m.rests() {
		return nil
	}
	switch m.State() {
	case Promised:
		if s.ballots.promises == nil && s.ballots.promised > 0 {
			return []int{m.roster.owner(s.ballots.promised)}
		}
		v := s.preset
		if m.waitsForAll() {
			v = m.plans.everybody(m.roster.Rules)
		}
		return m.without(v, func(member int) bool { _, ok := s.ballots.promises[member]; return ok })
	case Dealt:
		kind := Gather
		if s.call != nil {
			kind = s.call.header.Kind
		}
		return a.awaited(kind)
	case Session:
		return a.waiting()
	case Sealing:
		from, _ := a.relay()
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

func (m *Machine) without(v *View, has func(member int) bool) []int {
	var missing []int
	for _, member := range v.Members {
		if int(member) != m.p.Self && !has(int(member)) {
			missing = append(missing, int(member))
		}
	}
	return missing
}
