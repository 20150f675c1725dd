package consensus

import "github.com/collabdict/collabdict"

// Census follows whom the running totals of a run have counted.
type Census struct {
	Settings Settings
	counted  map[string]map[uint32]bool
}

// Carried is what a learner may ask of a running total, as [collabdict.Carrier] says. The
// zero value is that of a sum over the view.
type Carried struct {
	Members  int
	Rounding float64
}

// Add enters the decision of the next sum.
func (c *Census) Add(d *Decision) Carried {
	r := d.Running
	if r == nil {
		return Carried{}
	}
	if c.counted == nil {
		c.counted = map[string]map[uint32]bool{}
	}
	of := c.counted[r.Key]
	if of == nil {
		of = map[uint32]bool{}
		for member := range c.counted[r.From] {
			of[member] = true
		}
		c.counted[r.Key] = of
	}
	for _, member := range r.Members {
		of[member] = true
	}
	return Carried{len(of), c.Settings.rounding(r.Size)}
}

// rounding returns the share of its bound by which a value of a vector is rounded at most in
// a running total that began in a roster of so many members.
func (s Settings) rounding(size uint32) float64 {
	// Half of a quantum. This is a power of two, so it is up to twice as large beside
	// another bound.
	return s.withDefaults().quanta([]collabdict.Block{{Len: 1, Bound: 1}}, size)[0].unit
}
