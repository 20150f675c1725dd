package privacy_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/privacy"
)

// ε of a loss at δ = 1e-5 agrees with values computed by other means to three digits, and is
// below that of any mechanism of that loss.
func TestEpsilonOfALoss(t *testing.T) {
	for _, c := range [][2]float64{{0.001, 0.142}, {0.01, 0.497}, {0.1, 1.76}, {0.5, 4.38}, {1, 6.57}, {2, 10.0}} {
		got := privacy.ZCDP(c[0]).Epsilon(1e-5)
		if math.Abs(got-c[1]) > 0.006*c[1] || got > c[0]+2*math.Sqrt(c[0]*math.Log(1e5)) {
			t.Errorf("ρ = %g: ε %.4f, want %.4f", c[0], got, c[1])
		}
	}
}

// Epsilon is the inverse of GaussianRatio for any ε.
func TestEpsilonIsTheInverseOfTheRatio(t *testing.T) {
	for _, delta := range []float64{1e-3, 1e-5, 1e-12, 1e-30} {
		for _, epsilon := range []float64{1e-3, 0.1, 1, 10, 100} {
			got := privacy.GaussianZCDP(privacy.GaussianRatio(epsilon, delta)).Epsilon(delta)
			if math.Abs(got/epsilon-1) > 1e-9 {
				t.Errorf("δ = %g: ε %.12g, want %g", delta, got, epsilon)
			}
		}
	}
}

// Even losses too large for any use have an ε, and a loss of 0 has an ε of 0.
func TestEpsilonOfExtremeLosses(t *testing.T) {
	last := 0.0
	for _, rho := range []float64{0, 1e-30, 1e-12, 1e-6, 1, 1e3, 1e6, 1e12} {
		got := privacy.ZCDP(rho).Epsilon(1e-6)
		if !(got >= last) || math.IsInf(got, 1) || got > rho+2*math.Sqrt(rho*math.Log(1e6)) {
			t.Errorf("ρ = %g: ε %g after %g", rho, got, last)
		}
		last = got
	}
	if got := privacy.ZCDP(math.Inf(1)).Epsilon(1e-6); !math.IsInf(got, 1) {
		t.Errorf("of a loss without bound: ε %g", got)
	}
	if last < 1e12 {
		t.Errorf("ε %g of ρ = 1e12", last)
	}
}

// The divergence agrees with its definition, integrated over a grid: (α − 1)⁻¹ ln ∫ pᵅ q¹⁻ᵅ.
func TestDivergenceByIntegration(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 4 {
		// a precision with eigenvalues around 1, and means up to 1.5 apart
		a, c := 0.6+rng.Float64(), 0.6+rng.Float64()
		b := (2*rng.Float64() - 1) * 0.8 * math.Sqrt(a*c)
		precision := mat.NewSymDense(2, []float64{a, b, b, c})
		apart := []float64{2*rng.Float64() - 1, 2*rng.Float64() - 1}
		logDensity := func(x, y float64) float64 {
			return -(a*x*x+2*b*x*y+c*y*y)/2 + math.Log(a*c-b*b)/2 - math.Log(2*math.Pi)
		}
		for _, alpha := range []float64{0.5, 1.01, 2, 5} {
			const step = 0.1
			sum := 0.0
			for x := -25.0; x <= 25; x += step {
				for y := -25.0; y <= 25; y += step {
					sum += math.Exp(alpha*logDensity(x, y) + (1-alpha)*logDensity(x-apart[0], y-apart[1]))
				}
			}
			want := math.Log(sum*step*step) / (alpha - 1)
			if got := divergence(alpha, apart, precision); math.Abs(got-want) > 1e-8*math.Max(1, 1/math.Abs(alpha-1)) {
				t.Errorf("α = %g: %.12g, want %.12g", alpha, got, want)
			}
		}
	}
}

// divergence returns the Rényi divergence of order α > 0 between two normal distributions with
// the same precision matrix Λ, whose means differ by d: α/2 dᵀΛd. It is the same in both
// directions; at α = 1 it is the Kullback-Leibler divergence.
func divergence(alpha float64, apart []float64, precision mat.Symmetric) float64 {
	sum := 0.0
	for i, a := range apart {
		for j, b := range apart {
			sum += a * precision.At(i, j) * b
		}
	}
	return alpha / 2 * sum
}
