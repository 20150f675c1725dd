package consensus

import (
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
)

// What is the same at all members that share their Plans, and takes longer the
// larger the roster is, is worked out once. It is recognised by the memory that it
// shares: what members send each other is not modified.

// everybody returns the view of all members of a roster in ballot 0.
func (p *Plans) everybody(r Rules) *View {
	if p.all == nil || r.Roster != nil || len(p.all.Members) != r.Size {
		p.all = &View{}
		for i := range r.Size {
			p.all.Members = append(p.all.Members, uint32(r.rank(i)))
		}
	}
	return p.all
}

// committeeOf returns who decides in the roster of a run.
func (p *Plans) committeeOf(run [32]byte, revision uint32, r Rules) []int {
	if p.decide == nil || p.decideRun != run || p.decideRevision != revision || p.decideSize != r.Size {
		p.decide, p.decideRun, p.decideRevision, p.decideSize = committee(run, revision, r), run, revision, r.Size
	}
	return p.decide
}

// sharedLayout is the layout of vectors with its blocks.
type sharedLayout struct {
	size   int
	blocks []collabdict.Block
	layout *chunking.Layout
}

// layout returns the layout of vectors in a view of the given size.
func (p *Plans) layout(size int, blocks []collabdict.Block) (*chunking.Layout, error) {
	for _, x := range p.layouts {
		if x.size == size && slices.Equal(x.blocks, blocks) {
			return x.layout, nil
		}
	}
	l, err := chunking.NewLayout(p.settings.arithmetic(), size, blocks)
	if err != nil {
		return nil, err
	}
	p.layouts = keepLast(p.layouts, sharedLayout{size, slices.Clone(blocks), l})
	return l, nil
}

// sharedSealed is a sealed result with its digest.
type sharedSealed struct {
	run    [32]byte
	slot   uint64
	sealed *Sealed
	digest [32]byte
}

// digestOf returns the digest of a sum's sealed result, and the result itself as
// another member has it that came to the same.
func (p *Plans) digestOf(run [32]byte, slot uint64, s *Sealed) (*Sealed, [32]byte) {
	if p.own {
		return s, s.digest(run, slot)
	}
	for _, x := range p.sealed {
		if x.slot == slot && x.run == run && x.sealed.same(s) {
			return x.sealed, x.digest
		}
	}
	x := sharedSealed{run, slot, s, s.digest(run, slot)}
	p.sealed = keepLast(slices.DeleteFunc(p.sealed, func(old sharedSealed) bool {
		return old.slot+1 < slot // their vectors are held for nobody else
	}), x)
	return s, x.digest
}

// same reports whether two results are known to be the same.
func (s *Sealed) same(t *Sealed) bool {
	return s.Attempt == t.Attempt && s.Header == t.Header && s.Blobs == nil && t.Blobs == nil &&
		shares(s.Members, t.Members) && shares(s.Missing, t.Missing) &&
		slices.Equal(s.Words, t.Words) && slices.Equal(s.Blocks, t.Blocks) && slices.Equal(s.Commits, t.Commits)
}

// sharedChain is what the digest over a decision and all before it is of.
type sharedChain struct {
	before, run, digest [32]byte
	slot                uint64
	kind                Kind
	round, attempt      uint32
	members             []uint32
	missing             []Missing
	value               Value
	chain               [32]byte
}

func (p *Plans) chainOf(before, run [32]byte, d *Decision) [32]byte {
	for _, x := range p.chains {
		if x.slot == d.Slot && x.before == before && x.run == run && x.digest == d.Digest && x.kind == d.Kind && x.round == d.Round &&
			x.attempt == d.Attempt && x.value == d.Certificate.Value && shares(x.members, d.Members) && shares(x.missing, d.Missing) {
			return x.chain
		}
	}
	x := sharedChain{
		before: before, run: run, digest: d.Digest, slot: d.Slot, kind: d.Kind, round: d.Round, attempt: d.Attempt,
		members: d.Members, missing: d.Missing, value: d.Certificate.Value, chain: chain(before, run, d),
	}
	p.chains = keepLast(p.chains, x)
	return x.chain
}

// keepLast appends to a list of what was used last.
func keepLast[T any](list []T, x T) []T {
	if list = append(list, x); len(list) > keptSeats {
		list = list[1:]
	}
	return list
}

// shares reports whether two lists are one and the same.
func shares[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
