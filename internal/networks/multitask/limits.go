package multitask

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/columnstats"
)

type limits struct {
	rows    float64 // upper bound of N^s of every member
	columns int
	config  Config
	clip    float64 // bound of a derivative in a member's mean
	largest float64 // largest derivative of the last means
}

// The clip of a round is clipFactor times the largest derivative of the shared mean so far,
// which decays with every round.
const (
	firstClip  = 100
	leastClip  = 1e-6
	clipFactor = 16
	clipDecay  = 0.98
)

// adamStep bounds the change of a weight in a step of Adam, in units of the rate. With the
// decays β₁ = .9 and β₂ = .999 the moments are
//
//	m = (1−β₁) Σ β₁^i g_i and v = (1−β₂) Σ β₂^i g_i², so
//	m² ≤ v·(1−β₁)²/(1−β₂) Σ (β₁²/β₂)^i (Cauchy and Schwarz),
//
// where the factor of v is 7.27². The corrections of the first steps together are below 1.
const adamStep = 7.3

// weight returns the bound of the value of a weight before it is multiplied by N^s. Gradients
// are scaled down to it. Changes by steps of Adam never reach it.
func (l limits) weight() float64 {
	if l.config.LocalSteps == 0 {
		return l.clip
	}
	return adamStep * l.config.Rate * float64(l.config.LocalSteps)
}

// objective returns the bound of the mean lower bound per row in a sum; larger values are cut
// off.
func (l limits) objective() float64 { return 100 * float64(l.columns) }

func (l limits) blocks(weights int) []collabdict.Block {
	out := columnstats.AppendMoment(nil, collabdict.Updates, weights, l.rows*l.weight())
	out = columnstats.AppendBlock(out, 1, l.rows*l.objective())
	return columnstats.AppendMoment(out, collabdict.Counts, 1, l.rows)
}

// precision is larger than the error of a total, relative to the bound of a member's value.
const precision = 0x1p-22

// check returns N, the number of rows in a total. It returns an error if vectors of this length
// within the bounds cannot add up to the total: no value may exceed N times the bound per row.
func (l limits) check(total []float64, weights int) (n float64, err error) {
	if len(total) != weights+2 {
		return 0, fmt.Errorf("want a total of %d values, got %d", weights+2, len(total))
	}
	n = math.Round(total[weights+1])
	if !(n >= 1 && n <= 1<<53) {
		return 0, fmt.Errorf("want a total of at least 1 row, got %g", total[weights+1])
	}
	for i, v := range total[:weights+1] {
		most := l.weight()
		if i == weights {
			most = l.objective()
		}
		if most *= n*(1+1e-6) + 2*precision*l.rows; !(math.Abs(v) <= most) {
			return 0, fmt.Errorf("value %d of the total: want at most %g in size from %.0f rows, got %g: a member exceeded the agreed bound", i+1, most, n, v)
		}
	}
	return n, nil
}

// mean sets g to the mean derivatives of n rows, and from them the clip of the next round.
// Values below the precision of the total become 0, because they may be only errors, which Adam
// would turn into full steps.
func (l *limits) mean(g []float32, total []float64, n float64) {
	least := precision * l.rows * l.weight()
	l.largest *= clipDecay
	for i := range g {
		g[i] = 0
		if v := total[i]; math.Abs(v) >= least {
			g[i] = float32(v / n)
			l.largest = max(l.largest, math.Abs(v/n))
		}
	}
	l.clip = max(leastClip, clipFactor*l.largest)
}
