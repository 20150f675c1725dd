package consensus

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/session"
)

// longBlocks are the blocks of vectors that travel in parts.
var longBlocks = []collabdict.Block{{Len: session.PartWords, Bound: 1}, {Len: 5000, Bound: 8}}

// After the decision a long sealed result is only on disk. A member that lacks the result gets
// it from there.
func TestLongResultsAreSentFromTheDisk(t *testing.T) {
	const size, late = 4, 3
	n := newNetwork(t, size, Settings{Scheme: Exact, Protect: chunking.Chunks})
	xs := vectors(rand.New(rand.NewPCG(1, 1)), size, longBlocks)
	n.carries = func(_, to int, body Body) bool {
		step, is := body.(*Step)
		return !is || to != late || int(step.Round) < n.members[late].Status().Steps-1 // nobody waits for this frame
	}
	served := 0
	n.watch = func(_ int, _ Event, e Effects) {
		for _, v := range e.Serves {
			if v.Entry != "" {
				served++
			}
		}
	}
	n.play(sumOf(1, xs, longBlocks))
	checkTotal(t, n.checkDecisions(), xs, longBlocks, 1e-6)
	if served == 0 {
		t.Error("nothing was sent from the disk")
	}
	for s, m := range n.members {
		for _, sealed := range m.last.results.sealed {
			if !sealed.onDisk() {
				t.Errorf("member %d holds the words of a decided result", s)
			}
		}
	}
	n.carries = nil
	n.play(sumOf(2, xs, longBlocks)) // the entries of the first slot are needed until then
	checkTotal(t, n.checkDecisions(), xs, longBlocks, 1e-6)
}

// Results that are only in memory are held until nobody needs them.
func TestLongResultsInMemory(t *testing.T) {
	n := newNetwork(t, 3, Settings{Scheme: Exact, Protect: chunking.Chunks})
	n.volatile = true
	for s := range n.members {
		n.members[s].Machine = must(New(n.params(s)))
	}
	xs := vectors(rand.New(rand.NewPCG(1, 1)), 3, longBlocks)
	n.play(sumOf(1, xs, longBlocks))
	n.checkDecisions()
	for s, m := range n.members {
		for _, sealed := range m.last.results.sealed {
			if sealed.onDisk() {
				t.Errorf("member %d has dropped words that are on no disk", s)
			}
		}
	}
}

// A caller that does not wait for the end of its sum may modify its vector.
func TestACallThatIsKept(t *testing.T) {
	n := newNetwork(t, 3, Settings{Scheme: Exact, Protect: chunking.Chunks})
	xs := vectors(rand.New(rand.NewPCG(1, 1)), 3, testBlocks)
	lent := slices.Clone(xs[1])
	n.call(1, Call{Kind: Sum, Round: 1, Values: lent, Blocks: testBlocks})
	n.members[1].KeepCall()
	n.members[2].KeepCall() // no effect before the call
	clear(lent)
	for _, s := range []int{0, 2} {
		n.call(s, sumOf(1, xs, testBlocks)(s))
	}
	n.pass(time.Minute, n.over(1))
	checkTotal(t, n.checkDecisions(), xs, testBlocks, 1e-6)
}

func TestWritesInPieces(t *testing.T) {
	words := []uint64{0x0807060504030201, 0x100f0e0d0c0b0a09}
	w := Write{Data: []byte{20, 21, 22}, Vector: Vector{Words: words}}
	whole := w.Bytes()
	want := []byte{20, 21, 22, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	if !bytes.Equal(whole, want) || w.Size() != len(want) {
		t.Fatalf("%d bytes, %v, want %v", w.Size(), whole, want)
	}
	for from := range len(want) {
		for to := from; to <= len(want); to++ {
			if got := w.Append([]byte{7}, from, to); !bytes.Equal(got[1:], want[from:to]) {
				t.Errorf("from %d to %d: %v", from, to, got[1:])
			}
		}
	}
	if w = (Write{Vector: Vector{Values: []float64{1}}}); w.Bytes() != nil {
		t.Error("a write that deletes has bytes")
	}
	if w.Data = []byte{}; !bytes.Equal(w.Bytes(), []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f}) {
		t.Errorf("1 is written as %v", w.Bytes())
	}
}

// Early frames hold no more words than the frames of the session.
func TestEarlyFramesAreNoLongerThanASessionHas(t *testing.T) {
	for _, s := range []Settings{{Scheme: Exact, Protect: chunking.Chunks}, {Scheme: Laplacian, Protect: chunking.Chunks}} {
		n := newNetwork(t, 4, s)
		n.call(0, sumOf(1, vectors(rand.New(rand.NewPCG(1, 1)), 4, longBlocks), longBlocks)(0))
		a := n.members[0].slot.attempts[0]
		vector := a.layout.Words()
		most := 4*vector + 20*session.PartWords
		if s.Scheme == Laplacian {
			most = 2 * (n.members[0].Plan().Rounds() + 4) * vector
		}
		words := make([]uint64, 8*vector)
		for part := range uint32(100) {
			for _, length := range []int{len(words), vector + 1, vector, session.PartWords} {
				n.receive(0, 1, Message{Body: &Step{Part: part, Words: words[:length]}})
			}
		}
		held := 0
		for _, f := range a.early {
			held += len(f.step.Words)
		}
		if held == 0 || held > most {
			t.Errorf("%s: holds %d words of frames, want at most %d", s.Scheme, held, most)
		}
	}
}

func TestEarlyFramesOfPadsAreParts(t *testing.T) {
	n := newNetwork(t, SmallRoster+2, Settings{Scheme: Exact, Protect: chunking.Chunks})
	m := n.members[0]
	m.commit(&Certificate{}, &Effects{})
	for held, words := range []int{session.PartWords + 1, session.PartWords} {
		b := &Step{Lane: uint32(m.p.lanes()), Words: make([]uint64, words)}
		m.receiveOpening(1, Message{Body: b}, &Effects{})
		if got := len(m.slot.opener.(*openSum).early); got != held {
			t.Errorf("holds %d frames after one of %d words, want %d", got, words, held)
		}
	}
	for size := n.members[0].roster.Shares; size <= SmallRoster+2; size++ {
		p, err := NewPlans(n.settings).For(size)
		if err != nil {
			t.Fatal(err)
		}
		if plan, is := p.unmasking(session.PartWords + 2).(*session.Circulant); !is {
			t.Errorf("%d members send whole vectors: %v", size, plan)
		}
	}
}
