package privacy

import (
	"math"
	"testing"
)

// The values are those of a Gaussian mechanism with (ε, δ), computed by other means to three
// digits.
func TestGaussianPrivacy(t *testing.T) {
	for _, c := range [][2]float64{{0.0447, 0.142}, {0.1414, 0.497}, {0.4472, 1.76}, {1, 4.38}, {1.4142, 6.57}, {2, 10.0}} {
		if got := GaussianRatio(c[1], 1e-5); math.Abs(got-c[0]) > 0.006*c[0] {
			t.Errorf("ε = %g: ratio %.4f, want %.4f", c[1], got, c[0])
		}
	}
	if got := deltaOf(1, 1); math.Abs(got-0.12693673750664403) > 1e-12 {
		t.Errorf("δ(1; 1) is %.15g", got)
	}
}

// At the returned ratio, δ is the integral of the part of one density above e^ε times the
// other, from mild to very strict settings.
func TestGaussianRatioByIntegration(t *testing.T) {
	for _, delta := range []float64{1e-3, 1e-5, 1e-12, 1e-30} {
		for _, epsilon := range []float64{1e-3, 0.1, 1, 10, 100} {
			mu := GaussianRatio(epsilon, delta)
			const steps = 20000
			from := epsilon/mu + mu/2 // where the densities of N(μ, 1) and N(0, 1) are e^ε apart
			width, sum := 12.0/steps, 0.0
			for i := range steps {
				x := from + (float64(i)+0.5)*width
				sum += math.Exp(-(x-mu)*(x-mu)/2) * -math.Expm1(epsilon+mu*mu/2-mu*x)
			}
			if got := sum * width / math.Sqrt(2*math.Pi); math.Abs(got/delta-1) > 1e-4 {
				t.Errorf("ε = %g: δ is %g, want %g", epsilon, got, delta)
			}
		}
	}
}
