package node

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/node/internal/nodetest"
	"github.com/collabdict/collabdict/node/internal/rendezvous"
)

// listed sets the members of the first configuration as the list of all.
func listed(t *testing.T, configs []Config, founders int) []Member {
	t.Helper()
	var all []Member
	for _, c := range configs {
		key, err := loadIdentity(c.Dir)
		if err != nil {
			t.Fatal(err)
		}
		id, err := peer.IDFromPrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, Member{Name: c.Name, ID: id})
	}
	for i := range configs {
		configs[i].Members, configs[i].Expect, configs[i].Open = all[:founders], 0, false
	}
	return all
}

// reached returns the members of a run with their addresses.
func reached(nodes []*Node) (members []Member) {
	for _, n := range nodes {
		m := n.Members()[n.Self()]
		m.Addrs = n.Addrs()
		members = append(members, m)
	}
	return members
}

// steady runs a script of the given number of rounds at a node.
func steady(t *testing.T, rounds int, n *Node) *learner {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	t.Cleanup(cancel)
	l := &learner{script{rounds: rounds, update: func() { pass(update) }}, make(chan error, 1)}
	go func() { l.ended <- l.run(ctx, n, nil) }()
	return l
}

// amended begins a run and adds a newcomer, whose configuration is the last.
func (s *simulation) amended(t *testing.T, founders, rounds int) ([]Config, []*Node, []*learner) {
	t.Helper()
	configs := s.configs(t, founders+1)
	all := listed(t, configs, founders)
	for i := range configs {
		configs[i].Changes = []Change{{Add: all[founders:]}}
	}
	nodes := s.start(t, configs[:founders]...)
	var learners []*learner
	for _, n := range nodes {
		learners = append(learners, steady(t, rounds, n))
	}
	configs[founders].Members = reached(nodes)
	return configs, nodes, learners
}

// comeIn lets a member join or resume the run, and train.
func comeIn(t *testing.T, rounds int, c Config) (*Node, *learner) {
	t.Helper()
	end := join(t, c).wait(t)
	if end.err != nil {
		t.Fatal(end.err)
	}
	return end.node, steady(t, rounds, end.node)
}

// checkAlike asserts that the nodes have made the same decisions and have the given roster.
func checkAlike(t *testing.T, nodes []*Node, roster ...string) {
	t.Helper()
	for _, n := range nodes {
		if !slices.Equal(digests(t, n), digests(t, nodes[0])) {
			t.Errorf("%s has decided differently from %s", n.Status().Name, nodes[0].Status().Name)
		}
		var names []string
		for _, m := range n.Roster() {
			names = append(names, m.Name)
		}
		if st := n.Status(); !slices.Equal(names, roster) || st.Want != len(roster) || !slices.Equal(st.Members, roster) {
			t.Errorf("%s has the roster %v of %d and the view %v, want %v", st.Name, names, st.Want, st.Members, roster)
		}
	}
}

// During a run one member is removed and a newcomer joins, which receives all earlier
// decisions. The present members end with the same result.
func TestTheRosterChanges(t *testing.T) {
	const founders, rounds = 4, 20
	simulate(t, 50*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
		configs := s.configs(t, founders+1)
		all := listed(t, configs, founders)
		changes := []Change{{Add: all[founders:], Remove: []string{"m1"}}}
		nodes := s.start(t, configs[:founders]...)
		var learners []*learner
		for _, n := range nodes {
			learners = append(learners, steady(t, rounds, n))
		}
		waitFor(t, func() bool { return nodes[0].Status().Round == 3 })
		for _, rank := range []int{0, 1, 2} { // m3 follows the others
			if err := nodes[rank].Change(changes); err != nil {
				t.Error(err)
			}
		}
		newcomer := configs[founders]
		newcomer.Changes, newcomer.Members = changes, reached(nodes)
		node, learner := comeIn(t, rounds, newcomer)
		var removed *consensus.RemovedError
		if err := <-learners[1].ended; !errors.As(err, &removed) {
			t.Errorf("the member that was removed ends with %v", err)
		}
		var other *ConfigError
		if err := nodes[0].Change([]Change{{Remove: []string{"m2"}}}); !errors.As(err, &other) {
			t.Errorf("another change than the decided one: %v", err)
		}
		waitForAll(t, append(slices.Delete(learners, 1, 2), learner))
		left := append(slices.Delete(nodes, 1, 2), node)
		checkAlike(t, left, "m0", "m2", "m3", "m4")
		finish(t, left)
	})
}

