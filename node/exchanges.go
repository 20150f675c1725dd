package node

import (
	"cmp"
	"slices"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/consensus/session"
)

// mostDrawn is the largest view whose edges are listed: of a larger one, nobody could draw them.
const mostDrawn = 200

// exchanges are the pairs of members that exchange vectors in a session. Members take other places
// in each session, so the pairs change, too.
type exchanges struct {
	plan   session.Plan
	slot   uint64
	ballot uint32
	edges  [][2]int // ranks; never modified
}

// next returns the pairs of the present session, or of the last one if there is none now.
func (x *exchanges) next(s consensus.Status) [][2]int {
	if s.Plan == nil || s.Plan == x.plan && s.Slot == x.slot && s.Ballot == x.ballot {
		return x.edges
	}
	*x = exchanges{plan: s.Plan, slot: s.Slot, ballot: s.Ballot}
	if s.Plan.Size() > mostDrawn {
		return nil
	}
	for _, seats := range s.Seats {
		for _, e := range s.Plan.Edges() {
			v, w := seats[e[0]], seats[e[1]]
			x.edges = append(x.edges, [2]int{min(v, w), max(v, w)})
		}
	}
	slices.SortFunc(x.edges, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	x.edges = slices.Compact(x.edges)
	return x.edges
}
