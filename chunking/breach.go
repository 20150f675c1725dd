package chunking

import "math"

// BreachProbability returns the probability that t colluding members learn the vector of a
// given honest member, if each member of a view of the given size hands seeds to fanout others.
//
// Whatever the colluders see of the session, they learn the sums over the connected components
// of the honest part of the chunk graph. A member's own vector is such a sum if it hands all
// its seeds to colluders and no honest member hands it one. In a ring or the field the
// colluders learn nothing else; for Float see [Mask].
func BreachProbability(size, fanout, t int) float64 {
	honest := size - t
	switch {
	case t <= 0:
		return 0
	case honest <= 1:
		return 1
	case fanout > t: // more seeds than colluders: at least one goes to an honest member
		return 0
	}
	p := 1.0
	for i := range fanout {
		p *= float64(t-i) / float64(size-1-i)
	}
	return p * math.Pow(1-float64(fanout)/float64(size-1), float64(honest-1))
}

// NeighboursBreach is like BreachProbability, but each member shares seeds, given or received,
// with the given number of others, which are drawn publicly at random.
func NeighboursBreach(size, neighbours, t int) float64 {
	switch {
	case t <= 0:
		return 0
	case size-t <= 1:
		return 1
	}
	p := 1.0
	for i := range min(neighbours, size-1) {
		p *= max(0, float64(t-i)/float64(size-1-i))
	}
	return p
}

// LanesBreach returns the probability that colluding members learn a vector from its lanes, if
// threshold of them are enough. They compute a member's part of a lane with probability q,
// independently in each lane. The result is the probability of at least threshold successes.
// Sessions needs all lanes, which gives q^lanes.
func LanesBreach(q float64, threshold, lanes int) float64 {
	var p float64
	for j := threshold; j <= lanes; j++ {
		p += float64(math.Exp(logChoose(lanes, j)) * math.Pow(q, float64(j)) * math.Pow(1-q, float64(lanes-j)))
	}
	return min(p, 1)
}

// PadBreach returns the probability that colluding members can rebuild the pad of a given other
// member of the view. They can if they include at least threshold of its holders, who are drawn
// at random from the others.
//
// With lost members in place of colluders and holders-threshold+1 in place of threshold, it
// returns the probability that the pad can no longer be rebuilt.
func PadBreach(size, colluders, holders, threshold int) float64 {
	others := size - 1
	var p float64
	for j := max(threshold, holders-(others-colluders)); j <= min(holders, colluders); j++ {
		p += math.Exp(logChoose(colluders, j) + logChoose(others-colluders, holders-j) - logChoose(others, holders))
	}
	return min(p, 1)
}

// logChoose returns the logarithm of the number of ways to choose k of n.
func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
