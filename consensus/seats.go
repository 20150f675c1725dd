package consensus

import (
	"slices"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/session"
)

// seats are the public arrangement that follows from a view. Members that share their Plans
// share it.
type seats struct {
	run, chain [32]byte
	slot       uint64
	view       *View
	ranks      []int
	digest     [32]byte      // digest of the members and of the plan of their sessions; compared before they work in the view
	labels     map[int][]int // lane → the members in the order of the topology's vertices
	vertices   map[int][]int // lane → the vertices of the members in rank order
	fanout     int           // members that each member deals a chunk to
	offsets    []int         // in a large roster, the distances in the view at which a member deals; chunks go to the first
}

// keptSeats is the largest number of recent seats and layouts that Plans
// keeps.
const keptSeats = 4

func (m *Machine) seats(v *View) *seats { return m.plans.seatsOf(m.roster, m.slot.position, v) }

func (p *Plans) seatsOf(r *roster, at position, v *View) *seats {
	for _, x := range p.seats {
		if x.slot == at.number && x.chain == at.chain && x.run == r.run && x.view.same(v) {
			return x
		}
	}
	x := &seats{run: r.run, chain: at.chain, slot: at.number, view: v, labels: map[int][]int{}, vertices: map[int][]int{}}
	for _, r := range v.Members {
		x.ranks = append(x.ranks, int(r))
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
		x.offsets = x.deals(x.fanout)
	}
	p.seats = keepLast(p.seats, x)
	return x
}

// same reports whether two views have the same ballot, members and missing members.
func (v *View) same(w *View) bool {
	if v == w {
		return true
	}
	return v.Ballot == w.Ballot && len(v.Members) == len(w.Members) &&
		(len(v.Members) == 0 || &v.Members[0] == &w.Members[0] || slices.Equal(v.Members, w.Members)) &&
		slices.Equal(v.Missing, w.Missing)
}

// in returns a member's placement on the topology of a lane.
func (x *seats) in(lane, member int) session.Placement {
	if x.labels[lane] == nil {
		x.labels[lane] = Labels(x.run, x.chain, x.slot, x.view.Ballot, lane, x.ranks)
		at := make([]int, len(x.ranks))
		for vertex, member := range x.labels[lane] {
			at[x.place(member)] = vertex
		}
		x.vertices[lane] = at
	}
	return session.Placement{Members: x.labels[lane], Self: member, Guess: x.vertices[lane][x.place(member)]}
}

// deals draws the distances at which each member of a large view deals. No two distances for
// chunks are opposite, so a member has twice as many partners as it deals chunks.
func (x *seats) deals(fanout int) []int {
	n := len(x.ranks)
	h := newHashing("deals", x.run)
	h.Write(x.chain[:])
	h.number(x.slot)
	h.number(uint64(x.view.Ballot))
	var first, rest []int
	for _, o := range choose(h.sum(), n-1, n-1) {
		if o++; slices.Contains(first, n-o) || len(first) == fanout {
			rest = append(rest, o)
		} else {
			first = append(first, o)
		}
	}
	return append(first, rest...)[:min(n-1, max(manyHolders, fanout))]
}

// at returns the members of a large view at the given distances after a member (sign 1) or
// before it (-1).
func (x *seats) at(member int, offsets []int, sign int) []int {
	n := len(x.ranks)
	place := x.place(member)
	members := make([]int, len(offsets))
	for i, o := range offsets {
		members[i] = x.ranks[(place+sign*o+n)%n]
	}
	return members
}

// place returns a member's index in the view.
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

// dealsTo returns the members that get an opening message from a member, and dealsFrom those
// that send one: all others, or in a large roster those at the public distances.
func (x *seats) dealsTo(member int) []int {
	if x.offsets == nil {
		return others(x.ranks, member)
	}
	return x.at(member, x.offsets, 1)
}

func (x *seats) dealsFrom(member int) []int {
	if x.offsets == nil {
		return others(x.ranks, member)
	}
	return x.at(member, x.offsets, -1)
}

// dealers returns the number of members that send an opening message to each member.
func (x *seats) dealers() int {
	if x.offsets == nil {
		return len(x.ranks) - 1
	}
	return len(x.offsets)
}

// dealt reports whether one member sends an opening message to another, and whether that
// message contains a share of its pad.
func (x *seats) dealt(from, to int) (deals, holds bool) {
	if x.offsets == nil {
		return true, true
	}
	place := slices.Index(x.offsets, x.distance(from, to))
	return place >= 0, place >= 0 && place < manyHolders
}

// holders returns the members that hold shares of a member's pad.
func (x *seats) holders(owner int) []int {
	if x.offsets == nil {
		return others(x.ranks, owner)
	}
	return x.at(owner, x.offsets[:min(manyHolders, len(x.offsets))], 1)
}

// partners returns the members to which a member deals a chunk. The choice is drawn secretly
// from its entropy, or in a large roster publicly.
func (x *seats) partners(self int, entropy [32]byte, at chunking.Context) []int {
	if x.offsets != nil {
		return x.at(self, x.offsets[:x.fanout], 1)
	}
	at.From = slices.Index(x.ranks, self)
	var partners []int
	for _, i := range chunking.Partners(entropy, at, len(x.ranks), x.fanout) {
		partners = append(partners, x.ranks[i])
	}
	return partners
}

func others(members []int, self int) []int {
	return slices.DeleteFunc(slices.Clone(members), func(s int) bool { return s == self })
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
