package attack

import (
	"math/bits"

	"github.com/collabdict/collabdict/chunking"
)

// numbers is the arithmetic of an elimination: that of the ring of 2^64, in which
// odd numbers have inverses, or of the field.
type numbers struct{ field bool }

// unit reports whether a number has an inverse.
func (n numbers) unit(a uint64) bool { return a != 0 && (n.field || a&1 == 1) }

func (n numbers) inverse(a uint64) uint64 {
	if n.field {
		return chunking.FieldInv(a)
	}
	x := a // right in the last 3 bits; each step doubles that
	for range 5 {
		x *= 2 - a*x
	}
	return x
}

// scale multiplies a row by a number.
func (n numbers) scale(row []uint64, by uint64) {
	for i, v := range row {
		if n.field {
			row[i] = chunking.FieldMul(v, by)
		} else {
			row[i] = v * by
		}
	}
}

// subtract takes a multiple of src off dst.
func (n numbers) subtract(dst, src []uint64, times uint64) {
	for i, v := range src {
		switch {
		case v == 0:
		case n.field:
			dst[i] = chunking.FieldSub(dst[i], chunking.FieldMul(v, times))
		default:
			dst[i] -= v * times
		}
	}
}

// elimination brings rows of weights into reduced form, one after the other. It
// keeps how each reduced row is made of the rows that it was given.
type elimination struct {
	numbers
	basis []reduced
}

type reduced struct {
	pivot   int
	weights []uint64
	from    []uint64 // of the rows given; as long as there were rows then, nil if not kept
}

// add enters a row and reports whether it tells anything new. In the ring a row whose
// remainder has only even weights is left out.
func (e *elimination) add(weights []uint64, from []uint64) bool {
	r := reduced{weights: append([]uint64(nil), weights...), from: from}
	for _, b := range e.basis {
		e.reduce(&r, b)
	}
	r.pivot = -1
	for i, w := range r.weights {
		if e.unit(w) {
			r.pivot = i
			break
		}
	}
	if r.pivot < 0 {
		return false
	}
	inverse := e.inverse(r.weights[r.pivot])
	e.scale(r.weights, inverse)
	e.scale(r.from, inverse)
	for i := range e.basis {
		e.reduce(&e.basis[i], r)
	}
	e.basis = append(e.basis, r)
	return true
}

// reduce makes the weight of r at the pivot of b zero.
func (e *elimination) reduce(r *reduced, b reduced) {
	times := r.weights[b.pivot]
	if times == 0 {
		return
	}
	e.subtract(r.weights, b.weights, times)
	e.subtract(r.from, b.from, times)
}

// determined returns the members whose own residue follows from the rows, each
// with how it is made of them.
func (e *elimination) determined() map[int][]uint64 {
	found := map[int][]uint64{}
	for _, b := range e.basis {
		alone := true
		for i, w := range b.weights {
			alone = alone && (w == 0 || i == b.pivot)
		}
		if alone {
			found[b.pivot] = b.from
		}
	}
	return found
}

// solveExact returns, for each residue that follows from the rows, its weights.
func solveExact(a chunking.Arithmetic, rows [][]uint64) map[int][]uint64 {
	e := elimination{numbers: numbers{field: a == chunking.Field}}
	for i, row := range rows {
		from := make([]uint64, len(rows))
		from[i] = 1
		e.add(row, from)
	}
	return e.determined()
}

// mixExact returns the combination of observed words.
func mixExact(a chunking.Arithmetic, weights []uint64, data [][]uint64) []uint64 {
	y := make([]uint64, len(data[0]))
	for i, w := range weights {
		switch {
		case w == 0:
		case a == chunking.Field:
			for j, v := range data[i] {
				y[j] = chunking.FieldAdd(y[j], chunking.FieldMul(v, w))
			}
		case a == chunking.Ring128:
			addWide(y, data[i], w)
		default:
			for j, v := range data[i] {
				y[j] += v * w
			}
		}
	}
	return y
}

// addWide adds a multiple of values of two words each. The weight is that of the
// ring of 2^64, in which small negative ones are large; it is meant modulo 2^128.
func addWide(y, x []uint64, weight uint64) {
	high := uint64(int64(weight) >> 63)
	for j := 0; j+1 < len(y); j += 2 {
		hi, lo := bits.Mul64(x[j], weight)
		hi += x[j]*high + x[j+1]*weight
		var carry uint64
		y[j], carry = bits.Add64(y[j], lo, 0)
		y[j+1], _ = bits.Add64(y[j+1], hi, carry)
	}
}
