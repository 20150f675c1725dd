package dem

import (
	"errors"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/numeric/portable"
)

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
		if ridge := missing(sums, m, c, regCovar); ridge > 0 {
			raise(sums, m, c, ridge)
		}
	}
	return m.StepAbout(origin, sums, regCovar)
}

// widest bounds the search for a ridge; it is larger than anything sums can hold.
const widest = 1e200

// missing returns a power of ten times regCovar that, added to the variances of component c,
// makes its covariance matrix positive definite, with half of it as margin. It returns 0 if
// none is needed.
func missing(sums []float64, m *gmm.Mixture, c int, regCovar float64) float64 {
	dim := m.Dim()
	covariance := covarianceOf(sums, m, c)
	definite := func(ridge float64) bool {
		a := append([]float64(nil), covariance...)
		for i := range dim {
			a[i*dim+i] += ridge
		}
		return portable.Factorise(a, dim)
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

func raise(sums []float64, m *gmm.Mixture, c int, ridge float64) {
	k, dim := m.Components(), m.Dim()
	second, pair := sums[k+k*dim:], 0
	for i := range dim {
		second[pair*k+c] += float64(sums[c] * ridge)
		pair += dim - i
	}
}
