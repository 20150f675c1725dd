package gmm

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A Dependency is a direct dependency between two variables of a component: their partial
// correlation, given all other variables.
type Dependency struct {
	A, B               int // A before B
	PartialCorrelation float64
}

// Dependencies returns the partial correlations −Λ_ij/√(Λ_ii Λ_jj) of a precision matrix where
// Λ_ij is not 0, the strongest first.
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
