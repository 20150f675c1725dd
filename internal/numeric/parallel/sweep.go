package parallel

const (
	// BlockRows is the number of rows per block; a block stays in the cache.
	BlockRows = 256
	// maxLanes is the number of lanes, which are runs of consecutive blocks, handled in
	// parallel. It does not depend on the machine, because it fixes the order of every sum.
	maxLanes = 32
)

// Lanes returns the number of lanes for n rows.
func Lanes(n int) int { return min(maxLanes, (n+BlockRows-1)/BlockRows) }

// Sweep calls f for every block [lo, hi) of n rows. Blocks of one lane are handled in order.
func Sweep(n int, f func(lane, lo, hi int)) {
	For(Lanes(n), func(lane int) {
		first, last := BlocksOf(lane, n)
		for b := first; b < last; b++ {
			f(lane, b*BlockRows, min(n, (b+1)*BlockRows))
		}
	})
}

// BlocksOf returns the range of blocks of a lane: the first, and the one after the last.
func BlocksOf(lane, n int) (first, last int) {
	count, blocks := Lanes(n), (n+BlockRows-1)/BlockRows
	return lane * blocks / count, (lane + 1) * blocks / count
}
