package parallel

const (
	// BlockRows rows are worked on at a time: a block of them stays in the cache.
	BlockRows = 256
	// maxLanes pieces of consecutive blocks run in parallel. The number does not
	// depend on the machine: it fixes the order of every sum.
	maxLanes = 32
)

// Lanes returns in how many pieces n rows are worked on.
func Lanes(n int) int { return min(maxLanes, (n+BlockRows-1)/BlockRows) }

// Sweep calls f for every block [lo, hi) of n rows. Blocks of one lane come in
// order, one after the other.
func Sweep(n int, f func(lane, lo, hi int)) {
	For(Lanes(n), func(lane int) {
		first, last := BlocksOf(lane, n)
		for b := first; b < last; b++ {
			f(lane, b*BlockRows, min(n, (b+1)*BlockRows))
		}
	})
}

// BlocksOf returns the blocks of a lane, the first and the one after the last.
func BlocksOf(lane, n int) (first, last int) {
	count, blocks := Lanes(n), (n+BlockRows-1)/BlockRows
	return lane * blocks / count, (lane + 1) * blocks / count
}
