package chunking

import "math"

// Mode names a way to protect a sum.
type Mode string

// The modes of protection.
const (
	// Chunks is seeded random chunking, the default.
	Chunks Mode = "chunks"
	// None shows every member's vector to its neighbours. For measuring, and for
	// data that is public anyway.
	None Mode = "none"
)

const (
	// completeUpTo is the size up to which every member shares a seed with every
	// other one by default.
	completeUpTo = 16
	// defaultFanout is the number of chunks handed out above that size.
	defaultFanout = 16
)

// Fanout returns to how many members a member hands a chunk, in a view of the
// given size. The number of chunks C includes the one that stays at home; 0
// asks for the default: everybody up to 16 members, 16 others above.
func Fanout(size, chunks int) int {
	others := size - 1
	switch {
	case chunks > 0:
		return min(chunks-1, others, MaxFanout)
	case size <= completeUpTo:
		return others
	}
	return min(defaultFanout, others)
}

// BreachProbability returns the probability that t colluding members learn the
// vector of a given honest one, when every member of the view hands seeds to the
// given number of others. They learn the sums over the connected components of
// the honest part of the chunk graph; the vector of a member is one of those
// sums if it hands all its seeds to colluders and no honest member hands it one.
func BreachProbability(size, fanout, t int) float64 {
	honest := size - t
	switch {
	case t <= 0:
		return 0
	case honest <= 1:
		return 1
	case fanout > t: // more seeds than colluders: one goes to an honest member
		return 0
	}
	p := 1.0
	for i := range fanout {
		p *= float64(t-i) / float64(size-1-i)
	}
	return p * math.Pow(1-float64(fanout)/float64(size-1), float64(honest-1))
}
