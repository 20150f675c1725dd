package privacy

import "math"

// GaussianRatio returns the largest ratio μ of sensitivity to noise for which a Gaussian
// mechanism is (ε, δ)-differentially private (Balle and Wang 2018):
//
//	δ = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ)
//
// Several mechanisms together are as private as a single one whose squared ratio is the sum of
// theirs, even if each depends on the output of earlier ones (Dong, Roth and Su 2022).
func GaussianRatio(epsilon, delta float64) float64 {
	low, high := 0.0, 1.0
	for deltaOf(epsilon, high) < delta {
		high *= 2
	}
	for range 60 {
		if middle := (low + high) / 2; deltaOf(epsilon, middle) < delta {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// deltaOf returns δ of a Gaussian mechanism with the ratio μ. As ε − (ε/μ + μ/2)²/2 = −(ε/μ −
// μ/2)²/2, a large ε does not overflow.
func deltaOf(epsilon, mu float64) float64 {
	below, above := epsilon/mu-mu/2, epsilon/mu+mu/2
	return 0.5*math.Erfc(below/math.Sqrt2) - 0.5*math.Exp(-below*below/2)*scaledErfc(above/math.Sqrt2)
}

// scaledErfc returns e^(x²) erfc(x) for x ≥ 0.
func scaledErfc(x float64) float64 {
	if x < 15 {
		return math.Exp(x*x) * math.Erfc(x)
	}
	sum, term := 1.0, 1.0 // the terms of the asymptotic series fall below 1e-15
	for i := range 9 {
		term *= -float64(2*i+1) / (2 * x * x)
		sum += term
	}
	return sum / (x * math.Sqrt(math.Pi))
}
