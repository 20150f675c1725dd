package consensus

import (
	"fmt"
	"math"
	"regexp"
	"testing"
	"time"

	"github.com/collabdict/collabdict/chunking"
)

// A spoilt is a wrong message from member 0 to member 1, the first of its kind, that member 1
// accepts as right.
type spoilt struct {
	name     string
	settings Settings
	spoil    func(body Body) Body // returns other bodies unchanged
	ends     [4]string            // error of each member, "" if it decides
}

// first returns a function that changes bodies of one kind.
func first[B any](change func(b *B)) func(Body) Body {
	return func(body Body) Body {
		b, is := any(body).(*B)
		if !is {
			return body
		}
		c := *b
		change(&c)
		return any(&c).(Body)
	}
}

// anyDigest matches the shown part of a digest that was voted for.
var anyDigest = regexp.MustCompile("for [0-9a-f]{8}")

// play delivers the wrong message and all honest ones, and checks how the run ends.
func (c spoilt) play(t *testing.T) {
	t.Helper()
	n := signed(t, newNetwork(t, 4, c.settings))
	xs := powers(4)
	came := false
	n.spoils = func(d *delivery) {
		if d.from == 0 && d.to == 1 && !came {
			b := c.spoil(d.msg.Body)
			came = b != d.msg.Body
			d.msg.Body = b
		}
	}
	n.callAll(sumOf(1, xs, oneBlock))
	n.settle()
	n.pass(2*time.Minute, n.over(1))
	if !came {
		t.Fatalf("%s: the message has not come", c.name)
	}
	for s, m := range n.members {
		got := ""
		if m.err != nil {
			got = anyDigest.ReplaceAllString(m.err.Error(), "for DIGEST")
		}
		if got != c.ends[s] || len(m.log) > 0 != (got == "") {
			t.Errorf("%s, %s: member %d has decided %d slots and ends with %q, want %q", c.settings.Scheme, c.name, s, len(m.log), got, c.ends[s])
		}
		for _, d := range m.log {
			checkTotal(t, d, xs, oneBlock, 1e-6)
		}
	}
}

// Some wrong messages look right when they come. Whatever they cause, no wrong total is
// decided. The run continues, or ends with an error that names the member with a different
// result or describes the fault of the total.
func TestSpoiltRuns(t *testing.T) {
	all := func(err string) [4]string { return [4]string{err, err, err, err} }
	one := func(err string) [4]string { return [4]string{1: err} }
	const (
		noZero   = "the check of the total is not zero: members have expanded a mask differently; run the same version everywhere"
		tooLarge = "value 0 of the total is larger than the sum of all bounds: members have expanded a mask differently; run the same version everywhere"
		other    = "m0 passed on a total of another call, view or set of pads than this member's" + sameVersion
	)
	far := func(by string) [4]string {
		return one("m0 passed on a total whose value 0 is too far from this member's own: they differ by " + by + ", want at most 4.08e-05" + sameVersion)
	}
	voted := func(s int) string {
		return fmt.Sprintf("m%d voted for DIGEST, this member for DIGEST%s", s, sameVersion)
	}
	noChunk := first(func(b *Seeds) { b.Chunk = nil })
	otherChunk := first(func(b *Seeds) { b.Chunk = make([]byte, 32) })
	otherPad := first(func(b *Seeds) { b.Commit[0]++ })
	otherShare := first(func(b *Seeds) { b.Share = &chunking.Share{X: 1, Y: [32]byte{1}} })
	wrongPads := first(func(b *Pads) { b.Pads = []Pad{{0, [32]byte{1}}, {1, [32]byte{2}}, {2, [32]byte{3}}} })
	noPads := first(func(b *Pads) { b.Pads = nil })
	otherFrame := first(func(b *Step) { b.Words = append([]uint64{b.Words[0] + 1<<40}, b.Words[1:]...) })
	for _, c := range []spoilt{
		{"another chunk than was taken off", exact, otherChunk, all(noZero)},
		{"another chunk than was taken off", floating, otherChunk, all(tooLarge)},
		{"no chunk", exact, noChunk, all(noZero)},
		{"no chunk", floating, noChunk, all(tooLarge)},
		{"commitment to another pad", exact, otherPad, [4]string{
			voted(1), voted(2), voted(1), voted(1),
		}},
		{"commitment to another pad", floating, otherPad, one(other)},
		{"a frame with another number", exact, otherFrame, [4]string{
			voted(1), voted(3), voted(3), voted(1),
		}},
		{"a frame with another number", floating, otherFrame, far("1.05e+06")},
		{"a frame of the largest number", floating, first(func(b *Step) { b.Words = []uint64{math.Float64bits(math.MaxFloat64)} }), far("1.8e+308")},
		{"other pads", exact, wrongPads, all("")},
		{"other pads", floating, wrongPads, all("")},
		{"no pad", exact, noPads, all("")},
		{"a share of another pad", exact, otherShare, all("")},
		{"a share of another pad", floating, otherShare, all("")},
	} {
		c.play(t)
	}
}

