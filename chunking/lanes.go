package chunking

import "fmt"

// A vector may be split over several sessions, its lanes, in place of handing out
// chunks: each is averaged by itself, on a graph of its own. Whoever sees enough
// lanes of a member has its vector; see [BreachProbability]. A pad is added to the
// vector before it is split, so that one pad seals all lanes.

// Lanes returns vectors of units that add up to the given ones, all but the last of
// them random (Sec. 4.2 of Idé et al. 2024, where they are the chunks). It wants
// 1 <= count <= MaxFanout; the context is that of the vector, with lane 0, and
// entropy is secret and fresh for it.
func (l *Layout) Lanes(units []uint64, count int, entropy [32]byte, c Context) [][]uint64 {
	l.mustFit(units)
	if count < 1 || count > MaxFanout {
		panic(fmt.Sprintf("chunking: a vector in %d lanes", count))
	}
	last := append([]uint64(nil), units...)
	lanes := make([][]uint64, count)
	for i := range count - 1 {
		lanes[i] = make([]uint64, len(units))
		l.AddMask(lanes[i], laneMask(i+1, entropy, c))
		l.Subtract(last, lanes[i])
	}
	lanes[count-1] = last
	return lanes
}

// JoinLanes returns the units of the total from those of all its lanes' totals.
func (l *Layout) JoinLanes(totals [][]uint64) ([]uint64, error) {
	sum := make([]uint64, l.Words())
	for i, t := range totals {
		if err := l.Check(t); err != nil {
			return nil, fmt.Errorf("lane %d: %w", i, err)
		}
		l.Add(sum, t)
	}
	return sum, nil
}

// Split returns shares over F_p of units of the arithmetic Field: the values at the
// points 1 to count of polynomials f(z) = x + a_1 z + ... + a_{τ-1} z^{τ-1} with
// random coefficients, τ being the threshold (Shamir 1979). Shares add up to shares
// of the sum, and fewer than τ of a member say nothing of its vector. It wants
// 1 <= threshold <= count; context and entropy are as for [Layout.Lanes].
func Split(units []uint64, threshold, count int, entropy [32]byte, c Context) [][]uint64 {
	if threshold < 1 || count < threshold {
		panic(fmt.Sprintf("chunking: %d lanes of which %d are needed", count, threshold))
	}
	lanes, powers := make([][]uint64, count), make([]uint64, count)
	for i := range lanes {
		lanes[i] = append([]uint64(nil), units...)
		powers[i] = 1
	}
	coefficients := make([]uint64, len(units))
	for j := 1; j < threshold; j++ {
		clear(coefficients)
		Field.mask(coefficients, laneMask(j, entropy, c), false)
		for i, lane := range lanes {
			powers[i] = FieldMul(powers[i], uint64(i+1))
			addMultiple(lane, powers[i], coefficients)
		}
	}
	return lanes
}

// Join returns the units of the total from the totals of any threshold of its
// lanes, by index; those that failed are nil. Too few lanes, or of different
// lengths, or with words that are not in the field, are an error.
func Join(totals [][]uint64, threshold int) ([]uint64, error) {
	var points []uint64
	for i, t := range totals {
		if t != nil && len(points) < threshold {
			points = append(points, uint64(i+1))
		}
	}
	if threshold < 1 || len(points) < threshold {
		return nil, fmt.Errorf("lanes: want the totals of at least %d, got %d", max(threshold, 1), len(points))
	}
	sum := make([]uint64, len(totals[points[0]-1]))
	for _, x := range points {
		total := totals[x-1]
		if len(total) != len(sum) {
			return nil, fmt.Errorf("lane %d: want %d words, got %d", x-1, len(sum), len(total))
		}
		for i, w := range total {
			if w >= Prime {
				return nil, fmt.Errorf("lane %d: want words below 2^61-1, got %d as word %d", x-1, w, i)
			}
		}
		addMultiple(sum, weightAtZero(x, points), total)
	}
	return sum, nil
}

// weightAtZero returns Π_{j≠l} j/(j-l) in F_p for the point l: the weight of its
// value in that of the polynomial at zero.
func weightAtZero(l uint64, points []uint64) uint64 {
	above, below := uint64(1), uint64(1)
	for _, j := range points {
		if j != l {
			above = FieldMul(above, j)
			below = FieldMul(below, FieldSub(j, l))
		}
	}
	return FieldMul(above, FieldInv(below))
}

// addMultiple adds factor times src to dst in F_p.
func addMultiple(dst []uint64, factor uint64, src []uint64) {
	for i, v := range src {
		dst[i] = FieldAdd(dst[i], FieldMul(factor, v))
	}
}

func laneMask(lane int, entropy [32]byte, c Context) Mask {
	c.Lane = uint32(lane)
	return Mask{Context: c, Purpose: forLane, Seed: entropy}
}
