package netsim

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/testkit"
)

// One link is broken between two members that all others hear. Neither of the two can exclude
// the other. After the first session that stalls, the others continue without one of them, and
// do not invite it while the link is broken. All others count in each sum.
func TestOneBrokenLink(t *testing.T) {
	const size, rounds = 7, 6
	for name, s := range map[string]consensus.Settings{
		"exact":     {Scheme: consensus.Exact, Protect: chunking.Chunks},
		"laplacian": {Protect: chunking.Chunks},
	} {
		t.Run(name, func(t *testing.T) {
			longest := time.Duration(0)
			for a := range uint32(size) {
				if testkit.Raced && a > 0 {
					break // all links have the same goroutines
				}
				for b := a + 1; b < size; b++ {
					for i, from := range []uint32{0, 3} {
						if !testkit.Long && i != int(a+b)%2 {
							continue
						}
						c := config(size)
						c.Settings = s
						c.Faults = []Fault{Partition{Sides: [][]int{{int(a)}, {int(b)}}, When: When{Round: from}}}
						report, err := run(t.Context(), c, newCounts(size).part(rounds))
						if err != nil {
							t.Fatalf("%d and %d from round %d: %v", a, b, from, err)
						}
						all := report.Members[0].Decisions
						for _, d := range all {
							if out := d.Missing; len(out) > 1 || len(out) == 1 && out[0].Member != b {
								t.Errorf("%d and %d from round %d: slot %d is without %v", a, b, from, d.Slot, out)
							}
						}
						longest = max(longest, all[len(all)-1].Cost.Ended)
					}
				}
			}
			if longest > 30*time.Second {
				t.Errorf("%d rounds took up to %s", rounds, longest)
			}
			t.Logf("%d rounds took up to %s", rounds, longest)
		})
	}
}

// Links that are broken for a while or for good, some in one direction, end no run, even with
// all other faults.
func TestSomeBrokenLinks(t *testing.T) {
	for _, seed := range seeds(t, testkit.LongOr(60, 25)) {
		r := rand.New(rand.NewPCG(seed, 7))
		c := anything(seed)
		for range 1 + r.IntN(2) {
			p := r.Perm(len(c.Names))
			w := When{At: time.Duration(r.IntN(20000)) * time.Millisecond}
			if r.IntN(2) == 0 {
				w.For = time.Duration(1+r.IntN(60000)) * time.Millisecond
			}
			c.Faults = append(c.Faults, Partition{Sides: [][]int{p[:1], p[1:2]}, OneWay: r.IntN(3) == 0, When: w})
		}
		simulate(t, c, 6)
	}
}
