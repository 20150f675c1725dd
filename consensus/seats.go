package consensus

import (
	"slices"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/session"
)

// seats are the places of a view's members: on the topology of each lane, and in a large roster
// also on a ring, where members deal to those at public distances. They follow from public
// values, so they are the same at every member. Members that share their Plans share them.
type seats struct {
	sums   session.Sums
	run    [32]byte
	chain  [32]byte // hash over the decisions before the slot
	slot   uint64
	view   *View
	ranks  []int    // the view's members, ascending
	digest [32]byte // digest of the members and of the plan of their sessions; compared before they work in the view

	labels   map[int][]int // lane → the members in the order of the topology's vertices
	vertices map[int][]int // lane → the vertices of the members in rank order
	fanout   int           // members that each member deals a chunk to
	// offsets are the distances in ranks at which each member of a large roster deals, nil in a
	// small one. It deals chunks at the first of them, as many as fanout.
	offsets []int
}

func (p *Plans) seatsOf(r *roster, pos position, v *View) *seats {
	for _, x := range p.seats {
		if x.slot == pos.number && x.chain == pos.chain && x.run == r.run && x.view.same(v) {
			return x
		}
	}
	x := &seats{sums: p.sums(), run: r.run, chain: pos.chain, slot: pos.number, view: v, labels: map[int][]int{}, vertices: map[int][]int{}}
	for _, rank := range v.Members {
		x.ranks = append(x.ranks, int(rank))
	}
	h := newHashing("view", x.run)
	h.number(x.slot)
	h.Write(x.chain[:])
	h.number(uint64(v.Ballot))
	h.ranks(v.Members)
	h.missing(v.Missing)
	plan := p.plan(len(v.Members)).Session(1).Digest()
	h.Write(plan[:])
	x.digest = h.sum()
	x.fanout = chunking.Fanout(len(x.ranks), p.settings.Chunks)
	if r.Committee != nil {
		x.offsets = x.drawOffsets()
	}
	p.seats = keepLast(p.seats, x)
	return x
}

// same reports whether two views have the same ballot, members and missing members. Members of a
// simulation have views of their own, but the list of members in one memory. Comparing its
// address first saves them from comparing thousands of ranks per message.
func (v *View) same(w *View) bool {
	shared := len(v.Members) > 0 && len(v.Members) == len(w.Members) && &v.Members[0] == &w.Members[0]
	return v.Ballot == w.Ballot && (shared || slices.Equal(v.Members, w.Members)) && slices.Equal(v.Missing, w.Missing)
}

// placement returns a member's placement on the topology of a lane.
func (x *seats) placement(lane, member int) session.Placement {
	if x.labels[lane] == nil {
		x.labels[lane] = Labels(x.run, x.chain, x.slot, x.view.Ballot, lane, x.ranks)
		vertices := make([]int, len(x.ranks))
		for vertex, rank := range x.labels[lane] {
			vertices[x.place(rank)] = vertex
		}
		x.vertices[lane] = vertices
	}
	return session.Placement{Members: x.labels[lane], Self: member, Guess: x.vertices[lane][x.place(member)], Sums: x.sums}
}

// drawOffsets draws the offsets of a large view. A member deals chunks to the members at the
// first distances after it, and gets chunks from those at the same distances before it. No two
// of these distances are opposite, so that these are different members. A member therefore has
// twice as many partners as fanout, or one fewer if n/2, its own opposite, is among them.
func (x *seats) drawOffsets() []int {
	n := len(x.ranks)
	h := newHashing("deals", x.run)
	h.Write(x.chain[:])
	h.number(x.slot)
	h.number(uint64(x.view.Ballot))
	var forChunks, rest []int
	for _, i := range choose(h.sum(), n-1, n-1) {
		distance := i + 1
		opposite := slices.Contains(forChunks, n-distance)
		if len(forChunks) < x.fanout && !opposite {
			forChunks = append(forChunks, distance)
		} else {
			rest = append(rest, distance)
		}
	}
	size := min(n-1, max(manyHolders, x.fanout))
	return append(forChunks, rest...)[:size]
}

// neighbours returns the members of a large view at the given distances after a member (sign 1)
// or before it (-1).
func (x *seats) neighbours(member int, distances []int, sign int) []int {
	n := len(x.ranks)
	place := x.place(member)
	members := make([]int, len(distances))
	for i, distance := range distances {
		members[i] = x.ranks[(place+sign*distance+n)%n]
	}
	return members
}

// place returns a member's index in ranks.
func (x *seats) place(member int) int {
	if member < len(x.ranks) && x.ranks[member] == member { // no member before it is missing
		return member
	}
	place, _ := slices.BinarySearch(x.ranks, member)
	return place
}

// distance returns the number of places from one member of a view forward to another.
func (x *seats) distance(from, to int) int {
	return (x.place(to) - x.place(from) + len(x.ranks)) % len(x.ranks)
}

// receivers returns the members to which a member sends Seeds: all others, or in a large roster
// those at the public distances after it.
func (x *seats) receivers(member int) []int {
	if x.offsets == nil {
		return others(x.ranks, member)
	}
	return x.neighbours(member, x.offsets, 1)
}

// dealers returns the members that send Seeds to a member: all others, or in a large roster
// those at the public distances before it.
func (x *seats) dealers(member int) []int {
	if x.offsets == nil {
		return others(x.ranks, member)
	}
	return x.neighbours(member, x.offsets, -1)
}

// numDealers returns the number of members that send Seeds to each member.
func (x *seats) numDealers() int {
	if x.offsets == nil {
		return len(x.ranks) - 1
	}
	return len(x.offsets)
}

// dealt reports whether one member sends Seeds to another, and whether these contain a share of
// its pad.
func (x *seats) dealt(from, to int) (deals, holds bool) {
	if x.offsets == nil {
		return true, true
	}
	index := slices.Index(x.offsets, x.distance(from, to))
	return index >= 0, index >= 0 && index < manyHolders
}

// holders returns the members that hold shares of a member's pad.
func (x *seats) holders(owner int) []int {
	if x.offsets == nil {
		return others(x.ranks, owner)
	}
	return x.neighbours(owner, x.offsets[:min(manyHolders, len(x.offsets))], 1)
}

// partners returns the members to which a member deals a chunk. The choice is drawn secretly
// from its entropy, or in a large roster publicly.
func (x *seats) partners(self int, entropy [32]byte, c chunking.Context) []int {
	if x.offsets != nil {
		return x.neighbours(self, x.offsets[:x.fanout], 1)
	}
	c.From = x.place(self)
	var partners []int
	for _, i := range chunking.Partners(entropy, c, len(x.ranks), x.fanout) {
		partners = append(partners, x.ranks[i])
	}
	return partners
}

func others(members []int, self int) []int {
	return slices.DeleteFunc(slices.Clone(members), func(member int) bool { return member == self })
}

// Labels returns the members of a view in the order of the topology's vertices. The permutation
// follows from the chain, and so from the nonce that nobody chose alone.
func Labels(run, chain [32]byte, slot uint64, ballot uint32, lane int, members []int) []int {
	h := newHashing("labels", run)
	h.Write(chain[:])
	h.number(slot)
	h.number(uint64(ballot))
	h.number(uint64(lane))
	labels := make([]int, 0, len(members))
	for _, i := range choose(h.sum(), len(members), len(members)) {
		labels = append(labels, members[i])
	}
	return labels
}
