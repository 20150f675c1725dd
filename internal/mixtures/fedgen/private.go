package fedgen

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/kernels/lapack"
	"github.com/collabdict/collabdict/internal/mixtures/em"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/privacy"
)

// Private is [Local] with differential privacy. It runs EM with Gaussian noise on the sums of
// each iteration (DP-EM, Park et al. 2017). Neither the start nor the number k of components
// depends on the rows. The seed of the start is public; noise must be a source that nobody else
// can guess, used only once.
//
// Components of few rows are lost in noise: a component does not change while the error of its
// mean would be half a column's range. A start that ignores the rows ends in a worse optimum
// than k-means++; more components make up for that.
//
// spent is the loss.
func Private(x *mat.Dense, k int, form gmm.Covariance, p Privacy, seed [32]byte, noise rand.Source) (c Contribution, spent privacy.ZCDP, err error) {
	_, dim := x.Dims()
	if err := p.Validate(dim); err != nil {
		return c, 0, err
	}
	return p.learn(x, unitStart(k, dim, form, seed), noise)
}

// learn is [Private] from a given start, which it changes.
func (p Privacy) learn(x *mat.Dense, start Moments, noise rand.Source) (out Contribution, spent privacy.ZCDP, err error) {
	e, account := &privateEM{z: p.unit(x), noise: noise, model: start}, p.account()
	for range p.iterations() {
		m, err := e.model.Mixture()
		if err != nil {
			return out, account.Spent(), err
		}
		planned := account.Plan(1)
		account.Spend(planned, 1, 1)
		e.sigma = planned.Deviation(sensitivity)
		e.maximise(e.sums(m.Responsibilities(e.z)))
	}
	out = Contribution{Rows: int(math.Max(1, math.Round(e.rows))), Moments: p.units(e.model)}
	return out, account.Spent(), out.Validate()
}

// privateEM runs EM on rows within [−1, 1] in each column.
type privateEM struct {
	z     *mat.Dense
	sigma float64
	noise rand.Source
	model Moments
	rows  float64 // noisy number of rows in the last iteration
}

// unit returns the rows with each column's range mapped to [−1, 1]. Values outside are clamped,
// and a value that is not a number becomes 0.
func (p Privacy) unit(x *mat.Dense) *mat.Dense {
	var z mat.Dense
	z.Apply(func(_, i int, v float64) float64 {
		v = (v - p.Low[i]) / (p.High[i] - p.Low[i])
		if math.IsNaN(v) {
			return 0
		}
		return 2*math.Max(0, math.Min(1, v)) - 1
	}, x)
	return &z
}

func (p Privacy) units(m Moments) Moments {
	half := make([]float64, len(p.Low))
	floats.SubTo(half, p.High, p.Low)
	floats.Scale(0.5, half)
	for k, mean := range m.Means {
		for i, h := range half {
			mean[i] = p.Low[i] + float64(h*(mean[i]+1))
		}
		c := m.Covariances[k]
		for at := range c {
			if m.Form == gmm.Full {
				c[at] *= half[at/len(half)] * half[at%len(half)]
			} else {
				c[at] *= half[at] * half[at]
			}
		}
		if m.Form == gmm.Spherical {
			level(c)
		}
	}
	return m
}

// unitStart returns k centres spread over the middle half of the cube, because rows are seldom
// at the ends of a range. Each has the variances of a box with the k-th part of the cube's
// volume.
func unitStart(k, dim int, form gmm.Covariance, seed [32]byte) Moments {
	low, high := make([]float64, dim), make([]float64, dim)
	floats.AddConst(-0.5, low)
	floats.AddConst(0.5, high)
	centres := em.Spread(k, low, high, source(seed, "private start", 0))
	m := Moments{Form: form}
	for c := range k {
		m.Weights = append(m.Weights, 1/float64(k))
		m.Means = append(m.Means, centres.RawRowView(c))
		covariance := make([]float64, stride(form, dim))
		for i := range dim {
			covariance[i*step(form, dim)] = math.Pow(float64(k), -2/float64(dim)) / 3
		}
		m.Covariances = append(m.Covariances, covariance)
	}
	return m
}

