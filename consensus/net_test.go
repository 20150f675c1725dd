package consensus

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/graph"
	"github.com/collabdict/collabdict/consensus/session"
)

// A network carries messages between machines one at a time: in order, or with losses,
// duplicates and reordering from a seed.
type network struct {
	t        testing.TB
	settings Settings
	signed   bool
	names    []string
	members  []*testMember
	flight   []delivery
	held     []delivery
	now      time.Duration
	rng      *rand.Rand
	loss     float64
	volatile bool
	plans    *Plans                              // plans shared in a large roster, where computing them takes long
	watch    func(s int, ev Event, e Effects)    // each step
	leaves   func(from, to int, msg Message)     // called for each message, even if it is lost
	called   func(s int, slot uint64, call Call) // each call
	cut      func(from, to int) bool             // links that carry nothing
	carries  func(from, to int, body Body) bool
	spoils   func(d *delivery) // changes a delivery
}

// A testMember is a machine with its disk.
type testMember struct {
	*Machine
	dead    bool
	disk    map[uint64]map[string][]byte
	log     []*Decision
	calls   uint64 // number of calls that its learner has made
	wants   *Amendment
	call    Call // last call that was not answered at once
	err     error
	starts  int
	written int // writes so far
	stopAt  int // number of the write before which it stops; 0 for none
}

type delivery struct {
	from, to int
	msg      Message
}

func settings(step session.Step, protect chunking.Mode) Settings {
	return Settings{Step: step, Graph: graph.HamiltonCycles, Protect: protect}
}

func newNetwork(t testing.TB, size int, s Settings) *network {
	t.Helper()
	n := &network{t: t, settings: s}
	if size > SmallRoster {
		n.plans = NewPlans(s)
	}
	for i := range size {
		n.names = append(n.names, fmt.Sprintf("m%d", i))
	}
	for i := range size {
		m, err := New(n.params(i))
		if err != nil {
			t.Fatal(err)
		}
		n.members = append(n.members, &testMember{Machine: m, disk: map[uint64]map[string][]byte{}})
	}
	return n
}

func (n *network) params(self int) Params {
	p := Params{Settings: n.settings, Self: self, Members: n.names, Run: [32]byte{9}, Plans: n.plans, Volatile: n.volatile}
	if self < len(n.members) {
		p = n.amended(p, n.members[self].log)
	}
	if n.signed {
		p.Keys = testKeys(self)
	}
	return p
}

// step gives a machine an event and carries out the effects as a driver does.
func (n *network) step(s int, ev Event) {
	m := n.members[s]
	if m.dead {
		return
	}
	e := m.Step(n.now, ev)
	if n.watch != nil {
		n.watch(s, ev, e)
	}
	if len(e.Writes)+len(e.Decisions) > 0 {
		if m.written++; m.written == m.stopAt {
			m.dead = true // before anything is on disk
			return
		}
		m.write(e)
		if m.written++; m.written == m.stopAt {
			m.dead = true // before anything has left
			return
		}
	}
	n.carryOut(s, e)
	if e.Err != nil {
		if m.err != nil {
			n.t.Fatalf("member %d has failed twice", s)
		}
		m.err = e.Err
	}
	n.callAgain(s, e.Decisions)
}

// received returns a message as an event, after checking its form.
func received(t testing.TB, from int, msg Message) Receive {
	v, err := Validate(msg, mostRanks)
	if err != nil {
		t.Fatalf("%s of m%d: %v", describeBody(msg), from, err)
	}
	return Receive{From: from, Message: v}
}

// checksView returns the error that a member finds in a view, or nil.
func (m *testMember) checksView(v *View) error {
	return m.slot.ballots.checkView(v, m.amendable(), m.least())
}

// mostRanks is above all ranks in tests, including members that join later.
const mostRanks = 1 << 9

func (n *network) receive(s, from int, msg Message) {
	n.step(s, received(n.t, from, msg))
}

