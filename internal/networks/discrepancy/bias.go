package discrepancy

import "math"

// expectedW1 returns the mean of W1, the Wasserstein distance of order 1, over samples of n values from the standard normal
// distribution itself: the bias of a finite sample, about 1.288/√n. It panics if n is below 1.
//
// As B = n·F(t) is binomial, de Moivre's formula (Diaconis and Zabell 1991) gives the integrand:
//
//	E W1 = ∫ E|F(t) − Φ(t)| dt
//	E|B − np| = 2ν C(n,ν) p^ν (1−p)^(n−ν+1), where p = Φ(t) and ν = ⌊np⌋+1
func expectedW1(n int) float64 {
	if n < 1 {
		panic("discrepancy: want a sample of at least one value")
	}
	const (
		step = 1. / 256
		far  = 10 * 256 // beyond, Φ is below 10⁻²³
	)
	// The integrand is symmetric: the trapezoidal rule over the negative half.
	sum := meanDeviation(n, 0) / 2
	for i := 1; i <= far; i++ {
		sum += meanDeviation(n, -float64(i)*step)
	}
	return 2 * step * sum
}

// meanDeviation is E|F(t) − Φ(t)| for t ≤ 0.
func meanDeviation(n int, t float64) float64 {
	size, p := float64(n), normalCDF(t)
	nu := math.Floor(size*p) + 1
	logP, logQ := math.Log(p), math.Log1p(-p)
	return 2 * nu / size * math.Exp(logChoose(size, nu)+nu*logP+(size-nu+1)*logQ)
}

// logChoose is the logarithm of the binomial coefficient.
func logChoose(n, k float64) float64 {
	a, _ := math.Lgamma(n + 1)
	b, _ := math.Lgamma(k + 1)
	c, _ := math.Lgamma(n - k + 1)
	return a - b - c
}
