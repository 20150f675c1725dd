package dpem

import (
	"math"
	"math/rand/v2"

	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/kernels/lapack"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/numeric/portable"
)

// centres moves many centres to the rows, by soft clustering with one spherical variance in
// columns of unit variance. In the end the nearest centres are joined until there is one per
// component.
type centres struct {
	means
	rows       float64
	mean, unit []float64 // M
	shape      []float64 // correlations, M by M
	at         []float64 // centres, K′ by M
	weight     []float64 // K′ values, rows of each centre in the last total
	square     float64   // mean squared distance of rows from their centres
	widest     float64   // largest variance of all rows in any direction
	round      int
}

// spare is the number of centres per component.
const spare = 4

// drawing separates the draws of centres from those of a split with the same seed.
const drawing = 0x9e3779b97f4a7c15

// begin draws the centres from the normal distribution of all rows.
func (p *centres) begin() {
	root, ok := lapack.FactoriseRows(raised(p.shape, p.dim, 1e-6), p.dim)
	if !ok {
		panic("dpem: a raised matrix is not positive definite")
	}
	u := root.U()
	k := spare * p.of.Components
	p.at, p.weight = make([]float64, k*p.dim), make([]float64, k)
	src := rand.NewPCG(p.of.Seed, drawing)
	for i := range k {
		c := p.at[i*p.dim : (i+1)*p.dim]
		for j := range p.dim {
			blas.AddScaled(c[j:], portable.Normal(src), u[j*p.dim+j:(j+1)*p.dim])
		}
	}
	p.square = float64(p.dim)
	values, _, ok := lapack.Eigen(append([]float64(nil), p.shape...), p.dim)
	if p.widest = 1; ok {
		p.widest = values[p.dim-1]
	}
}

func (p *centres) radius() float64 { return math.Sqrt(p.square) }

func (p *centres) len() int { return len(p.weight) * (1 + p.dim) }

func (p *centres) parameters() []float64 {
	out := append(append([]float64(nil), p.mean...), p.unit...)
	return append(append(out, p.at...), p.square)
}

const (
	// softness is the maximum number of columns for which a distance counts. With more, nearly
	// every row would belong to one centre only.
	softness = 3
	// merging is the share of the widest variance above which all centres would coincide.
	merging = 0.5
)

// variance returns the variance by which a row belongs to centres.
func (p *centres) variance() float64 {
	return math.Max(p.square/float64(p.dim), math.Min(p.square/softness, merging*p.widest))
}

// The shares of counts and of first moments in a vector.
const (
	centreCounts = 0.2
	centreFirst  = 1 - centreCounts
)

func (p *centres) sum(r *passes.Reader) ([]float64, error) {
	k, radius := len(p.weight), p.radius()
	variance := p.variance()
	counts, first := math.Sqrt(centreCounts), math.Sqrt(centreFirst)/radius
	return p.box.sum(r, p.len(), func() adder {
		distances, shares := make([]float64, k), make([]float64, k)
		return func(to, row []float64) {
			for i := range row {
				row[i] = (row[i] - p.mean[i]) / p.unit[i]
			}
			least, sum := math.Inf(1), 0.0
			for i := range k {
				distances[i] = 0
				for j, v := range row {
					d := v - p.at[i*p.dim+j]
					distances[i] += d * d
				}
				least = math.Min(least, distances[i])
			}
			for i, d := range distances {
				shares[i] = math.Exp((least - d) / (2 * variance))
				sum += shares[i]
			}
			for i, share := range shares {
				share /= sum
				to[i] += counts * share
				weight := first * share * math.Min(1, radius/math.Sqrt(distances[i]))
				if weight < negligible {
					continue
				}
				at, c := to[k+i*p.dim:], p.at[i*p.dim:]
				for j, v := range row {
					at[j] += weight * (v - c[j])
				}
			}
		}
	})
}

