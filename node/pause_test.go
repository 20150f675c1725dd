package node

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/marcopolo/simnet"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/node/internal/nodetest"
)

// agree makes some nodes want changes.
func agree(t *testing.T, nodes []*Node, changes ...Change) {
	t.Helper()
	for _, n := range nodes {
		if err := n.Change(changes); err != nil {
			t.Errorf("%s: %v", n.Status().Name, err)
		}
	}
}

// pausedBy reports whether all nodes are paused by a change, after the same round, and none
// of them waits for another.
func pausedBy(nodes []*Node, change uint32) bool {
	return !slices.ContainsFunc(nodes, func(n *Node) bool {
		s := n.Status()
		return s.PausedBy != change || !s.Paused || s.Since.IsZero() || s.Slot != nodes[0].Status().Slot || len(s.Waiting) > 0 || s.Stuck != ""
	})
}

// A quorum pauses the run. All processes end at once and are restarted: the run is still
// paused. A quorum resumes it, and all end with the result of a run that was never paused.
func TestTheRunIsPausedByAgreement(t *testing.T) {
	const size, rounds = 4, 12
	simulate(t, 50*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
		configs, nodes, learners := s.inRoundTwo(t, size, rounds)
		agree(t, nodes[1:], Change{Pause: true})
		waitFor(t, func() bool { return pausedBy(nodes, 1) })
		slot := nodes[0].Status().Slot
		pass(5 * time.Minute)
		if !pausedBy(nodes, 1) || nodes[0].Status().Slot != slot {
			t.Errorf("after five minutes: %+v, want it paused in slot %d", nodes[0].Status(), slot)
		}
		for rank, n := range nodes {
			if rank > 0 { // the last member sees that three have left
				before := time.Now()
				n.Leave("it was stopped by its operator")
				if took := time.Since(before); took > 5*time.Second {
					t.Errorf("%s has left after %s", n.Status().Name, took)
				}
			}
			n.Close()
			var abort *consensus.AbortError
			if err := <-learners[rank].ended; !errors.Is(err, ErrClosed) && !errors.As(err, &abort) {
				t.Errorf("the process that was ended got %v", err)
			}
		}
		pass(48 * time.Hour)
		var peers []Member
		for i, m := range configs[0].Members {
			m.Addrs = []string{fmt.Sprintf("/ip4/%s/udp/8001/quic-v1", simnet.IntToPublicIPv4(i))}
			peers = append(peers, m)
		}
		again := make([]*joining, size)
		for i := range configs {
			s.Place(&configs[i], i, 1)
			configs[i].Members, configs[i].Changes = peers, []Change{{Pause: true}}
			again[i] = join(t, configs[i])
			nodetest.Receive(t, again[i].addrs)
		}
		for _, j := range again {
			end := j.wait(t)
			if end.err != nil {
				t.Fatal(end.err)
			}
			nodes[end.node.Self()] = end.node
		}
		for rank, n := range nodes {
			learners[rank] = steady(t, rounds, n)
		}
		waitFor(t, func() bool { return pausedBy(nodes, 1) })
		pass(time.Minute)
		agree(t, nodes[:2], Change{Pause: true}, Change{Resume: true})
		pass(time.Minute)
		if !pausedBy(nodes, 1) || nodes[0].Status().Slot != slot {
			t.Errorf("two of four have resumed it: %+v", nodes[0].Status())
		}
		agree(t, nodes[2:3], Change{Pause: true}, Change{Resume: true})
		waitForAll(t, learners)
		checkAlike(t, nodes, "m0", "m1", "m2", "m3")
		for i, total := range learners[0].totals { // all members were in all sums
			if want := float64((i + 1) * (1 + 2 + 3 + 4)); total != want {
				t.Errorf("round %d: %g, want %g", i+1, total, want)
			}
		}
		if st := nodes[0].Status(); st.Paused || st.PausedBy != 0 || !st.Since.IsZero() {
			t.Errorf("paused: %+v", st)
		}
		finish(t, nodes)
	})
}

