package node

import (
	"maps"
	"slices"
	"time"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/node/internal/membership"
)

// logState holds what the log has reported of the run so far.
type logState struct {
	alone []consensus.Alone // last seen

	lost    map[uint32]bool
	slot    uint64
	ballot  uint32
	ballots uint64 // ballots beyond the first of each slot
	paused  bool
	by      uint32    // number of the change that has paused the run
	since   time.Time // start of the pause; zero if there is none
	plans   map[string]bool
	waited  time.Duration // the last reported wait for late members
}

// watch logs warnings of members that are lost or come back. It also logs ballots, pauses and
// the plan of sums, at the level Info.
func (l *loop) watch(s consensus.Status) {
	if s.State >= consensus.Finished {
		return
	}
	t := &l.logged
	if s.PausedBy == 0 { // in a pause by agreement members may be away
		l.watchLost(s.Lost)
	}
	if s.Ballot > 0 && (s.Slot != t.slot || s.Ballot != t.ballot) {
		t.ballots++
		l.log.Info("a new ballot begins", "slot", s.Slot, "ballot", s.Ballot, "reason", s.Stuck)
	}
	t.slot, t.ballot = s.Slot, s.Ballot
	if s.Plan != nil && !t.plans[s.Plan.Name()] {
		t.plans[s.Plan.Name()] = true
		l.log.Info("plan for sums of this length: "+s.Plan.Name(), "slot", s.Slot, "rounds", s.Steps)
	}
	if s.Paused != t.paused || s.PausedBy != t.by {
		t.paused, t.by, t.since = s.Paused, s.PausedBy, time.Time{}
		if t.paused {
			t.since = time.Now()
			l.log.Info("paused", "change", s.PausedBy, "needed", s.Least, "lost", l.namesOf(slices.Sorted(maps.Keys(ranksOf(s.Lost)))))
		} else {
			l.log.Info("resumed")
		}
	}
}

// watchLost logs members that are newly lost, or are back.
func (l *loop) watchLost(members []consensus.Missing) {
	t, lost := &l.logged, map[uint32]bool{}
	for _, m := range members {
		lost[m.Member] = true
		if !t.lost[m.Member] && l.ended[int(m.Member)].IsZero() {
			l.log.Warn("a member is lost", "name", l.members.Name(int(m.Member)), "reason", m.Reason)
		}
	}
	for _, m := range slices.Sorted(maps.Keys(t.lost)) {
		if !lost[m] && !l.members.Load().Removed[int(m)] {
			l.log.Warn("a member is back", "name", l.members.Name(int(m)))
		}
	}
	t.lost = lost
}

// comesBack is the time, in ticks, after which a message from a member that has ended means
// that it is back. Before that it may be an old message: the two planes do not keep their
// order.
const comesBack = 6

// note records newcomers that take part, and members that report the end of their run.
func (l *loop) note(r consensus.Receive) {
	if r.From >= l.state.Founders && !l.seen[r.From] {
		l.seen[r.From] = true
		l.came(r.From)
	}
	before := l.ended[r.From]
	switch b := r.Message.Message().Body.(type) {
	case *consensus.Leave:
		if before.IsZero() && l.status.Load().machine.PausedBy > 0 {
			l.log.Info("a member has left while the run is paused", "name", l.members.Name(r.From), "reason", membership.Printable(b.Reason))
		} else if before.IsZero() {
			l.log.Warn("a member has left", "name", l.members.Name(r.From), "reason", membership.Printable(b.Reason))
		}
		l.ended[r.From] = time.Now()
	case *consensus.Heartbeat:
		switch {
		case b.State == consensus.Finished || b.State == consensus.Failed:
			l.ended[r.From] = time.Now()
		case time.Since(before) > comesBack*l.every:
			delete(l.ended, r.From)
		}
	}
	if l.ended[r.From].IsZero() != before.IsZero() {
		l.publish()
	}
}

// nag logs the members that the run waits for: first after a while, and then each time the wait
// has doubled.
func (l *loop) nag() {
	s := l.status.Load()
	if s.machine.PausedBy == 0 {
		l.logAlone(s.machine.Alone)
	}
	names, first := l.namesOf(s.machine.Waiting), 10*time.Second
	if len(s.unfinished) > 0 {
		names, first = s.unfinished, 2*time.Second
	}
	waited := time.Since(l.start) - s.machine.Since
	if len(names) == 0 || waited < first || s.machine.Paused {
		l.logged.waited = 0
		return
	}
	if waited >= max(first, 2*l.logged.waited) {
		l.logged.waited = waited
		l.log.Info("waiting", "members", names, "waited", waited.Round(time.Second), "usual", s.machine.Usual, "state", s.machine.State)
	}
}

// logAlone logs members that alone treat another as lost, once each time that this begins.
func (l *loop) logAlone(found []consensus.Alone) {
	for _, a := range found {
		if !slices.Contains(l.logged.alone, a) {
			l.log.Warn("a member alone hears nothing from another, while a quorum does: check the link between the two", "name", l.members.Name(int(a.By)), "of", l.members.Name(int(a.Of)))
		}
	}
	l.logged.alone = found
}

func (l *loop) namesOf(ranks []int) []string {
	names := make([]string, len(ranks))
	for i, r := range ranks {
		names[i] = l.members.Name(r)
	}
	return names
}
