package dpem

import (
	"math"

	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// The shares of a vector's squared norm for counts, first and second moments, if it has all
// three.
const (
	countsShare = 0.05
	firstShare  = 0.12
	secondShare = 0.83
)

// negligible is the share of a row in a component below which it does not count.
const negligible = 1e-12

// box is the range of the values.
type box struct{ middle, clip float64 }

func (b box) clamp(v float64) float64 { return math.Max(b.middle-b.clip, math.Min(v, b.middle+b.clip)) }

// adder adds a row's vector to a sum. The row's values are in the box; the adder may change
// them.
type adder func(to, row []float64)

// sum adds up the vectors of all rows, with length values each. Each goroutine has its own
// adder.
func (b box) sum(r *passes.Reader, length int, newAdder func() adder) ([]float64, error) {
	return lanes.Sum(lanes.HereOnly(func(l *lanes.Lane) ([]float64, error) {
		sums, clamped, add := make([]float64, length), make([]float64, l.Dim), newAdder()
		return sums, l.Each(func(row []float64) {
			for i, v := range row {
				clamped[i] = b.clamp(v)
			}
			add(sums, clamped)
		})
	}), r.Rows, struct{}{})
}

// means finds the number of rows and the mean of each column.
type means struct {
	of  Config
	box box
	dim int
}

func newMeans(c Config, dim int) *means { return &means{c, box{c.Middle, c.Clip}, dim} }

func (p *means) len() int              { return 1 + p.dim }
func (p *means) parameters() []float64 { return nil }

func (p *means) sum(r *passes.Reader) ([]float64, error) {
	unit := math.Sqrt(1-countsShare) / (p.box.clip * math.Sqrt(float64(p.dim)))
	return p.box.sum(r, p.len(), func() adder {
		return func(to, row []float64) {
			to[0] += math.Sqrt(countsShare)
			for i, v := range row {
				to[1+i] += unit * (v - p.box.middle)
			}
		}
	})
}

func (p *means) next(total []float64, _ float64) (phase, *Mixture, float64, error) {
	d := &deviations{means: *p, rows: math.Max(1, total[0]/math.Sqrt(countsShare)), mean: make([]float64, p.dim)}
	unit := math.Sqrt(1-countsShare) / (p.box.clip * math.Sqrt(float64(p.dim)))
	widest := 0.0
	for i := range d.mean {
		d.mean[i] = p.box.clamp(p.box.middle + total[1+i]/float64(unit*d.rows))
		h := p.box.clip + math.Abs(d.mean[i]-p.box.middle)
		widest += float64(h * h)
	}
	d.widest = math.Sqrt(widest)
	return d, nil, 1, nil
}

// deviations finds, for each column, the mean distance of its values from their mean. It does
// not use squares, because noise for the widest distances would drown the squares of small
// ones.
type deviations struct {
	means
	rows   float64   // of all participants
	mean   []float64 // M
	widest float64   // length of the longest vector of distances of a row
}

func (p *deviations) len() int              { return p.dim }
func (p *deviations) parameters() []float64 { return p.mean }

func (p *deviations) sum(r *passes.Reader) ([]float64, error) {
	return p.box.sum(r, p.len(), func() adder {
		return func(to, row []float64) {
			for i, v := range row {
				to[i] += math.Abs(v-p.mean[i]) / p.widest
			}
		}
	})
}

func (p *deviations) next(total []float64, sd float64) (phase, *Mixture, float64, error) {
	// The mean distance of a normal distribution is √(2/π) of its standard deviation.
	const of = 1.2533141373155003
	c := &covariance{means: p.means, rows: p.rows, mean: p.mean, unit: make([]float64, p.dim)}
	least := math.Max(float64(p.widest*sd)/p.rows, float64(p.box.clip*1e-6))
	for i, v := range total {
		c.unit[i] = float64(of * math.Min(2*p.box.clip, math.Max(float64(v*p.widest)/p.rows, least)))
	}
	return c, nil, 1, nil
}
