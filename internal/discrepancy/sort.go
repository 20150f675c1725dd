package discrepancy

import (
	"math"
	"slices"
)

const (
	digitBits = 11
	digits    = (64 + digitBits - 1) / digitBits
	fewValues = 1000 // so few are sorted faster by comparing them
)

// sortNumbers sorts x, without NaN, ascending: by radix, as no comparison of random
// numbers can be foreseen.
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
		if counts[d][keys[0]>>shift%(1<<digitBits)] == len(keys) { // all have this digit
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

// key maps numbers to whole ones of the same order: of those below 0 all bits are
// turned, of the others the sign.
func key(v float64) uint64 {
	b := math.Float64bits(v)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

func value(k uint64) float64 {
	return math.Float64frombits(k ^ (uint64(int64(^k)>>63) | 1<<63))
}
