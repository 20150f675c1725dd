package netsim

import (
	"slices"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/numeric/parallel"
)

// repeated implements [consensus.Repeated] for the members of a simulation. It recognises values by
// shared memory, since messages are never modified.
type repeated struct {
	*added
	sealed []sealed
	chains []chain
}

// keptValues is the largest number of recent values of each kind.
const keptValues = 4

// added are the sums of vectors that members of a session have added up, for as many pairs as there are
// members. All members have the same sum in the end, and most of it earlier, so that they hold few
// vectors together. Since the keys hold the vectors, no other can come to the same memory.
type added struct {
	members int
	memo    parallel.Memo[[2]*uint64, []uint64]
}

func (s *added) Sum(a, b []uint64, add func() []uint64) []uint64 {
	if slices.Compare(b, a) < 0 {
		a, b = b, a
	}
	return s.memo.Of([2]*uint64{&a[0], &b[0]}, s.members, add)
}

// A sealed is a sealed result and its digest.
type sealed struct {
	run    [32]byte
	slot   uint64
	result *consensus.Sealed
	digest [32]byte
}

func (r *repeated) Sealed(run [32]byte, slot uint64, s *consensus.Sealed, digest func() [32]byte) (*consensus.Sealed, [32]byte) {
	for _, x := range r.sealed {
		if x.slot == slot && x.run == run && sameResult(x.result, s) {
			return x.result, x.digest
		}
	}
	x := sealed{run, slot, s, digest()}
	r.sealed = slices.DeleteFunc(r.sealed, func(old sealed) bool {
		return old.slot+1 < slot // nobody else needs these vectors
	})
	r.sealed = append(r.sealed[max(0, len(r.sealed)+1-keptValues):], x)
	return s, x.digest
}

// sameResult reports whether two results are known to be equal.
func sameResult(s, t *consensus.Sealed) bool {
	return s.Attempt == t.Attempt && s.Header == t.Header && s.Blobs == nil && t.Blobs == nil &&
		shares(s.Members, t.Members) && shares(s.Missing, t.Missing) &&
		slices.Equal(s.Words, t.Words) && slices.Equal(s.Blocks, t.Blocks) && slices.Equal(s.Commits, t.Commits)
}

// A chain is the hash over decisions up to d, after the hash before.
type chain struct {
	before, run [32]byte
	d           *consensus.Decision
	hash        [32]byte
}

func (r *repeated) Chain(before, run [32]byte, d *consensus.Decision, compute func() [32]byte) [32]byte {
	for _, x := range r.chains {
		if x.before == before && x.run == run && sameDecision(x.d, d) {
			return x.hash
		}
	}
	kept := *d
	kept.Total, kept.Blobs = nil, nil // long, and not compared
	x := chain{before, run, &kept, compute()}
	r.chains = append(r.chains[max(0, len(r.chains)+1-keptValues):], x)
	return x.hash
}

// sameDecision reports whether two decisions are known to have the same hash.
func sameDecision(c, d *consensus.Decision) bool {
	return c.Slot == d.Slot && c.Digest == d.Digest && c.Kind == d.Kind && c.Round == d.Round && c.Attempt == d.Attempt &&
		c.Certificate.Value == d.Certificate.Value && shares(c.Members, d.Members) && shares(c.Missing, d.Missing) && sameCounted(c.Running, d.Running)
}

// sameCounted reports whether two decisions have counted the same members of the same running total.
func sameCounted(c, d *consensus.Counted) bool {
	if c == nil || d == nil {
		return c == d
	}
	return c.Key == d.Key && c.From == d.From && c.Size == d.Size && slices.Equal(c.Members, d.Members)
}

// shares reports whether two slices are the same memory.
func shares[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
