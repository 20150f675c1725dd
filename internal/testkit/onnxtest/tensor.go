package onnxtest

import (
	"fmt"
	"slices"
)

// Types of elements, by their numbers in TensorProto.DataType.
const (
	Float  = 1
	Int64  = 7
	Double = 11
)

// Tensor is a row-major array. Values of type Float are rounded to single precision.
type Tensor struct {
	Type   int64
	Dims   []int
	Values []float64
}

// Floats returns a tensor of single precision.
func Floats(values []float32, dims ...int) Tensor {
	t := Tensor{Type: Float, Dims: dims}
	for _, v := range values {
		t.Values = append(t.Values, float64(v))
	}
	return t
}

func elements(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// of returns a tensor whose elements are computed from their place.
func of(typ int64, dims []int, f func(at int) float64) Tensor {
	t := Tensor{Type: typ, Dims: slices.Clone(dims), Values: make([]float64, elements(dims))}
	for i := range t.Values {
		t.Values[i] = rounded(typ, f(i))
	}
	return t
}

func rounded(typ int64, v float64) float64 {
	if typ == Float {
		return float64(float32(v))
	}
	return v
}

// spread returns the broadcast shape of two tensors: each is repeated along axes where it has
// length 1, or which it lacks in front.
func spread(a, b []int) ([]int, error) {
	dims := make([]int, max(len(a), len(b)))
	for i := 1; i <= len(dims); i++ {
		x, y := 1, 1
		if i <= len(a) {
			x = a[len(a)-i]
		}
		if i <= len(b) {
			y = b[len(b)-i]
		}
		if x != y && x != 1 && y != 1 {
			return nil, fmt.Errorf("shapes %v and %v do not fit together", a, b)
		}
		dims[len(dims)-i] = max(x, y)
	}
	return dims, nil
}

// place returns the index in a tensor of shape t for index at in the broadcast shape dims.
func place(t, dims []int, at int) int {
	where, stride := 0, 1
	for i := 1; i <= len(dims); i++ {
		d := dims[len(dims)-i]
		if i <= len(t) {
			if t[len(t)-i] != 1 {
				where += at % d * stride
			}
			stride *= t[len(t)-i]
		}
		at /= d
	}
	return where
}