// carryOut puts the messages that a machine sends in flight.
func (n *network) carryOut(s int, e Effects) {
	m := n.members[s]
	for _, send := range e.Sends {
		for to := range n.members {
			if to != s && (send.To == to || send.To == All) {
				n.put(s, to, send.Message)
			}
		}
	}
	for _, serve := range e.Serves {
		if serve.Entry != "" {
			n.put(s, serve.To, must(SealOf(serve.Slot, m.disk[serve.Slot][serve.Entry])))
			continue
		}
		if serve.Slot+1 < uint64(len(m.log)) {
			d := &Decided{Decision: m.log[serve.Slot], Next: m.log[serve.Slot+1].Certificate}
			n.put(s, serve.To, Message{Slot: serve.Slot, Body: d})
		}
	}
}

func (n *network) put(from, to int, msg Message) {
	if n.leaves != nil {
		n.leaves(from, to, msg)
	}
	n.flight = append(n.flight, delivery{from, to, msg})
}

func (m *testMember) write(e Effects) {
	for _, w := range e.Writes {
		switch {
		case w.Name == Forget:
			delete(m.disk, w.Slot)
		case w.Data == nil:
			delete(m.disk[w.Slot], w.Name)
		default:
			if m.disk[w.Slot] == nil {
				m.disk[w.Slot] = map[string][]byte{}
			}
			m.disk[w.Slot][w.Name] = w.Bytes()
		}
	}
	for _, d := range e.Decisions {
		if d.Slot != uint64(len(m.log)) {
			panic(fmt.Sprintf("slot %d decided after %d", d.Slot, len(m.log)))
		}
		m.log = append(m.log, d)
	}
}

func (n *network) kill(s int) { n.members[s].dead = true }

func (n *network) restart(s int) {
	m := n.members[s]
	m.dead, m.err, m.calls, m.stopAt = false, nil, 0, 0
	m.starts++
	saved := Saved{Slots: m.disk}
	if len(m.log) > 0 {
		saved.Last = m.log[len(m.log)-1]
	}
	var err error
	m.Machine, err = Resume(n.params(s), saved, [32]byte{77, byte(s), byte(m.starts)})
	if _, removed := as[*RemovedError](err); removed {
		m.dead = true
		return
	}
	if err != nil {
		n.t.Fatal(err)
	}
	// A process counts time from its start; in the test time continues.
	m.Step(n.now, Tick{})
	if m.wants != nil {
		n.step(s, RequestAmendment{Amendment: m.wants})
	}
}

// call makes the learner's next call, unless its answer is known.
func (n *network) call(s int, c Call) {
	m := n.members[s]
	if m.dead {
		return
	}
	m.calls++
	if m.calls <= m.answered() {
		return
	}
	m.call = c
	c.Entropy = [32]byte{1, byte(s), byte(m.calls), byte(m.starts)}
	if n.called != nil {
		n.called(s, m.Slot(), c)
	}
	n.step(s, c)
}

// settle delivers until nothing is in flight.
func (n *network) settle() {
	for len(n.flight) > 0 {
		i := 0
		if n.rng != nil {
			i = n.rng.IntN(len(n.flight))
		}
		d := n.flight[i]
		switch {
		case n.rng == nil:
			n.flight = n.flight[1:]
		case n.rng.Float64() >= 0.1: // otherwise it is delivered once more
			n.flight = append(n.flight[:i], n.flight[i+1:]...)
		}
		if n.cut != nil && n.cut(d.from, d.to) || n.carries != nil && !n.carries(d.from, d.to, d.msg.Body) {
			continue
		}
		if n.spoils != nil {
			n.spoils(&d)
		}
		if n.rng == nil || n.rng.Float64() >= n.loss {
			n.receive(d.to, d.from, d.msg)
		}
	}
}

