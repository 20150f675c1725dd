// Package audittest measures, by repeated draws, a lower bound of what a mechanism reveals
// about a row. It is for tests of mechanisms that promise an upper bound.
//
// A test draws a statistic of the mechanism's output for two sets of rows that differ in one
// row. Here the mechanism is a noisy sum, which the row changes by 1:
//
//	sd := 1 / privacy.GaussianRatio(2, 1e-5)
//	sum := func(exact float64) func(rand.Source) float64 {
//		return func(src rand.Source) float64 { return privacy.Noisy(exact, sd, src) }
//	}
//	if e := audittest.Run(t, sum(0), sum(1)).Epsilon(1e-5); e > 2 {
//		t.Errorf("ε is at least %g, promised 2", e)
//	}
//
// A good test also shows that a mechanism with less noise fails the audit.
//
// Invariant: the result of [Audit.Epsilon] exceeds the true ε in at most one of a hundred
// audits.
//
// Start reading at [Run].
package audittest