// step returns the distance in memory between two variances of a component.
func step(form gmm.Covariance, dim int) int {
	if form == gmm.Full {
		return dim + 1
	}
	return 1
}

// noisy holds the sums over rows of one component, about the origin.
type noisy struct {
	n             float64
	first, second []float64
}

// scales returns the largest lengths of a row's first and second moments. As Σ_k r_k² ≤ 1, no
// row changes the moments of all components together by more.
func (e *privateEM) scales() (first, second float64) {
	dim := float64(e.model.Dim())
	if e.model.Form == gmm.Full {
		return math.Sqrt(dim), math.Sqrt(dim * (dim + 1) / 2)
	}
	return math.Sqrt(dim), math.Sqrt(dim)
}

// sums returns the noisy moments of the rows with responsibilities r.
func (e *privateEM) sums(r *mat.Dense) []noisy {
	dim := e.model.Dim()
	width := stride(e.model.Form, dim)
	all := make([]noisy, len(e.model.Weights))
	scale1, scale2 := e.scales()
	point, origin := make([]float64, width), make([]float64, dim)
	for k := range all {
		s := noisy{first: make([]float64, dim), second: make([]float64, width)}
		rows, _ := r.Dims()
		for j := range rows {
			weight, z := r.At(j, k), e.z.RawRowView(j)
			s.n += weight
			blas.AddScaled(s.first, weight, z)
			addSpread(s.second, weight, point, z, origin)
		}
		s.n = privacy.Noisy(s.n, e.sigma, e.noise)
		for i, v := range s.first {
			s.first[i] = privacy.Noisy(v, e.sigma*scale1, e.noise)
		}
		for at := range s.second {
			if e.model.Form == gmm.Full && at/dim > at%dim {
				s.second[at] = s.second[at%dim*dim+at/dim]
				continue
			}
			s.second[at] = privacy.Noisy(s.second[at], e.sigma*scale2, e.noise)
		}
		all[k] = s
	}
	return all
}

// maximise makes the M-step from noisy sums. After the sums, nothing uses the rows.
func (e *privateEM) maximise(sums []noisy) {
	scale1, scale2 := e.scales()
	e.rows = 0
	for k, s := range sums {
		weight := math.Max(s.n, 1e-3)
		e.model.Weights[k] = weight
		e.rows += s.n
		if s.n < 1 || s.n < e.sigma*scale1 {
			continue
		}
		for i, v := range s.first {
			e.model.Means[k][i] = math.Max(-1, math.Min(1, v/s.n))
		}
		floats.Scale(1/s.n, s.second)
		// A variance below its own noise cannot be distinguished from 0.
		least := math.Min(1, math.Max(1e-6, e.sigma*scale2/s.n))
		e.model.Covariances[k] = aroundMean(e.model.Form, s.second, e.model.Means[k], least)
	}
	floats.Scale(1/passes.Sum(e.model.Weights), e.model.Weights)
}

// aroundMean returns the covariance matrix for second moments about the origin. Its eigenvalues
// are kept between least and the dimension, the most that rows in the cube can have.
func aroundMean(form gmm.Covariance, second, mean []float64, least float64) []float64 {
	dim := len(mean)
	out := make([]float64, len(second))
	clamp := func(v float64) float64 { return math.Max(least, math.Min(float64(dim), v)) }
	if form != gmm.Full {
		for i, v := range second {
			out[i] = clamp(v - float64(mean[i]*mean[i]))
		}
		if form == gmm.Spherical {
			level(out)
		}
		return out
	}
	c := make([]float64, dim*dim)
	for i := range dim {
		for j := i; j < dim; j++ {
			c[i*dim+j] = second[i*dim+j] - float64(mean[i]*mean[j])
			c[j*dim+i] = c[i*dim+j]
		}
	}
	values, vectors, ok := lapack.Eigen(c, dim)
	if !ok {
		panic("fedgen: eigenvalues of a finite matrix do not converge")
	}
	for i, v := range values {
		axis := vectors[i*dim : (i+1)*dim]
		for j, a := range axis {
			blas.AddScaled(out[j*dim:(j+1)*dim], clamp(v)*a, axis)
		}
	}
	return out
}
