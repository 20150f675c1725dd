package discrepancy

import (
	"math"
	"slices"
)

const (
	digitBits = 11
	digits    = (64 + digitBits - 1) / digitBits
	fewValues = 1000 // below this number of values, comparison is faster
)

// sortNumbers sorts x, which has no NaN, in ascending order. It uses radix sort, because
// branches on random numbers cannot be predicted.
func sortNumbers(x []float64) {
	if len(x) < fewValues {
		slices.Sort(x)
		return
	}
	keys, next := make([]uint64, len(x)), make([]uint64, len(x))
	var counts [digits][1 << digitBits]int
	for i, v := range x {
		k := key(v)
		keys[i] = k
		for d := range counts {
			counts[d][k>>(d*digitBits)%(1<<digitBits)]++
		}
	}
	for d := range counts {
		shift := d * digitBits
		if counts[d][keys[0]>>shift%(1<<digitBits)] == len(keys) { // all values have this digit
			continue
		}
		at := 0
		for i, n := range counts[d] {
			counts[d][i] = at
			at += n
		}
		for _, k := range keys {
			to := &counts[d][k>>shift%(1<<digitBits)]
			next[*to] = k
			*to++
		}
		keys, next = next, keys
	}
	for i, k := range keys {
		x[i] = value(k)
	}
}

// key maps numbers to whole numbers in the same order: it inverts all bits of negative numbers,
// and the sign bit of others.
func key(v float64) uint64 {
	b := math.Float64bits(v)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

func value(k uint64) float64 {
	return math.Float64frombits(k ^ (uint64(int64(^k)>>63) | 1<<63))
}
