package variational

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
)

// Config holds the settings of [Fit]. Fields that are zero have their defaults.
type Config struct {
	// Components is the truncation, the largest number of clusters. The default is 20, or the
	// number of rows if there are fewer.
	Components int
	// Concentration is α of the Dirichlet process: smaller values give fewer clusters. The
	// default is 1/Components.
	Concentration float64
	// Tol ends the iterations when the lower bound of the evidence rises by less, in nats per
	// row. The default is 1e-3.
	Tol float64
	// Iterations is the largest number of iterations. The default is 500.
	Iterations int
}

func (c Config) withDefaults(rows int) Config {
	if c.Components == 0 {
		c.Components = min(20, rows)
	}
	if c.Concentration == 0 {
		c.Concentration = 1 / float64(c.Components)
	}
	if c.Tol == 0 {
		c.Tol = 1e-3
	}
	if c.Iterations == 0 {
		c.Iterations = 500
	}
	return c
}

// Fitted is the result of [Fit].
type Fitted struct {
	// Mixture has the posterior's means, and the components' expected weights and precisions.
	// Components without rows have next to no weight.
	Mixture *gmm.Mixture
	// Trace is the lower bound of the evidence after each iteration, in nats per row.
	Trace     []float64
	Converged bool
}

// Labels returns the component with the highest responsibility, for each row of x.
func (f *Fitted) Labels(x *mat.Dense) []int {
	rows, _ := x.Dims()
	out := make([]int, rows)
	resp := f.Mixture.Responsibilities(x)
	for i := range out {
		out[i] = floats.MaxIdx(resp.RawRowView(i))
	}
	return out
}

// Clusters returns the number of components that Labels assigns to at least one row of x.
func (f *Fitted) Clusters(x *mat.Dense) int {
	labels := f.Labels(x)
	slices.Sort(labels)
	return len(slices.Compact(labels))
}

// Fit infers the mixture of the rows of x from a k-means++ start. In the model, weights are
// pieces of a broken stick, and clusters are normal distributions:
//
//	w_k = v_k Π_{j<k}(1−v_j) with v_k ~ Beta(1, α)
//	N(μ_k, λ_k⁻¹I) with λ_k ~ Gamma(a₀, b₀) and μ_k ~ N(m₀, (β₀λ_k)⁻¹I)
//
// Here m₀ is the mean of the rows, β₀ = 1, a₀ = d/2, and b₀ is a₀ times the mean variance of the
// d columns.
func Fit(x *mat.Dense, c Config, src rand.Source) (*Fitted, error) {
	rows, dim := x.Dims()
	c = c.withDefaults(rows)
	if c.Components < 1 || c.Components > rows || c.Iterations < 1 || !(c.Concentration > 0) {
		return nil, fmt.Errorf("variational: want 1 to %d components, a concentration above 0 and an iteration, got %d, %g and %d", rows, c.Components, c.Concentration, c.Iterations)
	}
	if err := gmm.CheckRows(gmm.Matrix(x)); err != nil {
		return nil, err
	}
	p := newPosterior(x, c)
	resp := mat.NewDense(rows, c.Components, nil)
	for i, k := range gmm.Nearest(x, gmm.KMeans(x, c.Components, src)) {
		resp.Set(i, k, 1)
	}
	out := &Fitted{}
	for n := range c.Iterations {
		p.update(x, resp)
		out.Trace = append(out.Trace, (p.expect(x, resp)-p.divergence())/float64(rows))
		if n > 0 && out.Trace[n]-out.Trace[n-1] < c.Tol {
			out.Converged = true
			break
		}
	}
	var err error
	weights, precisions := p.weights(), mat.NewDense(c.Components, dim, nil)
	for k := range c.Components {
		for j := range dim {
			precisions.Set(k, j, p.a[k]/p.b[k])
		}
	}
	out.Mixture, err = gmm.NewDiagMixture(gmm.Spherical, weights, p.m, precisions)
	return out, err
}

// weights returns the expected weights of the components; the last component gets the rest of
// the stick.
func (p *posterior) weights() []float64 {
	out, rest := make([]float64, len(p.a)), 1.0
	for k := range out {
		v := 1.0
		if k < len(out)-1 {
			v = p.v1[k] / (p.v1[k] + p.v2[k])
		}
		out[k] = rest * v
		rest *= 1 - v
	}
	floats.Scale(1/floats.Sum(out), out)
	return out
}

func lgamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}
