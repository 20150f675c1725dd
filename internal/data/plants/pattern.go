package plants

import (
	"math"
	"math/rand/v2"
)

// A pattern is a Gaussian over the sensors, in units of one standard deviation. Each sensor
// except the root of the tree is weight × parent + independent noise, so every sensor has
// variance 1. The precision matrix is zero except on the diagonal and between a sensor and its
// parent.
type pattern struct {
	mean   []float64
	order  []int     // parents before children; order[0] is the root
	parent []int     // by sensor, -1 for the root
	weight []float64 // by sensor: the correlation with its parent
}

// spread is the standard deviation of a sensor's mean over patterns. Patterns overlap in each
// single sensor, and are separate in all together.
const spread = 1.5

func newPattern(columns int, random *rand.Rand) pattern {
	p := pattern{
		mean:   make([]float64, columns),
		order:  random.Perm(columns),
		parent: make([]int, columns),
		weight: make([]float64, columns),
	}
	for k, j := range p.order {
		p.mean[j] = spread * random.NormFloat64()
		p.parent[j] = -1
		if k == 0 {
			continue
		}
		p.parent[j] = p.order[random.IntN(k)]
		p.weight[j] = 0.9 + 0.08*random.Float64()
		if random.IntN(2) == 0 {
			p.weight[j] = -p.weight[j]
		}
	}
	return p
}

// draw fills row with the sensors' values.
func (p *pattern) draw(row []float64, random *rand.Rand) {
	for _, j := range p.order {
		row[j] = p.noise(j, random)
		if up := p.parent[j]; up >= 0 {
			row[j] += p.weight[j] * (row[up] - p.mean[up])
		}
		row[j] += p.mean[j]
	}
}

// noise returns the part of sensor j that its parent does not explain.
func (p *pattern) noise(j int, random *rand.Rand) float64 {
	return math.Sqrt(1-p.weight[j]*p.weight[j]) * random.NormFloat64()
}
