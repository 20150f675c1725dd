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

// BlurRows is the default standard deviation of the blur, in rows.
const BlurRows = 0.1

// BlurOption returns the option for the blur of totals. byDefault computes the default from
// earlier settings.
func BlurOption(p *float64, byDefault func() float64) *option.Option {
	return option.Float(p, "blur", BlurRows, "add normal noise with a standard deviation of `ROWS` rows to each value of a total, so that comparing two totals does not reveal the row in which they differ; 0 adds none",
		option.DefaultBy(byDefault), option.Finite()).ForExperts()
}

// Blur hides a single row in the difference of two totals of moments. Every member adds its
// part of the noise to each of its vectors, sized so that the parts of the members that do not
// collude add up to the whole noise. If the sum over the components is the same in all totals,
// it stays the same, because the noise of such a quantity adds up to 0 over them.
//
// The noise of a vector follows from the run's key and the vector's number. So a member that
// computes a vector again after a restart adds the same noise.
type Blur struct {
	part   float64 // standard deviation of this member's part, in rows
	scales []float64
	full   bool // there are second moments of all pairs of columns
	key    [32]byte
}

// NewBlur returns one member's blur. rows is the standard deviation in a total, in rows; it
// holds against the given number of colluders among the members. src must be the run's source.
// A nil Blur adds nothing.
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

// Scale sets the unit of each column, the standard deviation of the rows of all members. full
// reports whether there are second moments of all pairs of columns, or only of each column with
// itself.
func (b *Blur) Scale(deviations []float64, full bool) {
	if b != nil {
		b.scales, b.full = deviations, full
	}
}

// fineness is the minimum number of grid steps per standard deviation of the noise.
const fineness = 1 << 10

// Add blurs a vector of moments about any origin, in place. If conserved is set, each quantity
// of the rows is divided among components, so its sum over them must not change. The number must
// be unique for each vector of a run.
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

// unit returns the scale of quantity number at: a column, or a product of two.
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

// step returns the grid step for noise of unit/by times part: a power of two, finer than it by
// at least fineness.
func (n noise) step(unit float64, by int) float64 {
	_, e := math.Frexp(n.part * unit / float64(by) / fineness)
	return math.Ldexp(1, e-1)
}

// free blurs each value separately. Values are rounded to multiples of a step, because finer
// digits would show through the noise.
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

// balanced blurs the values of K components by e_k − Σe/K, with e_k normal. One of them takes
// the part of the sum that is not a multiple of the step, which reveals no more than the sum
// itself.
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

// draw calls try until it succeeds, that is, until the noisy values are within the bound of the
// vector. If values are so close to the bound that this hardly ever happens, it lowers the
// noise more and more: the bound is known anyway.
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
