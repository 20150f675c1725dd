package node

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/collabdict/collabdict/consensus"
)

// listed gives configurations the list of the first of them as members.
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
		configs[i].Members, configs[i].Expect = all[:founders], 0
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

// Of a run under way one member is removed, and a newcomer joins, which learns all
// that was decided before. Those that are left come to the same end.
func TestTheRosterChanges(t *testing.T) {
	t.Parallel()
	const founders, rounds = 4, 30
	configs := testConfigs(t, founders+1)
	all := listed(t, configs, founders)
	changes := []Change{{Add: all[founders:], Remove: []string{"m1"}}}
	joins := joinAll(t, configs[:founders]...)
	nodes := make([]*Node, founders)
	for _, j := range joins {
		end := j.wait(t)
		if end.err != nil {
			t.Fatal(end.err)
		}
		nodes[end.node.Self()] = end.node
	}
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	in := make(chan struct{}) // the newcomer has come
	scripts := make([]script, founders+1)
	errs := make([]error, founders+1)
	var running sync.WaitGroup
	for s, n := range nodes {
		scripts[s].rounds = rounds
		running.Go(func() {
			errs[s] = scripts[s].run(ctx, n, func(round int) {
				switch {
				case round == 5 && s != 3: // m3 follows the others
					if err := n.Change(changes); err != nil {
						t.Error(err)
					}
				case round == 12 && s != 1:
					<-in
				}
			})
		})
	}
	newcomer := configs[founders]
	newcomer.Changes, newcomer.Members = changes, reached(nodes)
	end := join(t, newcomer).wait(t)
	if end.err != nil {
		t.Fatal(end.err)
	}
	close(in)
	scripts[founders].rounds = rounds
	if err := scripts[founders].run(ctx, end.node, nil); err != nil {
		t.Fatal(err)
	}
	running.Wait()
	var removed *consensus.RemovedError
	if !errors.As(errs[1], &removed) {
		t.Errorf("the member that was removed ends with %v", errs[1])
	}
	nodes = append(nodes, end.node)
	left := []*Node{nodes[0], nodes[2], nodes[3], nodes[4]}
	for _, s := range []int{0, 2, 3, 4} {
		if errs[s] != nil {
			t.Errorf("member %d: %v", s, errs[s])
		}
		if !slices.Equal(digests(t, nodes[s]), digests(t, nodes[0])) {
			t.Errorf("member %d has decided otherwise", s)
		}
		if !slices.Equal(scripts[s].totals, scripts[0].totals) {
			t.Errorf("member %d holds %v, another %v", s, scripts[s].totals, scripts[0].totals)
		}
	}
	if st := nodes[0].Status(); st.Want != founders || slices.Contains(st.Members, "m1") || !slices.Contains(st.Members, "m4") {
		t.Errorf("the last view is %v of %d", st.Members, st.Want)
	}
	finish(t, left)
}

// A newcomer, and a member, that are ended without a word after the change and
// started again go on with the roster as it is.
func TestWhoComesBackKnowsTheRoster(t *testing.T) {
	t.Parallel()
	const founders, rounds = 4, 40
	configs := testConfigs(t, founders+1)
	all := listed(t, configs, founders)
	changes := []Change{{Add: all[founders:]}}
	for i := range configs {
		configs[i].Changes = changes
	}
	nodes := startAll(t, configs[:founders]...)
	newcomer := configs[founders]
	newcomer.Members = reached(nodes)
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	in, gone, back := make(chan struct{}), make(chan struct{}), make(chan struct{})
	scripts := make([]script, founders)
	errs := make([]error, founders)
	var running, ended sync.WaitGroup
	ended.Add(2)
	leaves := func(n *Node) func(round int) {
		return func(round int) {
			if round == 10 {
				n.Close()
				ended.Done()
			}
		}
	}
	for s, n := range nodes {
		scripts[s].rounds = rounds
		running.Go(func() {
			onRound := leaves(n)
			if s != 0 {
				onRound = func(round int) {
					switch round {
					case 10:
						<-gone
					case 20:
						<-back
					}
				}
			}
			errs[s] = scripts[s].run(ctx, n, func(round int) {
				if n.Status().Want > founders {
					<-in
				}
				onRound(round)
			})
		})
	}
	end := join(t, newcomer).wait(t)
	if end.err != nil {
		t.Fatal(end.err)
	}
	close(in)
	first := script{rounds: rounds}
	if err := first.run(ctx, end.node, leaves(end.node)); !errors.Is(err, ErrClosed) {
		t.Fatalf("the newcomer got %v", err)
	}
	ended.Wait()
	close(gone)
	var again []*Node
	for _, c := range []Config{configs[0], newcomer} {
		end := join(t, c).wait(t)
		if end.err != nil {
			t.Fatal(end.err)
		}
		again = append(again, end.node)
	}
	close(back)
	totals := make([]script, len(again))
	for i, n := range again {
		totals[i].rounds = rounds
		running.Go(func() {
			if err := totals[i].run(ctx, n, nil); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	nodes[0] = again[0]
	for s, n := range append(nodes, again[1]) {
		if s > 0 && s < founders && errs[s] != nil {
			t.Errorf("member %d: %v", s, errs[s])
		}
		if !slices.Equal(digests(t, n), digests(t, nodes[1])) {
			t.Errorf("member %d has decided otherwise", s)
		}
	}
	for _, l := range totals {
		if !slices.Equal(l.totals, scripts[1].totals) {
			t.Errorf("who came back holds %v, another %v", l.totals, scripts[1].totals)
		}
	}
	if st := nodes[1].Status(); st.Want != founders+1 {
		t.Errorf("%d members", st.Want)
	}
	finish(t, append(nodes, again[1]))
}
