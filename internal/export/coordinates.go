package export

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/export/onnx"
	"github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/model"
)

// Columns describes rows and their map to the coordinates of training.
type Columns struct {
	Names                  []string
	Window                 int // as in model.Manifest, like the next two
	Standardise, Normalise string
	Scaling                rows.Scaling // if Scale is empty, the file takes rows that are already scaled
	Projection             *rows.Projection
}

func columnsOf(m *model.Model) Columns {
	d := m.Manifest
	return Columns{d.Columns, d.Window, d.Standardise, d.Normalise, m.Scaling, m.Projection}
}

// dim returns the number of coordinates of training.
func (c Columns) dim() int {
	if c.Projection == nil {
		return len(c.Names)
	}
	k, _ := c.Projection.Axes.Dims()
	return k
}

// shared returns the columns without a participant's own scaling: the file then takes scaled
// rows.
func (c Columns) shared() Columns {
	if c.Standardise == own {
		c.Scaling = rows.Scaling{}
	}
	return c
}

func (c Columns) scaled() bool { return c.Scaling.Scale != nil }

// largest bounds values in the coordinates of training, as scorers do: beyond it, squares
// overflow single precision.
const largest = 1e12

// coarse is the error of a scaled value above which a warning is given. The error comes from
// rounding the value's column to single precision.
const coarse = 1e-3

// coordinates maps rows to the coordinates of training and back. It computes in double
// precision, so that only the rounding of the input loses digits.
type coordinates struct {
	g  *onnx.Graph
	of Columns

	shift, scale, centre, axes onnx.Value
}

func newCoordinates(g *onnx.Graph, of Columns) *coordinates {
	columns := len(of.Names)
	c := &coordinates{g: g, of: of}
	if of.scaled() {
		c.shift, c.scale = g.Doubles("shift", of.Scaling.Shift, columns), g.Doubles("scale", of.Scaling.Scale, columns)
	}
	if p := of.Projection; p != nil {
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

// double returns rows in double precision.
func (c *coordinates) double(rows onnx.Value) onnx.Value {
	g := c.g
	x := g.Apply("rows.double", onnx.Cast(onnx.Double), rows)
	if c.of.scaled() {
		x = g.Apply("rows.shifted", onnx.Sub, x, c.shift)
		x = g.Apply("rows.scaled", onnx.Div, x, c.scale)
	}
	if c.of.Projection != nil {
		x = g.Apply("rows.centred", onnx.Sub, x, c.centre)
		x = g.Apply("rows.projected", onnx.MatMul, x, c.axes)
	}
	return x
}

// trained returns rows in single precision, as networks take them.
func (c *coordinates) trained(rows onnx.Value) onnx.Value {
	g := c.g
	x := g.Apply("rows.single", onnx.Cast(onnx.Float), c.double(rows))
	return g.Apply("rows.trained", onnx.Clip, x, g.Floats("least", []float32{-largest}), g.Floats("greatest", []float32{largest}))
}

// points names points in the units of the data. With principal axes, they lie in the plane of
// the axes.
func (c *coordinates) points(name string, z onnx.Value) {
	g := c.g
	x := g.Apply(name+".double", onnx.Cast(onnx.Double), z)
	if c.of.Projection != nil {
		x = g.Apply(name+".plane", onnx.MatMul, x, c.back("axes.back", func(v float64) float64 { return v }))
		x = g.Apply(name+".decentred", onnx.Add, x, c.centre)
	}
	x = g.Apply(name+".unscaled", onnx.Mul, x, c.scale)
	x = g.Apply(name+".unshifted", onnx.Add, x, c.shift)
	g.Apply(name, onnx.Cast(onnx.Float), x)
}

// deviations names standard deviations in the units of the data. With principal axes, they
// cover only the variation along the axes.
func (c *coordinates) deviations(name string, sd onnx.Value) {
	g := c.g
	x := g.Apply(name+".double", onnx.Cast(onnx.Double), sd)
	if c.of.Projection != nil {
		x = g.Apply(name+".axes", onnx.Mul, x, x)
		x = g.Apply(name+".variance", onnx.MatMul, x, c.back("axes.back.squared", func(v float64) float64 { return v * v }))
		x = g.Apply(name+".plane", onnx.Sqrt, x)
	}
	x = g.Apply(name+".unscaled", onnx.Mul, x, c.scale)
	g.Apply(name, onnx.Cast(onnx.Float), x)
}

// back adds the matrix from the axes to the columns, with f applied to its elements.
func (c *coordinates) back(name string, f func(float64) float64) onnx.Value {
	axes := c.of.Projection.Axes
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

// warnCoarse warns about columns whose values are so far from 0 that single precision blurs
// them.
func (f *File) warnCoarse(c Columns) {
	if !c.scaled() {
		return
	}
	for j, name := range c.Names {
		shift, scale := math.Abs(c.Scaling.Shift[j]), c.Scaling.Scale[j]
		if e := shift / scale * 0x1p-24; e > coarse {
			f.Warnings = append(f.Warnings, fmt.Sprintf(
				"column %q: rows are read in single precision, which rounds values around %.6g by up to %.2g, %.2g of its scale: subtract a constant from the column before training",
				name, c.Scaling.Shift[j], shift*0x1p-24, e))
		}
	}
}
