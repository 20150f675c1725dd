package consensus

import (
	"time"

	"github.com/collabdict/collabdict/consensus/session"
)

// Status is where a machine stands, for showing.
type Status struct {
	Slot      uint64
	Ballot    uint32
	Kind      Kind // of the call under way; 0 between calls
	Round     uint32
	State     State
	Plan      string           // how the session under way runs
	Step      int              // of the session
	Steps     int              // predicted
	Come      session.Progress // of the session under way: what has come, over all lanes
	Members   []uint32
	Missing   []Missing
	Lost      []Missing // members that are silent for too long, or have left
	Stuck     string    // why the ballot at hand cannot decide, "" if it may
	Paused    bool      // too few members are there to go on
	Held      string    // why the members that are there do not go on without the others
	Decided   uint64    // slots
	Waiting   []int     // members that hold the slot up, as far as their heartbeats tell
	Wanted    []Wanted  // amendments of the roster, and who wants them as far as their heartbeats tell
	Requested [32]byte  // the digest of this member's; zero if it wants none
	Usual     time.Duration
	Since     time.Duration // when this member last made a step
	Finished  bool
}

// Status returns where the machine stands.
func (m *Machine) Status() Status {
	s := m.slot
	st := Status{
		Slot: s.number, Ballot: s.ballots.promised, State: m.State(), Since: m.monitor.since, Stuck: m.monitor.stuck, Decided: s.number,
		Members: s.preset.Members, Missing: s.preset.Missing, Usual: m.monitor.usual, Finished: m.finished,
		Wanted: m.monitor.wanted(m.now, m.requested(), m.formed), Requested: m.requested(),
	}
	if v := s.ballots.working(); v != nil && !v.amends() {
		st.Members, st.Missing = v.Members, v.Missing
	}
	for _, lost := range m.monitor.lostMembers(m.now) {
		st.Lost = append(st.Lost, Missing{uint32(lost), m.monitor.whyAbsent(m.now, lost, s.number)})
	}
	if m.calls() {
		st.Kind, st.Round = s.call.header.Kind, s.call.header.Round
		st.Waiting = m.monitor.holdingUp(m.now, m.standing())
		st.Paused = m.err == nil && (m.paused() || m.held != "")
		st.Held = m.held
	}
	if a := s.attempts[s.ballots.promised]; a != nil && a.lanes != nil {
		plan := m.plans.plan(len(a.member)).Session(a.layout.Words())
		st.Plan, st.Steps = plan.Name(), plan.Rounds()
		for _, x := range a.lanes {
			st.Step = max(st.Step, x.Round())
			st.Come.Add(x.Progress())
		}
	}
	return st
}

// paused reports whether too few members are there to form a view.
func (m *Machine) paused() bool {
	waits := m.monitor.stuck != "" || m.slot.ballots.promises != nil || m.State() == Promised
	return waits && m.monitor.tooFew(m.now)
}
