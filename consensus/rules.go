package consensus

import (
	"fmt"
	"slices"

	"github.com/collabdict/collabdict/chunking"
)

// Rules are the numbers on which the safety of a roster depends.
type Rules struct {
	Size      int   // n, members of the roster
	ranks     []int // of the members, ascending; nil for 0 to n-1
	Quorum    int   // k, equal votes that decide; 2k > n, so that any two quorums share a member
	Colluders int   // t, members that together may learn nothing
	Least     int   // smallest view: max(k, t+2), so that a total minus the colluders' vectors covers at least 2 members
	Shares    int   // T, shares that rebuild a pad; 0 without shares
	Sealed    bool
	// Committee are the members that promise and vote in a large roster, in rank order; nil if
	// all do. Quorum is that of the committee.
	Committee []int
}

// SmallRoster is the largest roster in which all members talk to all and hold shares of all
// others' pads, and which begins with two Gathers for a nonce. In larger ones a committee
// decides, and each member deals to manyHolders others; manyShares of them can rebuild its pad.
// Seats follow from the run's name, and after the first sum from its sealed result, which is
// random.
const SmallRoster = 64

const (
	committeeSize = 31
	manyHolders   = 40
	manyShares    = 14
)

// Rules returns the rules for a roster of the given size.
func (s Settings) Rules(size int) Rules {
	r := Rules{Size: size, Quorum: s.quorum(size), Least: s.quorum(size), Colluders: s.Colluders}
	large := size > SmallRoster
	if large {
		r.Quorum = committeeSize/2 + 1
	}
	if s.Protect == chunking.None {
		return r
	}
	r.Sealed = true
	if r.Colluders == 0 {
		r.Colluders = max(1, (size-1)/3)
	}
	r.Least = max(r.Least, r.Colluders+2)
	if s.Recover != Wait {
		r.Shares = r.Colluders + 1
		if large {
			r.Shares = min(r.Shares, manyShares)
		}
	}
	return r
}

// quorum returns the size of a quorum of all members.
func (s Settings) quorum(size int) int {
	if s.Quorum == 0 {
		return size/2 + 1
	}
	return s.Quorum
}

func (s Settings) validateRules(size int) error {
	r := s.Rules(size)
	switch {
	case 2*s.quorum(size) <= size:
		return fmt.Errorf("quorum: want more than half of %d members, got %d: two halves would decide two sums", size, s.Quorum)
	case s.quorum(size) > size:
		return fmt.Errorf("quorum: want at most the %d members, got %d", size, s.Quorum)
	case s.Protect == chunking.None && s.Colluders != 0:
		return fmt.Errorf("colluders: want 0 with protection %q, got %d", s.Protect, s.Colluders)
	case r.Colluders < 0 || s.Protect != chunking.None && r.Colluders > size-2:
		return fmt.Errorf("colluders: want 1 to %d, 2 fewer than the members, got %d", size-2, r.Colluders)
	}
	return nil
}

// Holders returns the number of members of a view that hold shares of one member's pad.
func (r Rules) Holders(view int) int {
	switch {
	case r.Shares == 0:
		return 0
	case r.Size <= SmallRoster:
		return view - 1
	}
	return min(view-1, manyHolders)
}

// owner returns the owner of a ballot. Ballot 0 has none.
func (r Rules) owner(ballot uint32) int {
	switch {
	case r.Committee != nil:
		return r.Committee[int(ballot)%len(r.Committee)]
	case r.ranks != nil:
		return r.ranks[int(ballot)%r.Size]
	}
	return int(ballot) % r.Size
}

// rank returns the rank of the i-th member of the roster.
func (r Rules) rank(i int) int {
	if r.ranks == nil {
		return i
	}
	return r.ranks[i]
}

func (r Rules) belongs(rank int) bool {
	if r.ranks == nil {
		return rank >= 0 && rank < r.Size
	}
	_, in := slices.BinarySearch(r.ranks, rank)
	return in
}

// place returns a member's index among the members that vote, and the number of these.
func (r Rules) place(member int) (place, places int) {
	switch {
	case r.Committee != nil:
		place, _ = slices.BinarySearch(r.Committee, member)
		return place, len(r.Committee)
	case r.ranks != nil:
		place, _ = slices.BinarySearch(r.ranks, member)
		return place, r.Size
	}
	return member, r.Size
}

// next returns the first ballot above the given one that a voting member owns.
func (r Rules) next(member int, above uint32) uint32 {
	place, places := r.place(member)
	b := above + 1
	return b + uint32((place-int(b)%places+places)%places)
}

// turn returns the number of voting members whose turn comes before a member's when a ballot
// fails. Turns begin with the member after the ballot's owner, after ballot 0 with the lowest
// rank, and wrap around.
func (r Rules) turn(member int, failed uint32) int {
	place, places := r.place(member)
	if failed == 0 {
		return place
	}
	return (place - int(failed)%places - 1 + places) % places
}

// witnesses returns the number of promises that must name a member of ballot 0 before a view
// may leave it out. One of them must be from an honest member, so it is more than the
// colluders.
func (r Rules) witnesses() int { return min(r.Colluders+1, r.Quorum) }

// decides reports whether a member promises and votes.
func (r Rules) decides(member int) bool {
	if r.Committee == nil {
		return r.belongs(member)
	}
	_, in := slices.BinarySearch(r.Committee, member)
	return in
}

// committee draws the members that vote in a large roster. It returns nil for other rosters.
func committee(run [32]byte, revision uint32, r Rules) []int {
	if r.Size <= SmallRoster {
		return nil
	}
	h := newHashing("committee", run)
	if revision > 0 {
		h.number(uint64(revision))
	}
	members := choose(h.sum(), r.Size, committeeSize)
	for i, m := range members {
		members[i] = r.rank(m)
	}
	slices.Sort(members)
	return members
}
