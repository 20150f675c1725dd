package fedgen

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/gmm/dem"
	"github.com/collabdict/collabdict/gmm/internal/passes"
	"github.com/collabdict/collabdict/gmm/privacy"
	"github.com/collabdict/collabdict/internal/portable"
)

// Private is [Local] with differential privacy: EM from a start that does not depend
// on the rows, with Gaussian noise on the sums of each iteration (DP-EM, Park et al.
// 2017), and k components, which are not chosen by the rows either. The seed of the
// start is public; noise must be a source that nobody else can guess, and that is used
// once.
//
// Few rows are lost in noise: a component is left as it was while its mean would have
// an error of the column's half range. A start that knows nothing of the rows ends in a
// worse optimum than k-means++; more components make up for that.
func Private(x *mat.Dense, k int, form gmm.Covariance, p Privacy, seed [32]byte, noise rand.Source) (Contribution, error) {
	_, dim := x.Dims()
	if err := p.Validate(dim); err != nil {
		return Contribution{}, err
	}
	if err := (Range{k, k}).Validate(); err != nil {
		return Contribution{}, err
	}
	return p.learn(x, unitStart(k, dim, form, seed), noise)
}

// learn is [Private] from a start, which it changes.
func (p Privacy) learn(x *mat.Dense, start Moments, noise rand.Source) (Contribution, error) {
	e := &privateEM{z: p.unit(x), sigma: p.Sigma(), noise: noise, model: start}
	for range p.iterations() {
		m, err := e.model.Mixture()
		if err != nil {
			return Contribution{}, err
		}
		e.maximise(e.sums(m.Responsibilities(e.z)))
	}
	out := Contribution{Rows: int(math.Max(1, math.Round(e.rows))), Moments: p.units(e.model)}
	return out, out.Validate()
}

// privateEM is EM on rows within [−1, 1] in each column.
type privateEM struct {
	z     *mat.Dense
	sigma float64
	noise rand.Source
	model Moments
	rows  float64 // of the last iteration, with noise
}

// unit returns the rows moved and scaled so that each column's range is [−1, 1], which
// values outside of it are clamped to. What is no number becomes 0.
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

// units is the inverse of unit for a mixture.
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

// unitStart is k centres spread over the middle half of the cube, as rows are seldom at
// the ends of a range, each with the variances of a box of the cube's k-th part.
func unitStart(k, dim int, form gmm.Covariance, seed [32]byte) Moments {
	low, high := make([]float64, dim), make([]float64, dim)
	floats.AddConst(-0.5, low)
	floats.AddConst(0.5, high)
	centres := dem.Spread(k, low, high, source(seed, "private start", 0))
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

// step is the distance of two variances of a component in memory.
func step(form gmm.Covariance, dim int) int {
	if form == gmm.Full {
		return dim + 1
	}
	return 1
}

// noisy are the sums over rows of one component, about the origin.
type noisy struct {
	n             float64
	first, second []float64
}

// scales are the lengths of a row's first and second moments, at most. As Σ_k r_k² ≤ 1,
// no row changes those of all components together by more.
func (e *privateEM) scales() (first, second float64) {
	dim := float64(e.model.Dim())
	if e.model.Form == gmm.Full {
		return math.Sqrt(dim), math.Sqrt(dim * (dim + 1) / 2)
	}
	return math.Sqrt(dim), math.Sqrt(dim)
}

// sums returns the moments of the rows with responsibilities r, and with noise.
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
			portable.AddScaled(s.first, weight, z)
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

// maximise takes the M-step from noisy sums. From here on nothing looks at the rows.
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
		// A variance below the noise in it cannot be told from none.
		least := math.Min(1, math.Max(1e-6, e.sigma*scale2/s.n))
		e.model.Covariances[k] = aroundMean(e.model.Form, s.second, e.model.Means[k], least)
	}
	floats.Scale(1/passes.Sum(e.model.Weights), e.model.Weights)
}

// aroundMean returns the covariance matrix of second moments about the origin, with no
// eigenvalue below least or above the dimension, which is the most that rows in
// the cube can have.
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
	values, vectors, ok := portable.Eigen(c, dim)
	if !ok {
		panic("fedgen: eigenvalues of a finite matrix do not converge")
	}
	for i, v := range values {
		axis := vectors[i*dim : (i+1)*dim]
		for j, a := range axis {
			portable.AddScaled(out[j*dim:(j+1)*dim], clamp(v)*a, axis)
		}
	}
	return out
}
