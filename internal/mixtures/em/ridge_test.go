package em

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/density"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
)

// A component of fewer rows than variables, whose sums are rounded, stays valid: its variances
// grow by the effect of rounding, and by at most ten times that.
func TestFewRowsAndRounding(t *testing.T) {
	const dim, rounding = 3, 1e-4
	means := mat.NewDense(2, dim, []float64{0, 0, 0, 9, 9, 9})
	one := mat.NewSymDense(dim, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1})
	m, err := gmm.NewMixture([]float64{0.5, 0.5}, means, []*mat.SymDense{one, one})
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(6, dim, []float64{2, 0, 0, -2, 0, 0, 0, 2, 0, 0, -1, 1, 8, 9, 10, 10, 9, 8})
	origin := []float64{4, 5, 6}
	about := mat.NewDense(2, dim, append(slices.Clone(origin), origin...))
	s, _, err := density.Of(m).Statistics(passes.NewReader(gmm.Matrix(x)), nil, about, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	sums := append(s.Pack(), s.Entropy)
	for at := 2 * (1 + dim); at < len(sums)-1; at += 2 { // the second moments of the second component
		sums[at+1] -= rounding
	}
	var flat *gmm.SingularError
	if _, err := m.StepAbout(origin, sums, 1e-6); !errors.As(err, &flat) || flat.Variables != dim || math.Abs(flat.Rows-2) > 1e-2 {
		t.Fatalf("these sums do not need it: %v", err)
	}
	next, err := maximise(sums, m, origin, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	got := next.Covariance(1)
	if v := got.At(1, 1); !(v > rounding/2 && v < 20*rounding) || math.Abs(got.At(0, 0)-1) > 20*rounding || math.Abs(got.At(0, 2)+1) > 20*rounding {
		t.Errorf("got %v", mat.Formatted(got))
	}
	plain, err := m.MStep(m.EStep(x), 1e-3)
	if err != nil || math.Abs(next.Covariance(0).At(0, 0)-plain.Covariance(0).At(0, 0)) > 2e-3 {
		t.Errorf("the other component: %v, %v", mat.Formatted(next.Covariance(0)), err)
	}
}
