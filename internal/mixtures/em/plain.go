package em

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/kernels/lapack"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/numeric/portable"
)

// plain is the form of maximum likelihood, with the weights of all participants together.
type plain struct {
	origin   []float64 // about which moments are taken
	regCovar float64
	blur     float64 // Config.Blur
}

// RegCovar is the default of [Plain.RegCovar].
const RegCovar = 1e-6

func (p plain) noise(_ int, vector string) (part, draw string) { return "components", vector }

func (p plain) tilts(*gmm.Mixture) []float64 { return nil }

func (p plain) meanRows() float64 { return 0 }

func (p plain) averages() bool { return false }

func (p plain) relativePrior() *relative { return nil }

// evidence returns −Σ_n Σ_k r_k(n) ln r_k(n).
func (p plain) evidence(_ int, s *passes.Moments, _ float64) (sum float64, weights []float64) {
	return math.Max(0, s.Entropy), nil
}

// step is the M-step of maximum likelihood, on sums that rounding and noise may have made
// impossible for a mixture. The objective is the lower bound of the mean log-likelihood of all
// rows, in nats; use it with AbsTol of [collabdict.Options].
func (p plain) step(m *gmm.Mixture, total, _ []float64, rows float64) (out stepped, err error) {
	sums := append([]float64(nil), total...)
	repair(sums, m, p.origin)
	sharpen(sums, p.origin, m.Components(), m.Form(), p.blur)
	next, err := maximise(sums, m, p.origin, p.regCovar)
	if err != nil {
		return out, err
	}
	out.rows = append([]float64(nil), sums[:m.Components()]...)
	out.model, out.objective = next.WithRows(out.rows), boundAbout(next, p.origin, sums)/rows
	return out, nil
}

// leastRows is the number of rows below which a component keeps its shape, because dividing by
// fewer would magnify the rounding errors of a sum.
const leastRows = 1

// repair mends sums about the origin that rounding has made impossible for a mixture. A component
// of fewer than leastRows keeps its mean and covariance matrix, and no variance is below 0. All
// members do so to the same total.
//
// Sums are in the order of [gmm.Mixture.StepAbout]: k numbers of rows, then k first moments of each
// column, then k second moments of each pair of columns i ≤ j that the form has.
func repair(sums []float64, m *gmm.Mixture, origin []float64) {
	k, dim := m.Components(), m.Dim()
	for c := range k {
		sums[c] = math.Max(sums[c], 0)
		if sums[c] < leastRows {
			keepShape(sums, m, origin, c)
		}
	}
	clip(sums, k, dim, m.Form())
}

// keepShape replaces a component's sums by those that leave the component as it is. Without any row
// these are 0, and StepAbout leaves it alone.
func keepShape(sums []float64, m *gmm.Mixture, origin []float64, c int) {
	k, dim := m.Components(), m.Dim()
	first, second := sums[k:k+k*dim], sums[k+k*dim:]
	mean, covariance := m.Means().RawRowView(c), m.Covariance(c)
	pair := 0 // index of the pair of columns i and j
	for i := range dim {
		shift := mean[i] - origin[i]
		first[i*k+c] = float64(sums[c] * shift)
		for j := i; j < pairsEnd(i, dim, m.Form()); j++ {
			second[pair*k+c] = float64(sums[c] * (covariance.At(i, j) + float64(shift*(mean[j]-origin[j]))))
			pair++
		}
	}
}

// clip raises each column's second moment to the minimum that its first moment implies.
func clip(sums []float64, k, dim int, form gmm.Covariance) {
	first, second := sums[k:k+k*dim], sums[k+k*dim:]
	pair := 0
	for i := range dim {
		for c := range k {
			if n := sums[c]; n > 0 { // without rows, both moments are 0
				f := first[i*k+c]
				second[pair*k+c] = math.Max(second[pair*k+c], float64(f*f)/n)
			}
		}
		pair += pairsEnd(i, dim, form) - i
	}
}

// pairsEnd returns the end of the columns j ≥ i that form a pair with column i: all of them, or with
// a diagonal form i alone.
func pairsEnd(i, dim int, form gmm.Covariance) int {
	if form == gmm.Full {
		return dim
	}
	return i + 1
}