// A newcomer joins a paused run, and is paused with it. It takes part when the run is resumed.
func TestANewcomerJoinsWhilePaused(t *testing.T) {
	const founders, rounds = 4, 12
	simulate(t, 50*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
		configs := s.configs(t, founders+1)
		all := listed(t, configs, founders)
		nodes := s.start(t, configs[:founders]...)
		var learners []*learner
		for _, n := range nodes {
			learners = append(learners, steady(t, rounds, n))
		}
		waitFor(t, func() bool { return nodes[0].Status().Round == 2 })
		changes := []Change{{Pause: true}, {Add: all[founders:]}, {Resume: true}}
		agree(t, nodes, changes[:1]...)
		waitFor(t, func() bool { return pausedBy(nodes, 1) })
		agree(t, nodes, changes[:2]...)
		configs[founders].Members, configs[founders].Changes = reached(nodes), changes[:2]
		node, learner := comeIn(t, rounds, configs[founders])
		nodes, learners = append(nodes, node), append(learners, learner)
		waitFor(t, func() bool { return pausedBy(nodes, 1) && nodes[founders].Changes() == 2 })
		pass(time.Minute)
		if !pausedBy(nodes, 1) {
			t.Errorf("it is not paused: %+v", nodes[founders].Status())
		}
		agree(t, nodes, changes...)
		waitForAll(t, learners)
		checkAlike(t, nodes, "m0", "m1", "m2", "m3", "m4")
		finish(t, nodes)
	})
}

// A call that waits in a paused run ends at once when its context ends.
func TestACallEndsWhilePaused(t *testing.T) {
	simulate(t, 50*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
		configs := s.configs(t, 3)
		listed(t, configs, 3)
		nodes := s.start(t, configs...)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ended := make(chan error, len(nodes))
		for _, n := range nodes {
			l := &script{rounds: 9, update: func() { pass(update) }}
			go func() { ended <- l.run(ctx, n, nil) }()
		}
		waitFor(t, func() bool { return nodes[0].Status().Round == 2 })
		agree(t, nodes, Change{Pause: true})
		waitFor(t, func() bool { return pausedBy(nodes, 1) })
		pass(time.Minute)
		before := time.Now()
		cancel()
		for range nodes {
			if err := nodetest.Receive(t, ended); !errors.Is(err, context.Canceled) {
				t.Errorf("the call has ended with %v", err)
			}
		}
		if took := time.Since(before); took > time.Second {
			t.Errorf("it has ended after %s", took)
		}
	})
}

// A change that cannot pause or resume the run is an error with the reason.
func TestInvalidPauses(t *testing.T) {
	configs := testConfigs(t, 4)
	all := listed(t, configs, 4)
	k := 3
	for want, changes := range map[string][]Change{
		"changes: number 1: want a run that is paused, got resume without an earlier change that pauses the run": {{Resume: true}},
		"changes: number 2: want a run that is not paused, got pause after change 1, which has paused the run":   {{Pause: true}, {Pause: true}},
		"changes: number 3: want a run that is not paused, got pause after change 1, which has paused the run":   {{Pause: true}, {Remove: []string{"m0"}}, {Pause: true}},
		"changes: number 4: want a run that is paused, got resume without an earlier change that pauses the run": {{Pause: true}, {Resume: true}, {Quorum: &k}, {Resume: true}},
		"changes: number 1: want pause or resume, got both":                                                      {{Pause: true, Resume: true}},
		"changes: number 1: want pause alone in a change, got more":                                              {{Pause: true, Remove: []string{"m0"}}},
		"changes: number 2: want resume alone in a change, got more":                                             {{Pause: true}, {Resume: true, Colluders: &k}},
		"": {{Pause: true}, {Remove: []string{"m0"}}, {Resume: true}, {Pause: true}},
	} {
		err := CheckChanges(all, configs[0].Settings, changes)
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%+v: %v, want %s", changes, err, want)
		}
	}
}
