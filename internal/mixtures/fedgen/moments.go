package fedgen

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/kernels/lapack"
)

// Moments is a mixture as weights, means and covariance matrices: the form in which mixtures
// are published, merged, reduced and sampled.
type Moments struct {
	Form        gmm.Covariance
	Weights     []float64   // K values, at least 0, with a sum of 1
	Means       [][]float64 // K by M
	Covariances [][]float64 // per component M by M, row-major, if Full; otherwise M variances
}

// MomentsOf returns the moments of a mixture.
func MomentsOf(m *gmm.Mixture) Moments {
	out := Moments{Form: m.Form(), Weights: m.Weights()}
	means := m.Means()
	for k := range m.Components() {
		out.Means = append(out.Means, means.RawRowView(k))
		out.Covariances = append(out.Covariances, covariance(m, k))
	}
	return out
}

func covariance(m *gmm.Mixture, k int) []float64 {
	c := m.Covariance(k)
	if m.Form() == gmm.Full {
		return mat.DenseCopyOf(c).RawMatrix().Data
	}
	variances := make([]float64, m.Dim())
	for i := range variances {
		variances[i] = c.At(i, i)
	}
	return variances
}

// Dim returns M.
func (m Moments) Dim() int { return len(m.Means[0]) }

// Mixture returns the mixture with these moments. It returns an error unless the weights are at
// least 0 with a sum of 1 and the covariances are positive definite.
func (m Moments) Mixture() (*gmm.Mixture, error) {
	dim := m.Dim()
	means := mat.NewDense(len(m.Weights), dim, nil)
	for k, mean := range m.Means {
		means.SetRow(k, mean)
	}
	if m.Form != gmm.Full {
		precisions := mat.NewDense(len(m.Weights), dim, nil)
		for k, variances := range m.Covariances {
			for i, v := range variances {
				precisions.Set(k, i, 1/v)
			}
		}
		return gmm.NewDiagMixture(m.Form, m.Weights, means, precisions)
	}
	precisions := make([]*mat.SymDense, len(m.Weights))
	for k, c := range m.Covariances {
		root, ok := lapack.FactoriseRows(c, dim)
		if !ok {
			return nil, errSingular(k)
		}
		precisions[k] = root.Inverse()
	}
	return gmm.NewMixture(m.Weights, means, precisions)
}

func errSingular(k int) error {
	return fmt.Errorf("component %d: the covariance matrix is not positive definite, or barely so: raise the regularisation", k+1)
}

// average returns the component that diverges least from a weighted set of components; it has
// their total weight, mean and covariance. It rounds each product, so that all members compute
// the same bits.
func (m Moments) average(of ...int) (weight float64, mean, covariance []float64) {
	dim := m.Dim()
	mean, covariance = make([]float64, dim), make([]float64, len(m.Covariances[0]))
	for _, k := range of {
		weight += m.Weights[k]
	}
	for _, k := range of {
		share := m.Weights[k] / weight
		for i, v := range m.Means[k] {
			mean[i] += float64(share * v)
		}
	}
	for _, k := range of {
		addSpread(covariance, m.Weights[k]/weight, m.Covariances[k], m.Means[k], mean)
	}
	if m.Form == gmm.Spherical {
		level(covariance)
	}
	return weight, mean, covariance
}

// addSpread adds share·(C + (μ−c)(μ−c)ᵀ), or its diagonal, to sum.
func addSpread(sum []float64, share float64, covariance, mean, centre []float64) {
	dim := len(mean)
	if len(sum) == dim {
		for i, v := range covariance {
			d := mean[i] - centre[i]
			sum[i] += float64(share * (v + float64(d*d)))
		}
		return
	}
	for i := range dim {
		d := mean[i] - centre[i]
		for j := range dim {
			at := i*dim + j
			sum[at] += float64(share * (covariance[at] + float64(d*(mean[j]-centre[j]))))
		}
	}
}

func level(x []float64) {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	for i := range x {
		x[i] = sum / float64(len(x))
	}
}
