package node

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/node/internal/nodetest"
)

// keepsWaiting asserts that a Join has not ended.
func (j *joining) keepsWaiting(t *testing.T, who string) {
	t.Helper()
	select {
	case end := <-j.ended:
		t.Fatalf("%s has ended with %v, want it to keep waiting", who, end.err)
	default:
	}
}

// A member whose value differs from the others' ends with an error that names the field. The
// others wait for it, and the run begins when it is restarted with their value.
func TestAMemberWithAnotherValueEndsAndComesBack(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, configs []Config){
		"list":   func(t *testing.T, configs []Config) { list(t, configs) },
		"expect": func(*testing.T, []Config) {},
	} {
		t.Run(name, func(t *testing.T) {
			simulate(t, 50*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
				configs := s.configs(t, 4)
				prepare(t, configs)
				right := configs[1].Agreement
				configs[1].Agreement = Agreement{right[0], {Name: "rho", Value: "2"}}
				var all []*joining
				var peers []string
				for _, c := range configs {
					c.Peers = peers
					all = append(all, join(t, c))
					peers = append(peers, nodetest.Receive(t, all[len(all)-1].addrs)...)
				}
				end := all[1].wait(t)
				var differs *DisagreementError
				if !errors.As(end.err, &differs) || differs.Field != "rho" || differs.Own != `"2"` || differs.Theirs != `"0.1"` {
					t.Fatalf("the member with another value ends with %v, want an error that names rho", end.err)
				}
				pass(10 * time.Second)
				for _, i := range []int{0, 2, 3} {
					all[i].keepsWaiting(t, configs[i].Name)
				}
				again := configs[1]
				again.Agreement, again.Peers = right, peers[:1]
				s.Place(&again, 1, 1)
				all[1] = join(t, again)
				begins(t, all)
			})
		})
	}
}

// begins asserts that a run of all given members begins, computes and ends.
func begins(t *testing.T, all []*joining) {
	t.Helper()
	nodes := make([]*Node, len(all))
	for i, j := range all {
		end := j.wait(t)
		if end.err != nil {
			t.Fatalf("member %d ends with %v", i, end.err)
		}
		nodes[i] = end.node
	}
	for _, err := range each(t, nodes, sum) {
		if err != nil {
			t.Error(err)
		}
	}
	finish(t, nodes)
}

// If five processes join a run of four, one receives an error that there are too many, whenever
// it comes, and the four run.
func TestOneProcessTooManyIsRefused(t *testing.T) {
	for name, pause := range map[string]time.Duration{"late": 10 * time.Second, "soon": 100 * time.Millisecond, "at once": 0} {
		t.Run(name, func(t *testing.T) {
			simulate(t, 50*time.Millisecond, 20*megabit, func(t *testing.T, s *simulation) {
				configs := s.configs(t, 5)
				var all []*joining
				var peers []string
				for i, c := range configs {
					c.Expect, c.Peers = 4, peers
					if i == 4 {
						pass(pause)
					}
					all = append(all, join(t, c))
					peers = append(peers, nodetest.Receive(t, all[i].addrs)...)
				}
				var left []*joining
				surplus := 0
				ends := make(chan joined, 1)
				for i, j := range all {
					end := j.wait(t)
					var extra *StrangerError
					switch {
					case end.err == nil:
						ends <- end
						left = append(left, &joining{ended: ends})
						ends = make(chan joined, 1)
					case errors.As(end.err, &extra) && strings.Contains(extra.Error(), "the 4 members of its run have signed the roster without it"):
						surplus++
						if pause == 10*time.Second && i != 4 {
							t.Errorf("process %d is one too many, want the last", i)
						}
					default:
						t.Fatalf("process %d ends with %v", i, end.err)
					}
				}
				if surplus != 1 || len(left) != 4 {
					t.Fatalf("%d begin and %d get the error that there are too many, want 4 and 1", len(left), surplus)
				}
				begins(t, left)
			})
		})
	}
}
