package collabdict

import (
	"fmt"
	"math"
)

// CheckBlocks returns an error for the first value of x that is not finite or exceeds its
// block's bound, or if the blocks do not cover x or have no positive bound.
func CheckBlocks(x []float64, blocks []Block) error {
	at := 0
	for i, b := range blocks {
		if b.Len < 0 || !(b.Bound > 0) || math.IsInf(b.Bound, 1) {
			return fmt.Errorf("block %d: want a length of at least 0 and a positive finite bound, got %d and %g", i, b.Len, b.Bound)
		}
		if at+b.Len > len(x) {
			return fmt.Errorf("blocks cover more than the %d values of the vector", len(x))
		}
		for j, v := range x[at : at+b.Len] {
			if !(math.Abs(v) <= b.Bound) {
				return fmt.Errorf("value %d of the vector is %g, outside its bound ±%g", at+j, v, b.Bound)
			}
		}
		at += b.Len
	}
	if at != len(x) {
		return fmt.Errorf("blocks cover %d of the %d values of the vector", at, len(x))
	}
	return nil
}
