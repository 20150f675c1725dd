package privacy

import "math"

// GaussianRatio returns the largest ratio μ of sensitivity to noise of a Gaussian
// mechanism that is (ε, δ)-differentially private (Balle and Wang 2018):
//
//	δ = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ)
//
// Mechanisms that are made one after the other, each with a view to what came out
// before, are as private as a single one whose squared ratio is the sum of theirs (Dong,
// Roth and Su 2022).
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

func deltaOf(epsilon, mu float64) float64 {
	phi := func(z float64) float64 { return 0.5 * math.Erfc(-z/math.Sqrt2) }
	return phi(mu/2-epsilon/mu) - math.Exp(epsilon)*phi(-mu/2-epsilon/mu)
}
