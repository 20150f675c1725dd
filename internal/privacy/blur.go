package privacy

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/numeric/portable"
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

// BlurHides describes for the inventory what a blur of this standard deviation hides.
func BlurHides(rows float64) string {
	if rows == 0 {
		return ""
	}
	return fmt.Sprintf("noise of %g rows, except the number of all rows", rows)
}

// Blur hides a single row in the difference of two totals of moments. Every member adds its
// part of the noise to each value of its vectors, sized so that the parts of the members that
// do not collude add up to the whole noise. The noise has the same size in all columns, so rows
// are in coordinates in which their spread is about 1 and their middle about 0. Then constant
// columns and offsets show nothing.
//
// Half of the variance belongs to a value and is the same in all vectors of a run; the other
// half is drawn anew for each vector. The mean of many totals is therefore no better than the
// first half allows.
//
// The noise follows from the run's key, and from the names of the part and of the vector. So a
// member that computes a vector again after a restart adds the same noise.
type Blur struct {
	part float64 // standard deviation of this member's part, in rows
	key  Key
}

// NewBlur returns one member's blur. rows is the standard deviation in a total, in rows; it
// holds against the given number of colluders among the members. src must be the run's source.
// A nil Blur adds nothing.
func NewBlur(rows float64, members, colluders int, src rand.Source) *Blur {
	if rows == 0 || members < 2 || src == nil {
		return nil
	}
	a := Account{colluders: min(colluders, members-1)}
	return &Blur{part: a.Part(rows, members), key: NewKey(src)}
}

// Deviation returns the standard deviation, in rows, of the noise on each value of a total over
// this number of members.
func (b *Blur) Deviation(members int) float64 {
	if b == nil {
		return 0
	}
	return b.part * math.Sqrt(float64(members))
}

// fineness is the minimum number of grid steps per standard deviation of the noise.
const fineness = 1 << 10

// Add blurs a part of a vector in place. Parts with the same values in several vectors, or nearly
// the same, have one name, and each part that is sent has a name of the vector for itself. Values
// are rounded to a grid that depends on no row, because finer digits would show through the noise.
// A value whose bound is below a step of the grid becomes 0, without noise.
func (b *Blur) Add(x []float64, blocks []collabdict.Block, part, vector string) {
	if b == nil {
		return
	}
	lasting, fresh := b.key.Source("lasting ", part), b.key.Source("fresh ", vector)
	_, e := math.Frexp(b.part / fineness)
	step := math.Ldexp(1, e-1)
	half := b.part / math.Sqrt2 / step
	for _, block := range blocks {
		values := x[:block.Len]
		x = x[block.Len:]
		for i, v := range values {
			same := half * portable.Normal(lasting)
			values[i] = math.Trunc(v/step) * step
			if block.Bound < step {
				continue
			}
			v = math.Round(v/step) * step
			draw(func(size float64) bool {
				y := v + math.Round(size*(same+float64(half*portable.Normal(fresh))))*step
				if math.Abs(y) <= block.Bound {
					values[i] = y
					return true
				}
				return false
			})
		}
	}
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
