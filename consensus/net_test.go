package consensus

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/graph"
)

// network drives machines with a queue of messages in flight. Its rng, if any,
// reorders, loses and doubles them.
type network struct {
	t        testing.TB
	machines []*Machine
	flight   []delivery
	outcomes []*Outcome
	now      time.Duration
	dead     map[int]bool
	rng      *rand.Rand
	loss     float64
	trace    func(string)
}

type delivery struct {
	from, to int
	msg      Message
}

func settings(step StepRule, protect chunking.Mode) Settings {
	return Settings{Step: step, Graph: graph.HamiltonCycles, Protect: protect}
}

func newNetwork(t testing.TB, size int, s Settings) *network {
	t.Helper()
	n := &network{t: t, outcomes: make([]*Outcome, size), dead: map[int]bool{}}
	names := make([]string, size)
	for i := range names {
		names[i] = fmt.Sprintf("m%d", i)
	}
	for i := range names {
		m, err := New(Params{Settings: s, Self: i, Members: names, Run: [32]byte{9}})
		if err != nil {
			t.Fatal(err)
		}
		n.machines = append(n.machines, m)
	}
	return n
}

func (n *network) step(s int, ev Event) {
	if n.dead[s] {
		return
	}
	e := n.machines[s].Step(n.now, ev)
	if n.trace != nil {
		n.trace(describe(s, ev, e, n.machines[s].state))
	}
	for _, send := range e.Sends {
		for to := range n.machines {
			if to != s && (send.To == to || send.To == All) {
				n.flight = append(n.flight, delivery{s, to, send.Message})
			}
		}
	}
	if e.Outcome != nil {
		if n.outcomes[s] != nil {
			n.t.Fatalf("member %d has two outcomes", s)
		}
		n.outcomes[s] = e.Outcome
	}
}

// settle delivers until nothing is in flight.
func (n *network) settle() {
	for len(n.flight) > 0 {
		i := 0
		if n.rng != nil {
			i = n.rng.IntN(len(n.flight))
		}
		d := n.flight[i]
		if n.rng == nil || n.rng.Float64() >= 0.1 { // else it comes once more
			n.flight = append(n.flight[:i], n.flight[i+1:]...)
		}
		if n.rng == nil || n.rng.Float64() >= n.loss {
			n.step(d.to, Receive{From: d.from, Message: d.msg})
		}
	}
}

// pass lets time pass in ticks of half a second.
func (n *network) pass(d time.Duration) {
	for end := n.now + d; n.now < end && !n.over(); {
		n.now += 500 * time.Millisecond
		for s := range n.machines {
			n.step(s, Tick{})
		}
		n.settle()
	}
}

// describe tells where the machines stand.
func (n *network) describe() string {
	var b strings.Builder
	for s, m := range n.machines {
		fmt.Fprintf(&b, "m%d at %s: %+v, waits for %v\n", s, n.now, m.Status(), m.waiting())
	}
	return b.String()
}

func (n *network) over() bool {
	for s, o := range n.outcomes {
		if o == nil && !n.dead[s] {
			return false
		}
	}
	return true
}

// sum runs one Sum slot and returns the outcomes.
func (n *network) sum(xs [][]float64, blocks []collabdict.Block) []*Outcome {
	clear(n.outcomes)
	for s, x := range xs {
		n.step(s, Call{Kind: Sum, Round: 1, Values: x, Blocks: blocks, Entropy: [32]byte{1, byte(s)}})
	}
	n.settle()
	n.pass(time.Hour)
	if !n.over() {
		n.t.Log(n.describe())
	}
	return n.outcomes
}

func (n *network) gather(blobs [][]byte) []*Outcome {
	clear(n.outcomes)
	for s, b := range blobs {
		n.step(s, Call{Kind: Gather, Blob: b})
	}
	n.settle()
	n.pass(time.Hour)
	return n.outcomes
}

// vectors draws one vector a member within the blocks, and their sum.
func vectors(rng *rand.Rand, size int, blocks []collabdict.Block) (xs [][]float64, sum []float64) {
	for range size {
		var x []float64
		for _, b := range blocks {
			for range b.Len {
				x = append(x, b.Bound*(2*rng.Float64()-1))
			}
		}
		xs = append(xs, x)
		if sum == nil {
			sum = make([]float64, len(x))
		}
		for i, v := range x {
			sum[i] += v
		}
	}
	return xs, sum
}

// checkSum asserts that every member has the same total, and the right one.
func checkSum(t testing.TB, out []*Outcome, want []float64, blocks []collabdict.Block, relative float64) {
	t.Helper()
	for s, o := range out {
		if o == nil || o.Err != nil {
			t.Fatalf("member %d: outcome %+v", s, o)
		}
		if o.Digest != out[0].Digest || digestOfValues(o.Total) != o.Digest {
			t.Fatalf("member %d adopted another total than member 0", s)
		}
		i := 0
		for _, b := range blocks {
			for range b.Len {
				if !(math.Abs(o.Total[i]-want[i]) <= relative*b.Bound) {
					t.Fatalf("member %d: value %d is %.12g, want %.12g within %g of %g", s, i, o.Total[i], want[i], relative, b.Bound)
				}
				i++
			}
		}
	}
}
