package exposure

import "github.com/collabdict/collabdict/chunking"

// Elimination brings rows of weights into reduced form, one after the other. For each reduced
// row it keeps the combination of input rows. Its arithmetic is the ring of 2^64, in which odd
// numbers have inverses, or the field.
type Elimination struct {
	Field bool
	basis []reduced
}

type reduced struct {
	pivot   int
	weights []uint64
	from    []uint64 // weights of the input rows; as long as their number at that time, or nil if not kept
}

// unit reports whether a number has an inverse.
func (e *Elimination) unit(a uint64) bool { return a != 0 && (e.Field || a&1 == 1) }

func (e *Elimination) inverse(a uint64) uint64 {
	if e.Field {
		return chunking.FieldInv(a)
	}
	x := a // correct in the last 3 bits; each step doubles their number
	for range 5 {
		x *= 2 - a*x
	}
	return x
}

// scale multiplies a row by a number.
func (e *Elimination) scale(row []uint64, by uint64) {
	for i, v := range row {
		if e.Field {
			row[i] = chunking.FieldMul(v, by)
		} else {
			row[i] = v * by
		}
	}
}

// subtract subtracts a multiple of src from dst.
func (e *Elimination) subtract(dst, src []uint64, times uint64) {
	for i, v := range src {
		switch {
		case v == 0:
		case e.Field:
			dst[i] = chunking.FieldSub(dst[i], chunking.FieldMul(v, times))
		default:
			dst[i] -= v * times
		}
	}
}

// Add enters a row and reports whether it is independent of the rows before. In the ring it
// drops a row whose remainder has only even weights.
func (e *Elimination) Add(weights []uint64, from []uint64) bool {
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
func (e *Elimination) reduce(r *reduced, b reduced) {
	times := r.weights[b.pivot]
	if times == 0 {
		return
	}
	e.subtract(r.weights, b.weights, times)
	e.subtract(r.from, b.from, times)
}

// Determined returns the members whose own residue follows from the rows. Each comes with its
// combination of the rows.
func (e *Elimination) Determined() map[int][]uint64 {
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
