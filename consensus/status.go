package consensus

import (
	"maps"
	"slices"
	"time"

	"github.com/collabdict/collabdict/consensus/session"
)

// Status is where a machine stands, for showing.
type Status struct {
	Slot     uint64
	Ballot   uint32
	Kind     Kind // of the call under way; 0 between calls
	Round    uint32
	State    State
	Plan     string           // how the session under way runs
	Step     int              // of the session
	Steps    int              // predicted
	Come     session.Progress // of the session under way: what has come, over all lanes
	Members  []uint32
	Missing  []Missing
	Lost     []Missing // members that are silent for too long, or have left
	Stuck    string    // why the ballot at hand cannot decide, "" if it may
	Paused   bool      // too few members are there to go on
	Held     string    // why the members that are there do not go on without the others
	Decided  uint64    // slots
	Waiting  []int     // members that hold the slot up, as far as their Beats tell
	Wanted   []Wanted  // amendments of the roster, and who wants them as far as their Beats tell
	Wished   [32]byte  // the digest of this member's; zero if it wants none
	Usual    time.Duration
	Since    time.Duration // when this member last made a step
	Finished bool
}

// Status returns where the machine stands.
func (m *Machine) Status() Status {
	s := m.slot
	st := Status{
		Slot: s.number, Ballot: s.ballots.promised, State: m.State(), Since: m.since, Stuck: m.stuck, Decided: s.number,
		Members: s.preset.Members, Missing: s.preset.Missing, Usual: m.usual, Finished: m.finished,
		Wanted: m.wanted(), Wished: m.wished(),
	}
	if v := s.ballots.working(); v != nil && !v.amends() {
		st.Members, st.Missing = v.Members, v.Missing
	}
	for _, s := range m.watched {
		if s != m.p.Self && m.lost(s) {
			st.Lost = append(st.Lost, Missing{uint32(s), m.whyAbsent(s)})
		}
	}
	if m.calls() {
		st.Kind, st.Round = s.call.header.Kind, s.call.header.Round
		st.Waiting = m.holdingUp()
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

// paused says whether too few members are there to form a view.
func (m *Machine) paused() bool {
	there, deciding := 0, 0
	for _, s := range m.watched {
		if s == m.p.Self || !m.lost(s) {
			there++
			if m.roster.decides(s) {
				deciding++
			}
		}
	}
	// Who is not of the committee knows of nobody else.
	tooFew := deciding < m.roster.Quorum || len(m.watched) == m.roster.Size && there < m.roster.Least
	return tooFew && (m.stuck != "" || m.slot.ballots.promises != nil || m.State() == Promised)
}

// holdingUp returns the members that hold the slot up: those that are waited for
// and wait for nobody themselves, or are silent, following the waiting-for sets of
// the Beats.
func (m *Machine) holdingUp() []int {
	reached := map[int]bool{m.p.Self: true}
	queue := m.waiting()
	root := map[int]bool{}
	for ; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		if reached[s] {
			continue
		}
		reached[s] = true
		p := m.peer(s)
		silent := m.now-p.heard > 3*m.p.Beat
		if silent || p.slot != m.slot.number || len(p.beat.Waiting) == 0 {
			root[s] = true
			continue
		}
		for _, w := range p.beat.Waiting {
			if m.roster.belongs(int(w)) {
				queue = append(queue, int(w))
			}
		}
	}
	roots := slices.Sorted(maps.Keys(root))
	if roots == nil { // a circle: all wait for each other
		return m.waiting()
	}
	return roots
}