// early gives member 1, which does not know the decision yet, messages that open it, and
// asserts that it neither opens nor sends anything.
func early(t *testing.T, n *network, from int, bodies ...Body) {
	t.Helper()
	for _, b := range bodies {
		n.receive(1, from, Message{Body: b})
	}
	m := n.members[1]
	if len(n.flight) > 0 || len(m.log) > 0 || m.State() != Voted || m.err != nil {
		t.Fatalf("opens without a certificate: sends %d, %s\n%s", len(n.flight), m.State(), n.describe())
	}
	if kept := len(m.slot.hints[from]); kept > 2 {
		t.Errorf("keeps %d messages of member %d", kept, from)
	}
}

// A pad without a certificate opens nothing, and nobody sends another pad for it. A pad that
// does not match its commitment is dropped when the certificate comes, and the right one is
// accepted then.
func TestPadsWithoutACertificate(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		n := at(t, s, "voted")
		xs := powers(4)
		var right []Pad
		for owner, m := range n.members {
			right = append(right, Pad{uint32(owner), m.slot.attempts[0].secrets.pad})
		}
		wrong := []Pad{{0, [32]byte{1}}, {2, [32]byte{2}}, {3, [32]byte{3}}, {99, [32]byte{}}}
		early(t, n, 0, &Pads{right}, &Pads{wrong}, &Pads{wrong}, &Pads{wrong})
		early(t, n, 2, &Pads{right[2:3]}, &Shares{[]PadShare{{0, chunking.Share{X: 7}}, {1, chunking.Share{X: 1}}}}, &Pads{nil})
		v := n.members[1].slot.ballots.vote.Value
		n.receive(1, 0, Message{Body: &Commit{n.certificate(0, 0, v, [32]byte{}, 0, 2, 3)}})
		if st := n.status(1); st.State != Opening || len(n.members[1].log) > 0 {
			t.Fatalf("after the certificate: %s", st.State)
		}
		n.receive(1, 2, Message{Body: &Pads{right}})
		if len(n.members[1].log) != 1 {
			t.Fatalf("after the pads: %s", n.describe())
		}
		checkTotal(t, n.members[1].log[0], xs, oneBlock, 1e-6)
	})
}

// With a wrong share a lost member's pad cannot be rebuilt. The slot waits for the member,
// whose own pad opens it.
func TestAWrongShareOpensNothing(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		n := at(t, s, "opening")
		pad := n.members[0].slot.attempts[0].secrets.pad
		for owner := uint32(2); owner <= 3; owner++ {
			n.receive(1, int(owner), Message{Body: &Pads{[]Pad{{owner, n.members[owner].slot.attempts[0].secrets.pad}}}})
		}
		for x := byte(5); x < 9; x++ { // two shares give a pad, more contradict each other
			n.receive(1, 3, Message{Body: &Shares{[]PadShare{{0, chunking.Share{X: x, Y: [32]byte{x}}}, {0, chunking.Share{X: x}}}}})
		}
		if st := n.status(1); fmt.Sprint(st.Waiting) != "[0]" || st.State != Opening || len(n.members[1].log) > 0 {
			t.Fatalf("%s, waits for %v, %d slots decided", st.State, st.Waiting, len(n.members[1].log))
		}
		n.receive(1, 3, Message{Body: &Pads{[]Pad{{0, pad}}}})
		if len(n.members[1].log) != 1 {
			t.Fatal(n.describe())
		}
		checkTotal(t, n.members[1].log[0], powers(4), oneBlock, 1e-6)
	})
}
