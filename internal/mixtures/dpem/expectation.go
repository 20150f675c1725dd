package dpem

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/kernels/lapack"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/numeric/portable"
)

// Mixture is the mixture that the totals estimate.
type Mixture struct {
	Rows        []float64  // K values, rows of all participants
	Means       *mat.Dense // K by M
	Covariances []*mat.SymDense
}

// component is a component's current estimate.
type component struct {
	rows       float64
	mean       []float64
	covariance []float64 // M by M
	root       []float64 // U, upper triangular, with the covariance matrix UᵀU
	logNorm    float64   // logarithm of the weight, minus half the logarithm of the determinant
}

// expectation makes one EM step. Each component has its own coordinates, in which it is the
// standard normal distribution.
type expectation struct {
	means
	at []component
}

var errSingular = errors.New("a covariance matrix is not positive definite")

// prepare computes the values that responsibilities need.
func (p *expectation) prepare() error {
	all := 0.0
	for _, c := range p.at {
		all += c.rows
	}
	for i := range p.at {
		c := &p.at[i]
		root, ok := lapack.FactoriseRows(c.covariance, p.dim)
		if !ok {
			return errSingular
		}
		c.root = root.U()
		c.logNorm = portable.Log(c.rows/all) - root.LogDet()/2
	}
	return nil
}

func (p *expectation) radius() float64 { return far * math.Sqrt(float64(p.dim)) }

func (p *expectation) weighing() *weighing {
	w := &weighing{components: len(p.at), dim: p.dim, first: p.radius(), form: p.of.Form}
	w.second = w.first * w.first
	if w.form == Diag {
		w.second = far * far * math.Sqrt(3*float64(p.dim))
	}
	return w
}

func (p *expectation) len() int { return p.weighing().len() }

func (p *expectation) parameters() (out []float64) {
	for _, c := range p.at {
		out = append(append(append(out, c.rows), c.mean...), c.covariance...)
	}
	return out
}

func (p *expectation) sum(r *passes.Reader) ([]float64, error) {
	w, radius := p.weighing(), p.radius()
	k, m := len(p.at), p.dim
	matrices, values := w.seconds()
	sums, err := p.box.sum(r, w.len(), func() adder {
		all, squares, shares := make([]float64, k*m), make([]float64, k), make([]float64, k)
		return func(to, row []float64) {
			top, sum := math.Inf(-1), 0.0
			for i := range p.at {
				squares[i] = p.at[i].seen(row, all[i*m:(i+1)*m])
				shares[i] = p.at[i].logNorm - squares[i]/2
				top = math.Max(top, shares[i])
			}
			for i, v := range shares {
				shares[i] = math.Exp(v - top)
				sum += shares[i]
			}
			for i, share := range shares {
				if share /= sum; share < negligible {
					continue
				}
				u, s := all[i*m:(i+1)*m], math.Min(1, radius/math.Sqrt(squares[i]))
				to[i] += share
				first := to[k+i*m : k+(i+1)*m]
				for a, v := range u {
					first[a] += share * s * v
				}
				second := to[k*(1+m):]
				if matrices > 1 {
					second = second[i*values : (i+1)*values]
				}
				if w.form == Diag {
					addSquares(second, u, share, w.second)
				} else {
					addProducts(second, u, share*s*s)
				}
			}
		}
	})
	w.scale(sums)
	return sums, err
}

// addSquares adds share times the squares of u, a vector that it shortens to at most the length
// most.
func addSquares(to, u []float64, share, most float64) {
	length := 0.0
	for _, v := range u {
		length += v * v * v * v
	}
	share *= math.Min(1, most/math.Sqrt(length))
	for a, v := range u {
		to[a] += share * v * v
	}
}

func addProducts(to, u []float64, share float64) {
	at := 0
	for i, v := range u {
		v *= share
		row := to[at : at+len(u)-i]
		for j, w := range u[i:] {
			row[j] += v * w
		}
		at += len(u) - i
	}
}

// seen sets u to the row in the component's coordinates, U⁻ᵀ(x − μ), and returns its squared
// length.
func (c *component) seen(row, u []float64) (square float64) {
	m := len(u)
	for i := range u {
		u[i] = row[i] - c.mean[i]
	}
	for i := range u {
		root := c.root[i*m+i : (i+1)*m]
		v := u[i] / root[0]
		u[i] = v
		rest := u[i+1:]
		for j, w := range root[1:] {
			rest[j] -= v * w
		}
		square += v * v
	}
	return square
}

