package dpem

import (
	"math"

	"github.com/collabdict/collabdict/internal/mixtures/passes"
)

// covariance finds the mean and the covariance matrix of all rows, in units of the columns'
// deviations.
type covariance struct {
	means
	rows       float64
	mean, unit []float64 // M
}

// far is the maximum length of a row, in units of the root of the number of columns. A normal
// row typically has length 1.
const far = 1.1

func (p *covariance) radius() float64 { return float64(far * math.Sqrt(float64(p.dim))) }

func (p *covariance) len() int { return 1 + p.dim + p.dim*(p.dim+1)/2 }
func (p *covariance) parameters() []float64 {
	return append(append([]float64(nil), p.mean...), p.unit...)
}

func (p *covariance) sum(r *passes.Reader) ([]float64, error) {
	sums, err := p.box.sum(r, p.len(), func() adder {
		return func(to, row []float64) {
			for i := range row {
				row[i] = (row[i] - p.mean[i]) / p.unit[i]
			}
			s := math.Min(1, p.radius()/math.Sqrt(norm2(row)))
			to[0]++
			for i, v := range row {
				to[1+i] += s * v
			}
			addProducts(to[1+p.dim:], row, s*s)
		}
	})
	p.weighing().scale(sums)
	return sums, err
}

func (p *covariance) weighing() *weighing {
	return &weighing{components: 1, dim: p.dim, first: p.radius(), second: p.radius() * p.radius()}
}

func (p *covariance) next(total []float64, sd float64) (phase, *Mixture, float64, error) {
	m := p.weighing().moments(total, sd)
	n := math.Max(1, m.rows[0])
	out := &centres{means: p.means, rows: n, mean: make([]float64, p.dim), unit: make([]float64, p.dim)}
	mean := make([]float64, p.dim)
	for i, v := range m.first[:p.dim] {
		mean[i] = v / n
	}
	s := m.second[0]
	least := math.Max(float64(4*m.secondSD)/n, 1e-6)
	for i := range p.dim {
		for j := range p.dim {
			s[i*p.dim+j] = s[i*p.dim+j]/n - float64(mean[i]*mean[j])
		}
	}
	s = raised(s, p.dim, least)
	for i := range p.dim {
		out.unit[i] = float64(p.unit[i] * math.Sqrt(s[i*p.dim+i]))
		out.mean[i] = p.box.clamp(p.mean[i] + float64(p.unit[i]*mean[i]))
	}
	out.shape = make([]float64, p.dim*p.dim)
	for i := range p.dim {
		for j := range p.dim {
			out.shape[i*p.dim+j] = s[i*p.dim+j] / math.Sqrt(float64(s[i*p.dim+i]*s[j*p.dim+j]))
		}
	}
	out.begin()
	return out, nil, 1, nil
}
