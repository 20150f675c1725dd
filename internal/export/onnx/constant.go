package onnx

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Floats adds a constant; without dims it is a single number.
func (g *Graph) Floats(name string, values []float32, dims ...int) Value {
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return g.constant(name, Float, len(values), raw, dims)
}

// Doubles adds a constant; without dims it is a single number.
func (g *Graph) Doubles(name string, values []float64, dims ...int) Value {
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
	}
	return g.constant(name, Double, len(values), raw, dims)
}

// Int64s adds a constant vector.
func (g *Graph) Int64s(name string, values []int64) Value {
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return g.constant(name, Int64, len(values), raw, []int{len(values)})
}

func (g *Graph) constant(name string, of Type, n int, raw []byte, dims []int) Value {
	want := 1
	for _, d := range dims {
		want *= d
	}
	if n != want {
		panic(fmt.Sprintf("onnx: constant %s of %d values, want the %d of shape %v", name, n, want, dims))
	}
	g.constants = append(g.constants, constant{name, of, dims, raw})
	return g.define(name)
}