// If members want different changes, each status lists the changes with the members that want
// them, and no change is made before a quorum wants the same one.
func TestMembersWantDifferentChanges(t *testing.T) {
	simulate(t, 50*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
		configs := s.configs(t, 4)
		listed(t, configs, 4)
		nodes := s.start(t, configs...)
		var learners []*learner
		for _, n := range nodes {
			learners = append(learners, steady(t, 20, n))
		}
		waitFor(t, func() bool { return nodes[0].Status().Round == 3 })
		for rank, name := range []string{"m3", "m3", "m0"} {
			if err := nodes[rank].Change([]Change{{Remove: []string{name}}}); err != nil {
				t.Error(err)
			}
		}
		for rank, n := range nodes {
			want := []Wanted{{[]string{"m0", "m1"}, rank < 2}, {[]string{"m2"}, rank == 2}}
			waitFor(t, func() bool { return reflect.DeepEqual(n.Status().Wanted, want) })
		}
		waitForAll(t, learners)
		checkAlike(t, nodes, "m0", "m1", "m2", "m3")
		finish(t, nodes)
	})
}

// A newcomer and a member that are killed after the change and restarted continue with the
// present roster.
func TestRestartedMembersKnowTheRoster(t *testing.T) {
	const founders, rounds = 4, 30
	simulate(t, 50*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
		configs, nodes, learners := s.amended(t, founders, rounds)
		node, learner := comeIn(t, rounds, configs[founders])
		nodes, learners = append(nodes, node), append(learners, learner)
		waitFor(t, func() bool { return slices.Contains(nodes[1].Status().Members, "m4") })
		for _, rank := range []int{0, founders} {
			nodes[rank].Close() // like a crash: nothing is sent
			if err := <-learners[rank].ended; !errors.Is(err, ErrClosed) {
				t.Errorf("the process that was ended got %v", err)
			}
		}
		at := nodes[1].Status().Round
		waitFor(t, func() bool { return nodes[1].Status().Round > at+1 })
		for _, rank := range []int{0, founders} {
			s.Place(&configs[rank], rank, 1)
			nodes[rank], learners[rank] = comeIn(t, rounds, configs[rank])
		}
		waitForAll(t, learners)
		checkAlike(t, nodes, "m0", "m1", "m2", "m3", "m4")
		finish(t, nodes)
	})
}

// inRoundTwo starts a run of listed members, and returns when the first is in round 2.
func (s *simulation) inRoundTwo(t *testing.T, size, rounds int) (configs []Config, nodes []*Node, learners []*learner) {
	t.Helper()
	configs = s.configs(t, size)
	listed(t, configs, size)
	nodes = s.start(t, configs...)
	for _, n := range nodes {
		learners = append(learners, steady(t, rounds, n))
	}
	waitFor(t, func() bool { return nodes[0].Status().Round == 2 })
	return configs, nodes, learners
}

// A member that is removed while it is away is refused when it comes back, and ends with the
// reason.
func TestAMemberIsRemovedWhileItIsAway(t *testing.T) {
	const size, rounds = 5, 20
	simulate(t, 50*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
		configs, nodes, learners := s.inRoundTwo(t, size, rounds)
		away := configs[1]
		away.Members = reached(nodes)
		nodes[1].Close() // like a crash: nothing is sent
		<-learners[1].ended
		nodes, learners = without(nodes, 1), slices.Delete(learners, 1, 2)
		for _, n := range nodes {
			if err := n.Change([]Change{{Remove: []string{"m1"}}}); err != nil {
				t.Error(err)
			}
		}
		waitFor(t, func() bool { return nodes[0].Changes() == 1 })
		pass(2 * farewellTime)
		s.Place(&away, 1, 1)
		var removed *consensus.RemovedError
		if end := join(t, away).wait(t); !errors.As(end.err, &removed) {
			t.Errorf("it comes back with %v, want the error that it was removed", end.err)
		}
		waitForAll(t, learners)
		finish(t, nodes)
	})
}

