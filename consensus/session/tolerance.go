package session

import "math"

// rounding returns an estimate of the disagreement at a vertex that rounding causes, relative
// to the size of the averaged values. It counts the iterations whose rounding errors have not
// yet decayed.
func (p *Laplacian) rounding() float64 {
	outlived := math.Min(float64(p.iterations), 1/(1-p.rate))
	return float64(p.graph.Degree()+4) * outlived * 0x1p-53
}

// Tolerance returns the largest expected difference between the results of two members in a
// coordinate. spread is the root mean square of the coordinate's values. The result covers the
// remaining disagreement and rounding, with a safety factor of 4.
func (p *Laplacian) Tolerance(spread float64) float64 {
	n := float64(p.graph.Len())
	return 4 * n * spread * (math.Sqrt(n)*p.LeftAfter(p.iterations) + p.rounding())
}
