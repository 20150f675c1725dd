package chunking

import "fmt"

// In place of chunks, a vector may be split over several sessions, its lanes. Each lane is
// averaged separately, on its own graph. Members that see enough lanes of a member learn its
// vector; see [LanesBreach]. The pad is added before the split, so one pad seals all lanes.

// Lanes returns count vectors of units that add up to units. All but the last are random (Sec.
// 4.2 of Idé et al. 2024, where they are called chunks). It requires 1 <= count <= MaxFanout. c
// is the context of the vector, with lane 0. entropy is secret and fresh for this vector.
func (l *Layout) Lanes(units []uint64, count int, entropy [32]byte, c Context) [][]uint64 {
	l.mustFit(units)
	if count < 1 || count > MaxFanout {
		panic(fmt.Sprintf("chunking: invalid number of lanes: %d", count))
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

// JoinLanes returns the units of the total, given the units of all lanes' totals.
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

// Split returns Shamir shares of units over F_p, for the arithmetic Field (Shamir 1979). They
// are the values at the points 1 to count of polynomials f(z) = x + a_1 z + ... + a_{τ-1}
// z^{τ-1} with random coefficients, where τ is the threshold. Shares add up to shares of the
// sum. Fewer than τ shares of a member reveal nothing about its vector. It requires 1 <=
// threshold <= count. Context and entropy are as for [Layout.Lanes].
func Split(units []uint64, threshold, count int, entropy [32]byte, c Context) [][]uint64 {
	if threshold < 1 || count < threshold {
		panic(fmt.Sprintf("chunking: %d lanes with threshold %d", count, threshold))
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

// Join returns the units of the total, given the totals of at least threshold lanes, by index.
// Lanes that failed are nil. It returns an error if there are too few lanes, if their lengths
// differ, or if a word is not in the field.
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

// weightAtZero returns Π_{j≠l} j/(j-l) in F_p, the weight of point l's value in the
// polynomial's value at zero.
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
