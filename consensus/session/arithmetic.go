package session

import (
	"fmt"
	"math/bits"

	"github.com/collabdict/collabdict/chunking"
)

// checkExact returns an error for arguments that no exact plan supports.
func checkExact(size, k int, a chunking.Arithmetic) error {
	switch {
	case size < 1:
		return fmt.Errorf("session: want at least 1 member, got %d", size)
	case k < 1:
		return fmt.Errorf("session: want k, the number of other members heard per round, of at least 1, got %d", k)
	case a != chunking.Ring && a != chunking.Ring128 && a != chunking.Field:
		return fmt.Errorf("session: want the arithmetic %s, %s or %s, got %q", chunking.Ring, chunking.Ring128, chunking.Field, string(a))
	}
	return nil
}

// limbs returns the number of words per value.
func limbs(a chunking.Arithmetic) int {
	if a == chunking.Ring128 {
		return 2
	}
	return 1
}

// checkWords returns a description of the fault if words are not values of the arithmetic, or
// "".
func checkWords(a chunking.Arithmetic, words []uint64) string {
	if a != chunking.Field {
		return ""
	}
	inside := uint64(1)
	for _, w := range words {
		_, below := bits.Sub64(w, chunking.Prime, 0)
		inside &= below
	}
	if inside == 0 {
		return "want words below 2^61-1"
	}
	return ""
}

// checkOwn panics if a member's own words are not values of the arithmetic.
func checkOwn(a chunking.Arithmetic, words []uint64) {
	if len(words)%limbs(a) != 0 {
		panic(fmt.Sprintf("session: %d words are not values of the arithmetic %s", len(words), a))
	}
	if wrong := checkWords(a, words); wrong != "" {
		panic("session: " + wrong)
	}
}

// add sets sum to x + y. It may be the same slice as x or y.
func add(a chunking.Arithmetic, sum, x, y []uint64) {
	x, y = x[:len(sum)], y[:len(sum)]
	switch a {
	case chunking.Ring128:
		for len(sum) >= 2 && len(x) >= 2 && len(y) >= 2 {
			low, carry := bits.Add64(x[0], y[0], 0)
			high, _ := bits.Add64(x[1], y[1], carry)
			sum[0], sum[1] = low, high
			sum, x, y = sum[2:], x[2:], y[2:]
		}
	case chunking.Field:
		for i, v := range x {
			sum[i] = chunking.FieldAdd(v, y[i])
		}
	default:
		for i, v := range x {
			sum[i] = v + y[i]
		}
	}
}

// scale multiplies elements of the field by a weight.
func scale(words []uint64, weight uint64) {
	if weight == 1 {
		return
	}
	for i, w := range words {
		words[i] = chunking.FieldMul(w, weight)
	}
}

// addScaled adds weight times x to sum, in the field.
func addScaled(sum, x []uint64, weight uint64) {
	x = x[:len(sum)]
	for i, s := range sum {
		sum[i] = chunking.FieldAdd(s, chunking.FieldMul(x[i], weight))
	}
}
