package consensus

import (
	"slices"

	"github.com/collabdict/collabdict"
)

// A Census records which members the running totals of a run have counted.
type Census struct {
	Settings Settings
	counted  map[string][]uint32 // in ascending order; often the list of a decision, so not modified
}

// Add enters the decision of the next sum. It returns Counted and Rounding of
// [collabdict.Membership].
func (c *Census) Add(d *Decision) (counted int, rounding float64) {
	r := d.Running
	if r == nil {
		return 0, 0
	}
	if c.counted == nil {
		c.counted = map[string][]uint32{}
	}
	members, began := c.counted[r.Key]
	if !began {
		members = c.counted[r.From]
	}
	members = union(members, r.Members)
	c.counted[r.Key] = members
	return len(members), c.Settings.rounding(r.Size)
}

// union returns the members of either ascending list, if possible one of the lists.
func union(a, b []uint32) []uint32 {
	switch {
	case equalMembers(a, b) || len(b) == 0:
		return a
	case len(a) == 0:
		return b
	}
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// rounding returns the largest rounding error in a running total, relative to the bound of the
// value. size is the size of the roster in which the total began.
func (s Settings) rounding(size uint32) float64 {
	// The error is at most half a quantum. A quantum is a power of two, so relative to another
	// bound the error may be twice as large as here.
	return s.withDefaults().quanta([]collabdict.Block{{Len: 1, Bound: 1}}, size)[0].unit
}
