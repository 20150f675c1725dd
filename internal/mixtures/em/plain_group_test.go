package em_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/gmm"
	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
)

// rows draws n rows from four clusters in three columns; the dominating cluster depends on the
// participant.
func rows(n int, participant uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(participant, 2))
	x := mat.NewDense(n, 3, nil)
	for j := range n {
		c := rng.IntN(4)
		if rng.IntN(3) > 0 {
			c = int(participant) % 4
		}
		common := rng.NormFloat64()
		for i := range 3 {
			x.Set(j, i, 4*math.Cos(float64(5*c+3*i))+0.3*common+(0.5+0.1*float64(c))*rng.NormFloat64())
		}
	}
	return x
}

func stack(parts []*mat.Dense) *mat.Dense {
	all := parts[0]
	for _, x := range parts[1:] {
		var next mat.Dense
		next.Stack(all, x)
		all = &next
	}
	return all
}

func meanLogLik(t testing.TB, m *gmm.Mixture, x *mat.Dense) float64 {
	t.Helper()
	v, err := m.MeanLogLik(gmm.Matrix(x))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// flat lists all parameters of a mixture.
func flat(m *gmm.Mixture) []float64 {
	out := append(m.Weights(), m.Means().RawMatrix().Data...)
	for k := range m.Components() {
		out = append(out, mat.DenseCopyOf(m.Precision(k)).RawMatrix().Data...)
	}
	return out
}

// near fails unless |got − want| is at most tol·max(1, |want|).
func near(t rapid.TB, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Max(1, math.Abs(want))) {
		t.Errorf("%s: got %.15g, want %.15g within %g", what, got, want, tol)
	}
}

var forms = []gmm.Covariance{gmm.Full, gmm.Diag, gmm.Spherical}