// A member that is removed while it is cut off, and keeps waiting, receives the reason when it
// reaches the others again, and ends with it.
func TestAMemberIsRemovedWhileItIsCutOff(t *testing.T) {
	testkit.SkipRaced(t) // TestAMemberIsRemovedWhileItIsAway and TestPartedHosts have the same goroutines
	const size, rounds = 5, 40
	simulate(t, 50*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
		_, nodes, learners := s.inRoundTwo(t, size, rounds)
		away, cut := nodes[1], learners[1]
		s.part(0, 1, 0, 0, 0)
		nodes, learners = without(nodes, 1), slices.Delete(learners, 1, 2)
		for _, n := range nodes {
			if err := n.Change([]Change{{Remove: []string{"m1"}}}); err != nil {
				t.Error(err)
			}
		}
		waitFor(t, func() bool { return nodes[0].Changes() == 1 && away.Status().Paused })
		pass(2 * farewellTime)
		select {
		case err := <-cut.ended:
			t.Fatalf("it ends with %v while it is cut off", err)
		default:
		}
		s.heal()
		var removed *consensus.RemovedError
		if err := nodetest.Receive(t, cut.ended); !errors.As(err, &removed) || removed.Revision != 1 {
			t.Errorf("it ends with %v, want the error that it was removed", err)
		}
		waitForAll(t, learners)
		finish(t, nodes)
	})
}

// A newcomer that has ended its part for good no longer has its promises in the run, so it
// cannot rejoin.
func TestANewcomerEndsForGood(t *testing.T) {
	const founders, rounds = 4, 20
	simulate(t, 50*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
		configs, nodes, learners := s.amended(t, founders, rounds)
		newcomer := configs[founders]
		node, _ := comeIn(t, rounds, newcomer)
		node.Abort("it ended with an error; see its log")
		if err := node.Close(); err != nil {
			t.Fatal(err)
		}
		s.Place(&newcomer, founders, 1)
		var ended *EndedError
		if end := join(t, newcomer).wait(t); !errors.As(end.err, &ended) {
			t.Errorf("it joins again with %v", end.err)
		}
		waitForAll(t, learners)
		finish(t, nodes)
	})
}

// A newcomer that has lost its folder is not admitted again, since it would promise and vote a
// second time.
func TestANewcomerWithoutItsFolderIsRefused(t *testing.T) {
	testkit.SkipRaced(t) // as TestANewcomerEndsForGood
	const founders, rounds = 4, 20
	simulate(t, 50*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
		configs, nodes, learners := s.amended(t, founders, rounds)
		newcomer := configs[founders]
		node, learner := comeIn(t, rounds, newcomer)
		waitFor(t, func() bool { // it has taken part
			in := false
			_ = nodes[1].Decisions(func(d *consensus.Decision) error {
				in = in || slices.Contains(d.Members, founders)
				return nil
			})
			return in
		})
		node.Close()
		<-learner.ended
		key, err := os.ReadFile(filepath.Join(newcomer.Dir, identityFile))
		if err != nil {
			t.Fatal(err)
		}
		newcomer.Dir = t.TempDir()
		if err := os.WriteFile(filepath.Join(newcomer.Dir, identityFile), key, 0o600); err != nil {
			t.Fatal(err)
		}
		s.Place(&newcomer, founders, 1)
		var stranger *StrangerError
		if end := join(t, newcomer).wait(t); !errors.As(end.err, &stranger) || stranger.Detail != rendezvous.OtherFolder {
			t.Errorf("joins again with %v", end.err)
		}
		waitForAll(t, learners)
		finish(t, nodes)
	})
}
