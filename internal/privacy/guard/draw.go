package guard

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/kernels/lapack"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
)

// draw replaces a participant's part of a component by rows of this mean and covariance, which
// follow from the shared component and from chance. It stays the same from round to round, so
// that training settles and several rounds reveal no more than one.
type draw struct {
	mean       []float64
	covariance *mat.SymDense
}

func newDraw(m *gmm.Mixture, k int, mean []float64) *draw {
	return &draw{mean, m.Covariance(k)}
}

// replace puts draws in place of parts, and moves the difference to the other components in
// proportion to their own rows. It returns −1, or the component whose draw does not fit: no
// other component has enough own rows, a covariance of own rows would not stay positive
// definite, or moments would exceed the agreed bounds. The moments are then invalid.
func (c Components) replace(s *passes.Moments, of Of) int {
	shares := c.absorbing(s)
	for k, d := range c.draws {
		if d == nil {
			continue
		}
		if shares == nil {
			return k
		}
		d.swap(s, k, shares, of.Origin)
		for to, share := range shares {
			if share > 0 && !definite(s, to) {
				return k
			}
		}
		if !of.Fits(s) {
			return k
		}
	}
	return -1
}

// absorbing returns the share of the differences that each component takes, or nil if none can.
// Components of few own rows take nothing, because they have no covariance matrix of their own.
func (c Components) absorbing(s *passes.Moments) []float64 {
	out, sum := make([]float64, s.K), 0.0
	for k, n := range s.N {
		if !c.settled(k) && n > float64(2*(s.Dim+1)) {
			out[k] = n
			sum += n
		}
	}
	if sum == 0 {
		return nil
	}
	floats.Scale(1/sum, out)
	return out
}

// swap replaces the moments of component k by those of the draw for the same number of rows,
// and moves the difference to the others by their shares.
func (d *draw) swap(s *passes.Moments, k int, shares, origin []float64) {
	n, dim := s.N[k], s.Dim
	mean := slices.Clone(d.mean)
	for i, v := range origin {
		mean[i] -= v
	}
	set := func(x []float64, stride, at int, v float64) {
		off := x[k*stride+at] - v
		for to, share := range shares {
			x[to*stride+at] += float64(share * off)
		}
		x[k*stride+at] = v
	}
	for i := range dim {
		set(s.First, dim, i, float64(n*mean[i]))
		if !s.Full {
			set(s.Second, dim, i, float64(n*(d.covariance.At(i, i)+float64(mean[i]*mean[i]))))
			continue
		}
		for j := i; j < dim; j++ {
			set(s.Second, dim*dim, i*dim+j, float64(n*(d.covariance.At(i, j)+float64(mean[i]*mean[j]))))
		}
	}
}

// definite reports whether the covariance matrix of a component's rows, according to its
// moments, is positive definite.
func definite(s *passes.Moments, k int) bool {
	dim, n := s.Dim, s.N[k]
	first := s.First[k*dim : (k+1)*dim]
	second := s.Second[k*s.Stride() : (k+1)*s.Stride()]
	if !s.Full {
		for i, v := range second {
			if !(v > float64(first[i]*first[i]/n)) {
				return false
			}
		}
		return true
	}
	a := slices.Clone(second)
	for i := range dim {
		for j := i; j < dim; j++ {
			a[i*dim+j] -= float64(first[i] * first[j] / n)
		}
	}
	_, ok := lapack.FactoriseRows(a, dim)
	return ok
}
