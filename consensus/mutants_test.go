package consensus

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/testkit"
)

// Every rule is needed: without it, the search finds the fault that the rule prevents.
func TestEveryRuleIsNeeded(t *testing.T) {
	testkit.LongOnly(t)
	for _, c := range []struct {
		mutant            mutant
		ballots           uint32
		crashes, restarts int
		want              string
	}{
		{noReport, 1, 0, 0, "S1"},
		{breakPromises, 1, 0, 0, "S1"},
		{forgetVotes, 1, 1, 1, "S1"},
		{smallQuorum, 1, 0, 0, "S1"},
		{forgetEntered, 1, 1, 1, "S3"},
		{earlyPads, 1, 0, 0, "S2"},
		{oneShare, 0, 0, 0, "S2"},
		{noShares, 0, 1, 0, "stuck"},
		{leaveHeard, 1, 0, 0, "S4"},
		{ignorePause, 1, 0, 0, "S5"},
		{countUncounted, 1, 1, 0, "R2"},
		{keepOld, 1, 1, 1, "R2"},
		{otherRows, 0, 1, 1, "R2"},
		{loseOwn, 0, 1, 1, "R1"},
		{fullVector, 1, 1, 1, "wrong sum"},
		{beginWithoutAll, 1, 0, 0, "R3"},
	} {
		t.Run(string(c.mutant), func(t *testing.T) {
			x := newModel(3, c.ballots, c.crashes, c.restarts)
			x.mutant, x.called, x.firstBad = c.mutant, true, c.want
			switch c.mutant {
			case countUncounted, keepOld, otherRows, loseOwn, fullVector:
				x.running = true
			}
			x.hears, x.first = c.mutant == leaveHeard, c.mutant == beginWithoutAll
			if c.mutant == ignorePause {
				x.paused, x.wants, x.deaf = true, x.of(resumes(2)), 1
			}
			if c.mutant != noShares { // two commits need views that are smaller than the rules allow
				x.least = 2
			}
			began := time.Now()
			s, all := x.run(10_000_000)
			for v, id := range s.bad {
				if strings.HasPrefix(v, c.want) {
					t.Logf("%d worlds in %s: %s: %s", len(s.parent), time.Since(began).Round(time.Millisecond), v, s.trace(id))
					return
				}
			}
			if counts, first := s.stuck(); c.want == "stuck" && all && first >= 0 {
				t.Logf("%d worlds: %d stuck, as after: %s", len(s.parent), counts[goesOn], s.trace(first))
				return
			}
			t.Errorf("%d worlds, all %v: found %v, want %s", len(s.parent), all, s.bad, c.want)
		})
	}
}

// receive gives a machine a message. A mutant that breaks its promises continues in its attempt
// until it gets the view of the promised ballot.
func (x *model) receive(m *Machine, p *post, e *Effects) {
	s := m.slot
	if p.kind == prepareKind {
		x.deafen(m)
	}
	if x.mutant == breakPromises && p.kind == prepareKind && s.ballots.commit == nil && p.ballot > s.ballots.promised {
		liar := copyOf(m)
		liar.receive(p.from, p.to[m.p.Self], e)
		return
	}
	if x.mutant == breakPromises && p.kind == viewKind && p.ballot > s.ballots.promised && s.ballots.commit == nil {
		m.promise(p.ballot)
	}
	m.receive(p.from, p.to[m.p.Self], e)
}

func (x *model) damage(disk map[string][]byte) map[string][]byte {
	if x.mutant != forgetVotes && x.mutant != forgetEntered {
		return disk
	}
	var state slotState
	if err := json.Unmarshal(disk[EntryState], &state); err != nil {
		panic(err)
	}
	if x.mutant == forgetVotes {
		state.Vote, state.Promised = nil, 0
	} else {
		state.Entered, state.Attempts = -1, nil
	}
	damaged := map[string][]byte{}
	for name, b := range disk {
		damaged[name] = b
	}
	damaged[EntryState] = must(json.Marshal(state))
	return damaged
}