func (p *centres) next(total []float64, sd float64) (phase, *Mixture, float64, error) {
	out := *p
	k := len(p.weight)
	out.at, out.weight = append([]float64(nil), p.at...), make([]float64, k)
	countSD, firstSD := sd/math.Sqrt(centreCounts), float64(sd*p.radius())/math.Sqrt(centreFirst)
	between, all, moved := 0.0, 0.0, 0.0
	for i := range k {
		n := total[i] / math.Sqrt(centreCounts)
		if n < math.Max(1, 2*countSD) {
			continue
		}
		step := make([]float64, p.dim)
		blas.AddScaled(step, float64(p.radius()/math.Sqrt(centreFirst))/n, total[k+i*p.dim:k+(i+1)*p.dim])
		// Take only the part of the step that is not noise.
		share := less(norm2(step), float64(float64(p.dim)*float64(firstSD*firstSD))/float64(n*n))
		c := out.at[i*p.dim : (i+1)*p.dim]
		blas.AddScaled(c, share, step)
		out.weight[i] = n
		between += float64(n * norm2(c))
		moved += float64(float64(n*share*share) * norm2(step))
		all += n
	}
	const least = 0.1 // as a share of the mean square of all rows, which is the number of columns
	out.square = float64(p.dim)
	if all > 0 {
		out.square = math.Max(float64(least*out.square), out.square-between/all)
		moved = math.Sqrt(moved / all)
	}
	if out.round++; out.round < centreRounds {
		return &out, nil, moved, nil
	}
	first, err := out.components()
	return first, nil, moved, err
}

// components joins centres, and returns the first round of EM from the result. All components
// start with the covariance matrix that rows have within components.
func (p *centres) components() (*expectation, error) {
	at, weight := p.joined()
	k := len(weight)
	out := &expectation{means: p.means, at: make([]component, k)}
	all := 0.0
	for _, w := range weight {
		all += w
	}
	within := append([]float64(nil), p.shape...)
	for i, w := range weight {
		c := at[i]
		for a := range p.dim {
			blas.AddScaled(within[a*p.dim:(a+1)*p.dim], -float64(w/all*c[a]), c)
		}
	}
	const least = 0.03 // as a share of the variance of all rows
	if p.of.Form == Diag {
		for a := range p.dim {
			for b := range p.dim {
				if a != b {
					within[a*p.dim+b] = 0
				}
			}
		}
	}
	within = raised(within, p.dim, least)
	for a := range p.dim {
		for b := range p.dim {
			within[a*p.dim+b] = float64(float64(within[a*p.dim+b]*p.unit[a]) * p.unit[b])
		}
	}
	for i, c := range at {
		mean := make([]float64, p.dim)
		for a := range mean {
			mean[a] = p.mean[a] + float64(p.unit[a]*c[a])
		}
		out.at[i] = component{rows: float64(p.rows*weight[i]) / all, mean: mean, covariance: within}
	}
	return out, out.prepare()
}

// joined joins centres until there is one per component. It always joins the two that add least
// to the sum of squares within centres (Ward 1963).
func (p *centres) joined() (at [][]float64, weight []float64) {
	for i, w := range p.weight {
		if w > 0 {
			at = append(at, append([]float64(nil), p.at[i*p.dim:(i+1)*p.dim]...))
			weight = append(weight, w)
		}
	}
	for i := 0; len(at) < p.of.Components; i++ { // with few rows, noise may leave too few centres
		at, weight = append(at, append([]float64(nil), p.at[i*p.dim:(i+1)*p.dim]...)), append(weight, 1)
	}
	for len(at) > p.of.Components {
		least, first, second := math.Inf(1), 0, 1
		for i := range at {
			for j := range i {
				d := 0.0
				for a, v := range at[i] {
					d += float64((v - at[j][a]) * (v - at[j][a]))
				}
				if cost := float64(d*weight[i]) * weight[j] / (weight[i] + weight[j]); cost < least {
					least, first, second = cost, j, i
				}
			}
		}
		sum := weight[first] + weight[second]
		for a := range at[first] {
			at[first][a] = (float64(weight[first]*at[first][a]) + float64(weight[second]*at[second][a])) / sum
		}
		weight[first] = sum
		at, weight = append(at[:second], at[second+1:]...), append(weight[:second], weight[second+1:]...)
	}
	return at, weight
}
