package node

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/node/internal/membership"
)

// logState is what the log has reported of the run so far.
type logState struct {
	alone []consensus.Alone // last seen

	lost    map[uint32]bool
	slot    uint64
	ballot  uint32
	ballots uint64 // beyond the first of each slot
	paused  bool
	by      uint32    // the change that has paused the run
	since   time.Time // of the pause; zero if there is none
	plans   map[string]bool
	waited  time.Duration // how long the members waited for were last said to be late
}

// watch tells the operator of members that are lost or come back, and who wants to
// know more of ballots and pauses, which the status has too, and of how sums go.
func (l *loop) watch(s consensus.Status) {
	if s.State >= consensus.Finished {
		return
	}
	t := &l.logged
	if s.PausedBy == 0 { // else members may be away
		l.watchLost(s.Lost)
	}
	if s.Ballot > 0 && (s.Slot != t.slot || s.Ballot != t.ballot) {
		t.ballots++
		l.log.Info("another ballot is held", "slot", s.Slot, "ballot", s.Ballot, "reason", s.Stuck)
	}
	t.slot, t.ballot = s.Slot, s.Ballot
	if s.Plan != "" && !t.plans[s.Plan] {
		t.plans[s.Plan] = true
		l.log.Info("sums as long as this one go by "+s.Plan, "slot", s.Slot, "rounds", s.Steps)
	}
	if s.Paused != t.paused || s.PausedBy != t.by {
		t.paused, t.by, t.since = s.Paused, s.PausedBy, time.Time{}
		if t.paused {
			t.since = time.Now()
			l.log.Info(l.pause(s))
		} else {
			l.log.Info("resumed")
		}
	}
}

// watchLost tells of members that are lost, or are back.
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

// pause returns a line that names the change that has paused the run, or the members that
// are missing for the run to continue.
func (l *loop) pause(s consensus.Status) string {
	if s.PausedBy > 0 {
		return fmt.Sprintf("paused by agreement: change %d", s.PausedBy)
	}
	var missing []string
	for _, m := range s.Lost {
		missing = append(missing, l.members.Name(int(m.Member)))
	}
	r := l.machine.Rules()
	return fmt.Sprintf("paused: %d of the %d members that are needed are here; waiting for %s",
		r.Size-len(missing), r.Least, strings.Join(missing, ", "))
}

// comesBack is after how long a member that has ended and speaks again has come
// back, in ticks. Until then it may be that what it said before comes late: the two
// planes do not keep their order.
const comesBack = 6

// note watches for the ends of the others' runs.
func (l *loop) note(r consensus.Receive) {
	if r.From >= l.journal.Founders && !l.seen[r.From] {
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

// nag says whom the run waits for: after a while, and then each time the wait has
// doubled.
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
		l.log.Info(waitingLine(names, waited, s.machine.Usual), "state", s.machine.State)
	}
}

// logAlone names members that alone take another for lost, once each time that it comes to
// be so.
func (l *loop) logAlone(found []consensus.Alone) {
	for _, a := range found {
		if !slices.Contains(l.logged.alone, a) {
			l.log.Warn("a member alone hears nothing of another, of which a quorum hears: check the link between the two", "name", l.members.Name(int(a.By)), "of", l.members.Name(int(a.Of)))
		}
	}
	l.logged.alone = found
}

// waitingLine returns a line that names the members waited for, with the usual wait.
func waitingLine(names []string, waited, usual time.Duration) string {
	line := fmt.Sprintf("waiting for %s %s", strings.Join(names, ", "), waited.Round(time.Second))
	if usual > 0 {
		line += fmt.Sprintf(" (usual %s)", usual.Round(100*time.Millisecond))
	}
	return line
}

func (l *loop) namesOf(ranks []int) []string {
	names := make([]string, len(ranks))
	for i, r := range ranks {
		names[i] = l.members.Name(r)
	}
	return names
}
