package fedgem

import (
	"math"

	"github.com/collabdict/collabdict/internal/mixtures/passes"
)

// parts holds the regions that a participant publishes, and the region of each of its
// components.
type parts struct {
	regions []region
	of      []int
	few     int // number of components that had too few rows
}

func partsOf(components []region) parts {
	p := parts{regions: components, of: make([]int, len(components))}
	for k := range p.of {
		p.of[k] = k
	}
	return p
}

// rounded is the most by which rounding may move a region's number of rows.
const rounded = 1e-6

// joinFew merges every region of fewer rows than least into the one with the nearest centre,
// the smallest first. The result has the rows, centre and covariance of both together, without
// a radius. If all regions together have fewer rows, one remains.
func (p *parts) joinFew(least float64) {
	enough := least - rounded
	for _, r := range p.regions {
		if r.rows < enough {
			p.few++
		}
	}
	components := p.regions
	for len(p.regions) > 1 {
		small := 0
		for i, r := range p.regions {
			if r.rows < p.regions[small].rows {
				small = i
			}
		}
		if p.regions[small].rows >= enough {
			return
		}
		to, distance := 0, math.Inf(1)
		for i, r := range p.regions {
			if i == small || r.rows == 0 { // a region without rows has no centre
				continue
			}
			if d := math.Sqrt(passes.SquaredDistance(r.centre, p.regions[small].centre)); d < distance {
				to, distance = i, d
			}
		}
		for k, at := range p.of {
			if at == small {
				p.of[k] = to
			}
			if p.of[k] > small { // which is gone
				p.of[k]--
			}
		}
		merged := pool(components, p.of, len(p.regions)-1)
		p.regions = nil
		for _, c := range merged {
			p.regions = append(p.regions, region{rows: c.Rows, centre: c.Centre, spread: c.Spread, shape: c.Shape})
		}
	}
}