// sharpen makes sure that no component of blurred sums about the origin has a covariance matrix
// narrower than the blur. Otherwise, in a direction of almost no variance, noise would turn it
// into a spike.
func sharpen(sums, origin []float64, k int, form gmm.Covariance, blur float64) {
	if blur == 0 {
		return
	}
	dim := len(origin)
	first, second := sums[k:k+k*dim], sums[k+k*dim:]
	for c := range k {
		n := sums[c]
		if n < leastRows {
			continue
		}
		least := blur * math.Sqrt(float64(dim)) / n
		if form != gmm.Full {
			least = blur / n
		}
		spread := mat.NewSymDense(dim, nil)
		pair := 0
		each := func(f func(at, i, j int, shift float64)) {
			pair = 0
			for i := range dim {
				for j := i; j < pairsEnd(i, dim, form); j++ {
					f(pair*k+c, i, j, float64(first[i*k+c]*first[j*k+c])/n)
					pair++
				}
			}
		}
		each(func(at, i, j int, shift float64) { spread.SetSym(i, j, (second[at]-shift)/n) })
		passes.Raise(spread, least)
		each(func(at, i, j int, shift float64) { second[at] = shift + float64(n*spread.At(i, j)) })
	}
}

// maximise makes the M-step from sums about the origin. If rounding has left a full covariance
// matrix that is not positive definite, as for fewer rows than variables, it raises the
// variances by more than regCovar. All members do so from the same total.
func maximise(sums []float64, m *gmm.Mixture, origin []float64, regCovar float64) (*gmm.Mixture, error) {
	next, err := m.StepAbout(origin, sums, regCovar)
	var flat *gmm.SingularError
	if m.Form() != gmm.Full || !errors.As(err, &flat) {
		return next, err
	}
	for c := range m.Components() {
		if ridge := ridgeFor(sums, m, c, regCovar); ridge > 0 {
			addRidge(sums, m, c, ridge)
		}
	}
	return m.StepAbout(origin, sums, regCovar)
}

// widest bounds the search for a ridge; it is larger than anything sums can hold.
const widest = 1e200

// ridgeFor returns a power of ten times regCovar that, added to the variances of component c,
// makes its covariance matrix positive definite, with half of it as margin. It returns 0 if
// none is needed.
func ridgeFor(sums []float64, m *gmm.Mixture, c int, regCovar float64) float64 {
	dim := m.Dim()
	covariance := covarianceOf(sums, m, c)
	definite := func(ridge float64) bool {
		a := append([]float64(nil), covariance...)
		for i := range dim {
			a[i*dim+i] += ridge
		}
		_, ok := lapack.FactoriseRows(a, dim)
		return ok
	}
	if definite(regCovar) {
		return 0
	}
	ridge := regCovar
	for !definite(ridge/2) && ridge < widest {
		ridge *= 10
	}
	return ridge
}

// covarianceOf returns the upper triangle of a component's covariance matrix, diagonal
// included.
func covarianceOf(sums []float64, m *gmm.Mixture, c int) []float64 {
	k, dim := m.Components(), m.Dim()
	first, second := sums[k:k+k*dim], sums[k+k*dim:]
	out, pair := make([]float64, dim*dim), 0
	for i := range dim {
		for j := i; j < dim; j++ {
			shift := float64(first[i*k+c] / sums[c] * (first[j*k+c] / sums[c]))
			out[i*dim+j] = second[pair*k+c]/sums[c] - shift
			pair++
		}
	}
	return out
}

func addRidge(sums []float64, m *gmm.Mixture, c int, ridge float64) {
	k, dim := m.Components(), m.Dim()
	second, pair := sums[k+k*dim:], 0
	for i := range dim {
		second[pair*k+c] += float64(sums[c] * ridge)
		pair += dim - i
	}
}

// boundAbout returns Σ_n Σ_k r_k(n) [ln π_k + ln N(x_n|μ_k, Λ_k⁻¹) − ln r_k(n)] in nats, from sums
// about an origin whose last value is −Σ_n Σ_k r_k(n) ln r_k(n). It is a lower bound of the rows'
// log-likelihood.
func boundAbout(m *gmm.Mixture, origin, sums []float64) float64 {
	s := passes.Unpack(sums, m.Components(), m.Dim(), m.Form() == gmm.Full)
	bound := sums[len(sums)-1] + expected(m, s, origin)
	for k, w := range m.Weights() {
		if w > 0 {
			bound += float64(s.N[k] * portable.Log(w))
		}
	}
	return bound
}
