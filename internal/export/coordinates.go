package export

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/onnx"
	"github.com/collabdict/collabdict/model"
)

// largest is what values in the coordinates trained on are cut to, as scorers do: beyond it
// squares in single precision have no room.
const largest = 1e12

// coarse is the error of a scaled value by the rounding of its column to single precision
// from which on it is warned of.
const coarse = 1e-3

// coordinates brings rows into the coordinates trained on, and back. It computes in double
// precision: what is lost is lost by the rounding of the input alone.
type coordinates struct {
	g     *onnx.Graph
	model *model.Model

	shift, scale, centre, axes onnx.Value
}

func newCoordinates(g *onnx.Graph, m *model.Model) *coordinates {
	columns := len(m.Manifest.Columns)
	c := &coordinates{
		g: g, model: m,
		shift: g.Doubles("shift", m.Scaling.Shift, columns), scale: g.Doubles("scale", m.Scaling.Scale, columns),
	}
	if p := m.Projection; p != nil {
		c.centre = g.Doubles("centre", p.Mean, columns)
		k, _ := p.Axes.Dims()
		transposed := make([]float64, 0, k*columns)
		for j := range columns {
			for a := range k {
				transposed = append(transposed, p.Axes.At(a, j))
			}
		}
		c.axes = g.Doubles("axes.transposed", transposed, columns, k)
	}
	return c
}

// trained returns rows in single precision, as networks take them.
func (c *coordinates) trained(rows onnx.Value) onnx.Value {
	g := c.g
	x := g.Apply("rows.double", onnx.Cast(onnx.Double), rows)
	x = g.Apply("rows.shifted", onnx.Sub, x, c.shift)
	x = g.Apply("rows.scaled", onnx.Div, x, c.scale)
	if c.model.Projection != nil {
		x = g.Apply("rows.centred", onnx.Sub, x, c.centre)
		x = g.Apply("rows.projected", onnx.MatMul, x, c.axes)
	}
	x = g.Apply("rows.single", onnx.Cast(onnx.Float), x)
	return g.Apply("rows.trained", onnx.Clip, x, g.Floats("least", []float32{-largest}), g.Floats("greatest", []float32{largest}))
}

// points names points of the coordinates trained on in the units of the data; with
// principal axes they are of the axes' plane.
func (c *coordinates) points(name string, z onnx.Value) {
	g := c.g
	x := g.Apply(name+".double", onnx.Cast(onnx.Double), z)
	if c.model.Projection != nil {
		x = g.Apply(name+".plane", onnx.MatMul, x, c.back("axes.back", func(v float64) float64 { return v }))
		x = g.Apply(name+".decentred", onnx.Add, x, c.centre)
	}
	x = g.Apply(name+".unscaled", onnx.Mul, x, c.scale)
	x = g.Apply(name+".unshifted", onnx.Add, x, c.shift)
	g.Apply(name, onnx.Cast(onnx.Float), x)
}

// deviations names standard deviations likewise; with principal axes of what varies along
// these, each by itself.
func (c *coordinates) deviations(name string, sd onnx.Value) {
	g := c.g
	x := g.Apply(name+".double", onnx.Cast(onnx.Double), sd)
	if c.model.Projection != nil {
		x = g.Apply(name+".axes", onnx.Mul, x, x)
		x = g.Apply(name+".variance", onnx.MatMul, x, c.back("axes.back.squared", func(v float64) float64 { return v * v }))
		x = g.Apply(name+".plane", onnx.Sqrt, x)
	}
	x = g.Apply(name+".unscaled", onnx.Mul, x, c.scale)
	g.Apply(name, onnx.Cast(onnx.Float), x)
}

// back adds the matrix from the axes to the columns, with f done to its elements.
func (c *coordinates) back(name string, f func(float64) float64) onnx.Value {
	axes := c.model.Projection.Axes
	k, columns := axes.Dims()
	values := make([]float64, 0, k*columns)
	for a := range k {
		axis := axes.RawRowView(a)
		for _, v := range axis {
			values = append(values, f(v/blas.Dot(axis, axis)))
		}
	}
	return c.g.Doubles(name, values, k, columns)
}

// warnCoarse warns of columns whose values are so far from 0 that single precision does not
// tell them apart well.
func (f *File) warnCoarse(m *model.Model) {
	for j, name := range m.Manifest.Columns {
		shift, scale := math.Abs(m.Scaling.Shift[j]), m.Scaling.Scale[j]
		if e := shift / scale * 0x1p-24; e > coarse {
			f.Warnings = append(f.Warnings, fmt.Sprintf(
				"column %q: rows are taken in single precision, which rounds values around %.6g by up to %.2g, %.2g of its scale: subtract a constant from it before training",
				name, m.Scaling.Shift[j], shift*0x1p-24, e))
		}
	}
}
