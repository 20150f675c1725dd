package gmm

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Dependency is a direct one between two variables of a component: what their correlation is
// if all others are given.
type Dependency struct {
	A, B               int // A before B
	PartialCorrelation float64
}

// Dependencies returns those of a precision matrix, −Λ_ij/√(Λ_ii Λ_jj) where Λ_ij is not 0,
// the strongest first.
func Dependencies(precision mat.Symmetric) []Dependency {
	var all []Dependency
	for j := range precision.SymmetricDim() {
		for i := range j {
			if v := precision.At(i, j); v != 0 {
				all = append(all, Dependency{i, j, -v / math.Sqrt(precision.At(i, i)*precision.At(j, j))})
			}
		}
	}
	slices.SortStableFunc(all, func(x, y Dependency) int {
		return cmp.Compare(math.Abs(y.PartialCorrelation), math.Abs(x.PartialCorrelation))
	})
	return all
}
