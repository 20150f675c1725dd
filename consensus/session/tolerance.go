package session

import "math"

// Rounding estimates what rounding adds to the disagreement at a vertex, relative
// to the size of the values that are averaged: that of the iterations that it
// outlives.
func (p *Laplacian) Rounding() float64 {
	outlived := math.Min(float64(p.iterations), 1/(1-p.rate))
	return float64(p.graph.Degree()+4) * outlived * 0x1p-53
}

// Tolerance returns how far the results of two members may lie apart in a
// coordinate whose values are of the given spread, their root mean square: what the iterations leave and
// what rounding adds, with a factor of 4 for safety.
func (p *Laplacian) Tolerance(spread float64) float64 {
	n := float64(p.graph.Len())
	return 4 * n * spread * (math.Sqrt(n)*p.Left() + p.Rounding())
}
