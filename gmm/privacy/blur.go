package privacy

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/portable"
	"github.com/collabdict/collabdict/option"
)

// BlurRows is the default of what a coordinate of a total is blurred by, in rows.
const BlurRows = 0.1

// BlurOption binds what a coordinate of a total is blurred by. The default is the one given, as
// the settings before may decide it.
func BlurOption(p *float64, byDefault func() float64) *option.Option {
	return option.Float(p, "blur", BlurRows, "add normal noise with a standard deviation of `ROWS` rows to each value of a total, so that comparing two totals does not reveal the row in which they differ; 0 adds none",
		option.DefaultBy(byDefault), option.Finite()).ForExperts()
}

// Blur hides a single row in the difference of two totals of moments. Every member adds its
// part of the noise to each of its vectors, so what those add who do not collude has the whole
// of it. Where the sum over the components is the same in all totals, it stays that: the noise of
// a quantity adds up to 0 over them.
//
// The noise of a vector follows from the run's key and the vector's number alone. A member
// that computes a vector again after a restart blurs it by the same.
type Blur struct {
	part   float64 // standard deviation of a member's part, in rows
	scales []float64
	full   bool // second moments are of any two columns
	key    [32]byte
}

// NewBlur returns the blur of one of so many members, by so many rows in a total, against so
// many others that collude. Source is that of the run. A nil Blur adds nothing.
func NewBlur(rows float64, members, colluders int, src rand.Source) *Blur {
	if rows == 0 || members < 2 || src == nil {
		return nil
	}
	b := &Blur{part: rows / math.Sqrt(float64(members-max(1, min(colluders, members-1))))}
	for i := range len(b.key) / 8 {
		binary.BigEndian.PutUint64(b.key[8*i:], src.Uint64())
	}
	return b
}

// Scale sets the unit of each column, the standard deviation of the rows of all members, and
// whether second moments are of any two columns, or of each with itself alone.
func (b *Blur) Scale(deviations []float64, full bool) {
	if b != nil {
		b.scales, b.full = deviations, full
	}
}

// fineness is how many steps a standard deviation of the noise has at least.
const fineness = 1 << 10

// Add blurs a vector of moments about any origin, in place. Conserved says that each quantity of
// the rows is split among components, so that its sum over them is not to change. The number tells the
// vectors of a run apart.
func (b *Blur) Add(x []float64, blocks []collabdict.Block, number uint64, conserved bool) {
	if b == nil {
		return
	}
	seed := sha256.Sum256(binary.BigEndian.AppendUint64(b.key[:], number))
	n := noise{src: rand.NewChaCha8(seed), part: b.part, conserved: conserved}
	components, columns, at := 1, len(b.scales), 0
	for _, block := range blocks {
		values := x[:block.Len]
		x = x[block.Len:]
		switch block.Moment {
		case collabdict.Counts:
			components, at = block.Len, 0
			n.add(values, 1, block.Bound)
		case collabdict.FirstMoments, collabdict.SecondMoments:
			for ; len(values) > 0; values = values[components:] {
				n.add(values[:components], b.unit(at, columns), block.Bound)
				at++
			}
		default:
			for i := range values {
				n.free(values[i:i+1], 1, block.Bound)
			}
		}
	}
}

// unit returns the scale of the at-th quantity: a column, or a product of two.
func (b *Blur) unit(at, columns int) float64 {
	if at < columns {
		return b.scales[at]
	}
	at -= columns
	if !b.full {
		return b.scales[at] * b.scales[at]
	}
	for i := range columns {
		if at < columns-i {
			return b.scales[i] * b.scales[i+at]
		}
		at -= columns - i
	}
	panic("privacy: more moments than columns have")
}

// noise draws that of one vector.
type noise struct {
	src       rand.Source
	part      float64
	conserved bool
}

func (n noise) add(values []float64, unit, bound float64) {
	if n.conserved {
		n.balanced(values, unit, bound)
	} else {
		n.free(values, unit, bound)
	}
}

// step returns a power of two that divides what part of a unit is into fine steps.
func (n noise) step(unit float64, by int) float64 {
	_, e := math.Frexp(n.part * unit / float64(by) / fineness)
	return math.Ldexp(1, e-1)
}

// free blurs each value by itself. Values come to lie on multiples of a step: what they were
// beyond it would show through the noise.
func (n noise) free(values []float64, unit, bound float64) {
	if unit == 0 {
		return
	}
	step := n.step(unit, 1)
	for i, v := range values {
		v = math.Round(v/step) * step
		draw(func(size float64) bool {
			y := v + math.Round(size*n.part*unit/step*portable.Normal(n.src))*step
			if math.Abs(y) <= bound {
				values[i] = y
				return true
			}
			return false
		})
	}
}

// balanced blurs the values of K components by e_k − Σe/K, with e_k normal. All that the sum of
// the values is beyond a multiple of the step goes to one of them, which tells no more
// than that sum.
func (n noise) balanced(values []float64, unit, bound float64) {
	k := len(values)
	if k == 1 || unit == 0 {
		return
	}
	step := n.step(unit, k)
	rest, most := 0.0, 0
	rounded := make([]float64, k)
	for i, v := range values {
		rounded[i] = math.Round(v/step) * step
		rest += v - rounded[i]
		if math.Abs(v) > math.Abs(values[most]) {
			most = i
		}
	}
	rounded[most] += rest
	draws, blurred := make([]float64, k), make([]float64, k)
	draw(func(size float64) bool {
		sum := 0.0
		for i := range draws {
			draws[i] = math.Round(size * n.part * unit / (step * float64(k)) * portable.Normal(n.src))
			sum += draws[i]
		}
		for i, e := range draws {
			if blurred[i] = rounded[i] + (float64(k)*e-sum)*step; !(math.Abs(blurred[i]) <= bound) {
				return false
			}
		}
		copy(values, blurred)
		return true
	})
}

// draw draws noise until what comes out is within the bound of a vector's values. So close to
// it that this hardly happens, noise gets less and less: what the bound says is known.
func draw(try func(size float64) bool) {
	const patience = 20
	for i, size := 0, 1.0; i < 4*patience; i++ {
		if try(size) {
			return
		}
		if i >= patience {
			size /= 2
		}
	}
}
