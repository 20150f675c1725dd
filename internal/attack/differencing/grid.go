package differencing

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/collabdict/collabdict"
)

// A Fault of the grid names a block whose values do not lie on one public grid.
type Fault struct {
	Slot   int // its number in the first world, or -1
	Block  int
	Moment collabdict.Moment
	Key    string
	What   string
}

// The faults of the grid of a block.
const (
	NoGrid    = "values have no grid"
	Below     = "some values have digits below the grid of the others"
	ByMember  = "the grid differs by member"
	ByWorld   = "the grid differs by world"
	fullDigit = 44 // significant bits that values on a grid do not have
	deep      = 10 // bits by which digits are below a grid, not by chance
)

// grids holds the trailing digits of all vectors, by slot and block.
type grids map[blockPlace]*grid

type blockPlace struct {
	place
	block int
}

type grid struct {
	moment collabdict.Moment
	key    string
	full   int        // values with all digits
	digits []trailing // of all others
}

// trailing is the exponent of the last digit of a value.
type trailing struct{ world, member, exponent int }

func (g grids) add(at place, world int, s *Slot) {
	for m, x := range s.Vectors {
		if x == nil {
			continue
		}
		for i, b := range meanings(s.Blocks) {
			values := x[:b.Len]
			x = x[b.Len:]
			if b.Moment == collabdict.Updates || b.Moment == collabdict.Noisy {
				continue
			}
			to := g[blockPlace{at, i}]
			if to == nil {
				to = &grid{moment: b.Moment, key: s.Key}
				g[blockPlace{at, i}] = to
			}
			for _, v := range values {
				if v == 0 {
					continue
				}
				exponent, significant := lastDigit(v)
				if significant >= fullDigit {
					to.full++
				}
				to.digits = append(to.digits, trailing{world, m, exponent})
			}
		}
	}
}

// lastDigit returns the exponent of the last binary digit of v, and the number of digits.
func lastDigit(v float64) (exponent, significant int) {
	fraction, e := math.Frexp(math.Abs(v))
	m := uint64(math.Ldexp(fraction, 53))
	zeros := bits.TrailingZeros64(m)
	return e - 53 + zeros, 53 - zeros
}

// Faults returns the blocks whose values do not lie on a public grid.
func (w *Worlds) Faults() (all []Fault) {
	for at, g := range w.grid {
		if what := g.fault(); what != "" {
			f := Fault{Slot: -1, Block: at.block, Moment: g.moment, Key: g.key, What: what}
			if o := w.at[at.place]; o != nil {
				f.Slot = o.slot
			}
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b Fault) int { return cmp.Or(a.Slot-b.Slot, a.Block-b.Block) })
	return all
}

func (g *grid) fault() string {
	n := len(g.digits)
	if n < 8 {
		return ""
	}
	switch {
	case 5*g.full > 3*n:
		return NoGrid
	case 50*g.full > n:
		return Below
	}
	least := g.digits[0].exponent
	for _, d := range g.digits {
		least = min(least, d.exponent)
	}
	// On a grid with this step, a share of 2^-deep of all values is that far above.
	above := 0
	for _, d := range g.digits {
		if d.exponent >= least+deep {
			above++
		}
	}
	expected := math.Ldexp(float64(n), -deep)
	mixed := float64(above) > 4+2*expected+6*math.Sqrt(expected)
	by := func(of func(trailing) int) bool {
		lowest, values := map[int]int{}, map[int]int{}
		for _, d := range g.digits {
			k := of(d)
			if e, ok := lowest[k]; !ok || d.exponent < e {
				lowest[k] = d.exponent
			}
			values[k]++
		}
		for k, e := range lowest {
			if float64(values[k]*(e-least)) > 40+math.Log2(float64(len(lowest))) {
				return true
			}
		}
		return false
	}
	switch {
	case by(func(d trailing) int { return d.member }):
		return ByMember
	case mixed:
		return Below
	case by(func(d trailing) int { return d.world }):
		return ByWorld
	}
	return ""
}
