package consensus

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/session"
)

// Results are kept under the digest that was voted for, and accepted from others only with that
// digest. The decision drops all others.
func TestResultsAreOfTheirDigest(t *testing.T) {
	run := [32]byte{1}
	r := newResults(naming{run, 3})
	of := func(attempt uint32, words ...uint64) (*Sealed, Value) {
		s := &Sealed{Attempt: attempt, Header: Header{Kind: Sum}, Words: words}
		return s, Value{attempt, s.digest(run, 3)}
	}
	one, first := of(0, 1)
	two, second := of(4, 2)
	r.take(two, first)
	r.take(&Sealed{Attempt: 0, Header: Header{Kind: Sum}, Words: []uint64{9}}, first)
	if r.find(first) != nil || r.find(second) != nil {
		t.Fatal("keeps a result that was not voted for")
	}
	r.take(one, first)
	r.keep(two, second.Digest)
	if r.find(first) != one || r.find(second) != two || r.find(Value{4, first.Digest}) != nil {
		t.Error("gives back other results than it was given")
	}
	if got := r.takeUnsaved(); !slices.Equal(got, []uint32{0, 4}) || r.takeUnsaved() != nil {
		t.Errorf("writes the results of %v", got)
	}
	r.keep(two, second.Digest)
	r.decide(4)
	if got := r.takeUnsaved(); r.find(first) != nil || r.find(second) != two || !slices.Equal(got, []uint32{0}) {
		t.Errorf("after the decision of attempt 4 the entries of %v change", got)
	}
	long, value := of(4, make([]uint64, session.PartWords+1)...)
	r.keep(long, value.Digest)
	r.leaveToDisk()
	if s := r.find(value); s == nil || !s.onDisk() || long.onDisk() {
		t.Error("a long result is not left to the disk, or another's words are dropped")
	}
}

// A member adopts a sealer's result if it is of the same call and view, and within the plan's
// tolerance.
func TestCompareSeals(t *testing.T) {
	plan, err := NewPlans(Settings{Protect: chunking.Chunks}).For(5)
	if err != nil {
		t.Fatal(err)
	}
	name := naming{[32]byte{1}, 3}
	of := func(values ...float64) *Sealed {
		s := &Sealed{Header: Header{Kind: Sum}, Blocks: []collabdict.Block{{Len: 2, Bound: 10}}, Members: []uint32{0, 1}}
		for _, v := range values {
			s.Words = append(s.Words, math.Float64bits(v))
		}
		return s
	}
	own := of(1, 2)
	digest := own.digest(name.run, name.slot)
	near := plan.tolerated(10) / 2
	apart, open, fault, detail := plan.compare(own, of(1, 2+near), digest, name)
	if math.Abs(apart-near) > near/1e3 || math.Abs(open-2*math.Sqrt2*near) > near/1e3 || fault+detail != "" {
		t.Errorf("%g apart, open %g, %q %q", apart, open, fault, detail)
	}
	other := of(1, 2)
	other.Members = []uint32{0, 2}
	for want, seal := range map[string]*Sealed{
		"passed on a total of 1 values":         of(1),
		"passed on a total of another call":     other,
		"passed on a total whose value 1 is":    of(1, 2+4*near),
		"passed on a total whose value 0 is to": of(math.NaN(), 2),
	} {
		if _, _, fault, _ := plan.compare(own, seal, digest, name); !strings.HasPrefix(fault, want) {
			t.Errorf("got %q, want %q", fault, want)
		}
	}
}