func (p *expectation) next(total []float64, sd float64) (phase, *Mixture, float64, error) {
	s := p.weighing().moments(total, sd)
	out := &expectation{means: p.means, at: make([]component, len(p.at))}
	all, moved := 0.0, 0.0
	for i := range p.at {
		all += math.Max(0, s.rows[i])
	}
	var tied []float64
	if p.of.Form == Tied {
		tied = p.change(s.second[0], math.Max(1, all), s.secondSD)
	}
	for i, c := range p.at {
		n := math.Max(1, s.rows[i])
		c.rows = n
		if n > 3*s.rowsSD && n > 1 {
			mean := make([]float64, p.dim)
			blas.AddScaled(mean, 1/n, s.first[i*p.dim:(i+1)*p.dim])
			share := less(norm2(mean), float64(float64(p.dim)*float64(s.firstSD*s.firstSD))/float64(n*n))
			for a := range mean {
				mean[a] = float64(mean[a] * share)
			}
			moved += float64(n * norm2(mean))
			change := tied
			if change == nil {
				second := append([]float64(nil), s.second[i]...)
				change = p.change(second, n, s.secondSD)
			}
			c = c.moved(mean, change, p.of.Form)
		}
		out.at[i] = c
	}
	if err := out.prepare(); err != nil {
		return nil, nil, 0, err
	}
	return out, out.mixture(), math.Sqrt(moved / math.Max(1, all)), nil
}

// leastVariance is the smallest factor by which one EM step may change a variance.
const leastVariance = 0.05

// change returns the covariance matrix of rows in a component's coordinates, given the sum of
// products of n rows: the identity, plus the part of the difference that exceeds the noise.
func (p *expectation) change(second []float64, n, sd float64) []float64 {
	m := p.dim
	noise := sd / n // of a product
	out := make([]float64, m*m)
	if p.of.Form == Diag {
		square := 0.0
		for i, v := range second {
			second[i] = v/n - 1
			square += float64(second[i] * second[i])
		}
		share := less(square, float64(2*float64(m))*float64(noise*noise))
		for i, v := range second {
			out[i*m+i] = math.Max(leastVariance, 1+float64(share*v))
		}
		return out
	}
	for i, v := range second {
		out[i] = v / n
	}
	for i := range m {
		out[i*m+i]--
	}
	if p.of.Form == Factor {
		edge := float64(2*math.Sqrt(float64(m))) * noise
		return spectral(out, m, func(v float64) float64 {
			if math.Abs(v) <= edge {
				return 1
			}
			kept := math.Sqrt(float64(v*v) - float64(edge*edge))
			return math.Max(leastVariance, 1+math.Copysign(kept, v))
		})
	}
	share := less(norm2(out), float64(float64(m)*float64(m+1))*float64(noise*noise))
	for i := range out {
		out[i] = float64(out[i] * share)
	}
	for i := range m {
		out[i*m+i]++
	}
	return raised(out, m, leastVariance)
}

// moved returns the component with the given mean and covariance matrix, which are in its
// coordinates.
func (c component) moved(mean, covariance []float64, form string) component {
	m := len(mean)
	at := append([]float64(nil), c.mean...)
	for i, v := range mean { // Uᵀ times the mean
		blas.AddScaled(at[i:], v, c.root[i*m+i:(i+1)*m])
	}
	if form == Full || form == Factor {
		inner := append([]float64(nil), covariance...)
		for i := range m {
			blas.AddScaled(inner[i*m:(i+1)*m], -mean[i], mean)
		}
		covariance = raised(inner, m, leastVariance)
	}
	c.mean, c.covariance = at, congruent(c.root, covariance, m)
	return c
}

func (p *expectation) mixture() *Mixture {
	out := &Mixture{Means: mat.NewDense(len(p.at), p.dim, nil)}
	for i, c := range p.at {
		out.Rows = append(out.Rows, c.rows)
		out.Means.SetRow(i, c.mean)
		out.Covariances = append(out.Covariances, mat.NewSymDense(p.dim, append([]float64(nil), c.covariance...)))
	}
	return out
}
