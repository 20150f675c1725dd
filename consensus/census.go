package consensus

import "github.com/collabdict/collabdict"

// A Census records which members the running totals of a run have counted.
type Census struct {
	Settings Settings
	counted  map[string]map[uint32]bool
}

// Add enters the decision of the next sum. It returns Counted and Rounding of
// [collabdict.Membership].
func (c *Census) Add(d *Decision) (counted int, rounding float64) {
	r := d.Running
	if r == nil {
		return 0, 0
	}
	if c.counted == nil {
		c.counted = map[string]map[uint32]bool{}
	}
	members := c.counted[r.Key]
	if members == nil {
		members = map[uint32]bool{}
		for member := range c.counted[r.From] {
			members[member] = true
		}
		c.counted[r.Key] = members
	}
	for _, member := range r.Members {
		members[member] = true
	}
	return len(members), c.Settings.rounding(r.Size)
}

// rounding returns the largest rounding error in a running total, relative to the bound of the
// value. size is the size of the roster in which the total began.
func (s Settings) rounding(size uint32) float64 {
	// The error is at most half a quantum. A quantum is a power of two, so relative to another
	// bound the error may be twice as large as here.
	return s.withDefaults().quanta([]collabdict.Block{{Len: 1, Bound: 1}}, size)[0].unit
}