// pass lets time pass in ticks of half a second until done.
func (n *network) pass(d time.Duration, done func() bool) {
	for end := n.now + d; n.now < end && (done == nil || !done()); {
		n.now += 500 * time.Millisecond
		for s, m := range n.members {
			n.step(s, Tick{Learner: m.next()})
		}
		n.settle()
	}
}

func (n *network) describe() string {
	var b strings.Builder
	for s, m := range n.members {
		fmt.Fprintf(&b, "m%d at %s dead=%v err=%v: %+v, waits for %v\n", s, n.now, m.dead, m.err, m.Status(), m.waiting())
	}
	return b.String()
}

// over reports whether every live member has failed or decided the given number of slots.
func (n *network) over(slots int) func() bool {
	return func() bool {
		for _, m := range n.members {
			if !m.dead && m.err == nil && m.answered() < uint64(slots) {
				return false
			}
		}
		return true
	}
}

// play lets all live members make a call and waits for its end.
func (n *network) play(call func(s int) Call) {
	slots := 0
	for s, m := range n.members {
		if !m.dead {
			n.call(s, call(s))
			slots = max(slots, int(m.calls))
		}
	}
	n.settle()
	n.pass(time.Hour, n.over(slots))
}

func sumOf(round uint32, xs [][]float64, blocks []collabdict.Block) func(s int) Call {
	return func(s int) Call { return Call{Kind: Sum, Round: round, Values: xs[s], Blocks: blocks} }
}

func gatherOf(blobs [][]byte) func(s int) Call {
	return func(s int) Call { return Call{Kind: Gather, Blob: blobs[s]} }
}

// vectors draws one vector per member within the blocks.
func vectors(rng *rand.Rand, size int, blocks []collabdict.Block) (xs [][]float64) {
	for range size {
		var x []float64
		for _, b := range blocks {
			for range b.Len {
				x = append(x, b.Bound*(2*rng.Float64()-1))
			}
		}
		xs = append(xs, x)
	}
	return xs
}

// checkDecisions asserts that all live members have decided the same slots and that no member
// has a different decision. It returns the last decision.
func (n *network) checkDecisions() *Decision {
	n.t.Helper()
	bySlot := map[uint64][32]byte{}
	slots := -1
	for s, m := range n.members {
		for _, d := range m.log {
			if other, known := bySlot[d.Slot]; known && other != d.Chain {
				n.t.Fatalf("slot %d: member %d has decided differently from another member", d.Slot, s)
			}
			bySlot[d.Slot] = d.Chain
		}
		if m.dead {
			continue
		}
		if m.err != nil {
			n.t.Fatalf("member %d: %v", s, m.err)
		}
		if slots >= 0 && slots != len(m.log) {
			n.t.Fatalf("member %d has decided %d slots, another %d\n%s", s, len(m.log), slots, n.describe())
		}
		slots = len(m.log)
	}
	for _, m := range n.members {
		if len(m.log) == slots && slots > 0 {
			return m.log[slots-1]
		}
	}
	return nil
}

// checkTotal asserts that a decision is the sum of the vectors of its members.
func checkTotal(t testing.TB, d *Decision, xs [][]float64, blocks []collabdict.Block, relative float64) {
	t.Helper()
	if digestOfValues(d.Total) != d.Digest {
		t.Fatal("the digest is not the total's")
	}
	i := 0
	for _, b := range blocks {
		for range b.Len {
			var want float64
			for _, s := range d.Members {
				want += xs[s][i]
			}
			if !(math.Abs(d.Total[i]-want) <= relative*b.Bound) {
				t.Fatalf("value %d is %.12g, want %.12g within %g of %g", i, d.Total[i], want, relative, b.Bound)
			}
			i++
		}
	}
}

// missingOf formats the missing members of a decision and the reasons.
func (n *network) missingOf(d *Decision) string {
	reasons := map[string]string{}
	for _, m := range d.Missing {
		reasons[n.names[m.Member]] = m.Reason
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(reasons)) {
		parts = append(parts, name+": "+reasons[name])
	}
	return strings.Join(parts, "; ")
}
