package node

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/network"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/testkit"
)

// Some hosts are disconnected from the others in the middle of a sum. The side with enough
// members continues when its patience ends, the other side pauses, and all end with the same
// result when the links work again.
func TestPartedHosts(t *testing.T) {
	const size, parting = 5, 2
	for _, c := range []struct {
		name   string
		sides  []int         // of the members
		length time.Duration // connections break after 30 s
		rounds int           // at most
		views  []string      // members of the sums, in order
	}{
		{"one from all others", []int{0, 0, 1, 0, 0}, 40 * time.Second, 40, []string{"01234", "0134", "01234"}},
		{"two from three", []int{0, 0, 0, 1, 1}, 20 * time.Second, 40, []string{"01234", "012", "01234"}},
		{"no side of three", []int{0, 0, 1, 1, 2}, 20 * time.Second, 4, []string{"01234"}},
	} {
		if testkit.Raced && c.length < 30*time.Second {
			continue // of all goroutines, fewer see the break
		}
		t.Run(c.name, func(t *testing.T) {
			simulate(t, 50*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
				nodes := s.start(t, s.configs(t, size)...)
				learners := learn(t, c.rounds, nodes...)
				waitFor(t, func() bool {
					st := nodes[0].Status()
					return st.Round == parting && st.State == consensus.Session.String()
				})
				s.part(c.sides...)
				pass(c.length)
				for rank, n := range nodes {
					if st := n.Status(); st.Paused != (len(c.views) == 1 || c.sides[rank] == 1) {
						t.Errorf("member %d: paused %v, absent %v", rank, st.Paused, st.Absent)
					}
					for other, m := range nodes {
						connected := n.host.Network().Connectedness(m.host.ID()) == network.Connected
						if broken := c.sides[rank] != c.sides[other] && c.length > 30*time.Second; rank != other && connected == broken {
							t.Errorf("member %d is connected with %d: %v", rank, other, connected)
						}
					}
				}
				s.heal()
				waitForAll(t, learners)
				checkViews(t, nodes, c.views)
				finish(t, nodes)
			})
		})
	}
}

// update is the virtual time of a local update.
const update = 4 * time.Second

// learner runs a script at a node.
type learner struct {
	script
	ended chan error
}

// learn runs scripts at nodes, for ten minutes at most.
func learn(t *testing.T, rounds int, nodes ...*Node) []*learner {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	t.Cleanup(cancel)
	all := make([]*learner, len(nodes))
	for i, n := range nodes {
		l := &learner{script{rounds: rounds, update: func() { pass(update) }, whole: true}, make(chan error, 1)}
		go func() { l.ended <- l.run(ctx, n, nil) }()
		all[i] = l
	}
	return all
}

// waitForAll waits until the learners have ended. They hold the same totals then.
func waitForAll(t *testing.T, learners []*learner) {
	t.Helper()
	for i, l := range learners {
		if err := <-l.ended; err != nil {
			t.Errorf("member %d: %v", i, err)
		}
		if !slices.Equal(l.totals, learners[0].totals) {
			t.Errorf("member %d holds the totals %v, member 0 %v", i, l.totals, learners[0].totals)
		}
	}
}

// checkViews asserts that all nodes have made the same decisions, with the given views in
// order, that each total is that of its members, and that the record has the reasons for
// missing members. Members that were disconnected may come back one by one.
func checkViews(t *testing.T, nodes []*Node, want []string) {
	t.Helper()
	least := len(slices.MinFunc(want, func(a, b string) int { return len(a) - len(b) }))
	for rank, n := range nodes {
		if !slices.Equal(digests(t, n), digests(t, nodes[0])) {
			t.Errorf("member %d has decided differently", rank)
		}
		var views []string
		if err := n.Decisions(func(d *consensus.Decision) error {
			view, total := "", 0.0
			for _, m := range d.Members {
				view += fmt.Sprint(m)
				total += float64((m + 1) * d.Round)
			}
			if d.Kind == consensus.Sum && d.Total[0] != total {
				t.Errorf("member %d, slot %d, members %s: total %v, want %v", rank, d.Slot, view, d.Total[0], total)
			}
			for _, m := range d.Missing {
				if !slices.ContainsFunc(reasons, func(r string) bool { return strings.HasPrefix(m.Reason, r) }) {
					t.Errorf("member %d, slot %d: member %d is missing since %q", rank, d.Slot, m.Member, m.Reason)
				}
			}
			returning := len(view) > least && len(view) < len(nodes)
			if !returning && (len(views) == 0 || views[len(views)-1] != view) {
				views = append(views, view)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
		if !slices.Equal(views, want) {
			t.Errorf("member %d: views %q, want %q", rank, views, want)
		}
	}
}

// reasons holds the reasons why a disconnected member is not in a view, in the order in which
// they can occur.
var reasons = []string{"nothing heard for", "did not answer in time", "catching up", "comes in with the next round"}
