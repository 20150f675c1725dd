package variational

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"
)

// posterior is the posterior of the parameters, for K components in d columns.
type posterior struct {
	alpha      float64
	m0         []float64
	a0, b0     float64
	v1, v2     []float64 // parameters of v_k ~ Beta(v1, v2)
	m          *mat.Dense
	beta, a, b []float64 // parameters of μ_k ~ N(m_k, (β_k λ_k)⁻¹I) and λ_k ~ Gamma(a_k, b_k)
}

const (
	beta0 = 1
	// leastRows is the number of rows from which a component has its own mean; for fewer rows,
	// the reciprocal may be infinite.
	leastRows = 1e-300
)

func newPosterior(x *mat.Dense, c Config) *posterior {
	rows, dim := x.Dims()
	k := c.Components
	p := &posterior{
		alpha: c.Concentration, m0: make([]float64, dim), a0: float64(dim) / 2,
		v1: make([]float64, k), v2: make([]float64, k), m: mat.NewDense(k, dim, nil),
		beta: make([]float64, k), a: make([]float64, k), b: make([]float64, k),
	}
	variance := 0.0
	for i := range rows {
		floats.AddScaled(p.m0, 1/float64(rows), x.RawRowView(i))
	}
	for i := range rows {
		variance += squared(x.RawRowView(i), p.m0) / float64(rows*dim)
	}
	p.b0 = p.a0 * math.Max(variance, math.SmallestNonzeroFloat64)
	return p
}

// update sets the posterior of the parameters, given the responsibilities. It orders the
// components by their rows: among all orders of a stick's pieces, the bound is highest with the
// largest first.
func (p *posterior) update(x, resp *mat.Dense) {
	rows, k := resp.Dims()
	_, dim := x.Dims()
	n := make([]float64, k)
	for i := range rows {
		floats.Add(n, resp.RawRowView(i))
	}
	order := make([]int, k)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(n[j], n[i]) })
	after := floats.Sum(n)
	mean := make([]float64, dim)
	for to, from := range order {
		after -= n[from]
		p.v1[to], p.v2[to] = 1+n[from], p.alpha+math.Max(0, after)
		clear(mean)
		for i := range rows {
			floats.AddScaled(mean, resp.At(i, from), x.RawRowView(i))
		}
		if n[from] > leastRows {
			floats.Scale(1/n[from], mean)
		}
		scatter := 0.0
		for i := range rows {
			if r := resp.At(i, from); r > 0 {
				scatter += r * squared(x.RawRowView(i), mean)
			}
		}
		p.beta[to] = beta0 + n[from]
		row := p.m.RawRowView(to)
		for j, v := range p.m0 {
			row[j] = (beta0*v + n[from]*mean[j]) / p.beta[to]
		}
		p.a[to] = p.a0 + float64(dim)*n[from]/2
		p.b[to] = p.b0 + (scatter+beta0*n[from]/p.beta[to]*squared(mean, p.m0))/2
	}
}

// expect sets the responsibilities, given the posterior of the parameters. It returns the sum
// over the rows of the logarithm of their normalising constants, which is the bound without
// [posterior.divergence].
func (p *posterior) expect(x, resp *mat.Dense) (sum float64) {
	rows, dim := x.Dims()
	k := len(p.a)
	base := make([]float64, k)
	rest := 0.0 // E Σ_{j<k} ln(1−v_j)
	for i := range base {
		both := mathext.Digamma(p.v1[i] + p.v2[i])
		if i < k-1 {
			base[i] = mathext.Digamma(p.v1[i]) - both
		}
		base[i] += rest + float64(dim)/2*(mathext.Digamma(p.a[i])-math.Log(p.b[i])-1/p.beta[i]-math.Log(2*math.Pi))
		rest += mathext.Digamma(p.v2[i]) - both
	}
	for i := range rows {
		row := resp.RawRowView(i)
		for j := range row {
			row[j] = base[j] - p.a[j]/p.b[j]*squared(x.RawRowView(i), p.m.RawRowView(j))/2
		}
		total := floats.LogSumExp(row)
		sum += total
		for j, v := range row {
			row[j] = math.Exp(v - total)
		}
	}
	return sum
}

// divergence returns the Kullback-Leibler divergence of the posterior of the parameters from
// their prior.
func (p *posterior) divergence() (sum float64) {
	dim := float64(len(p.m0))
	for k, a := range p.a {
		if k < len(p.a)-1 {
			v, w := p.v1[k], p.v2[k]
			both := mathext.Digamma(v + w)
			sum += lgamma(v+w) - lgamma(v) - lgamma(w) - math.Log(p.alpha)
			sum += (v-1)*(mathext.Digamma(v)-both) + (w-p.alpha)*(mathext.Digamma(w)-both)
		}
		b := p.b[k]
		sum += (a-p.a0)*mathext.Digamma(a) - lgamma(a) + lgamma(p.a0) + p.a0*math.Log(b/p.b0) + a*(p.b0-b)/b
		ratio := beta0 / p.beta[k]
		sum += (dim*(ratio-1-math.Log(ratio)) + beta0*a/b*squared(p.m.RawRowView(k), p.m0)) / 2
	}
	return sum
}

func squared(x, y []float64) (sum float64) {
	for i, v := range x {
		d := v - y[i]
		sum += float64(d * d)
	}
	return sum
}
