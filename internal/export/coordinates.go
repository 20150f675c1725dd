package export

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/internal/onnx"
	"gonum.org/v1/gonum/floats"
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

// back names points of the coordinates trained on, and standard deviations there if sd is
// not empty, in the units of the data. With principal axes both are along these alone.
func (c *coordinates) back(name, sdName string, points, sd onnx.Value) {
	g, p := c.g, c.model.Projection
	x := g.Apply(string(points)+".double", onnx.Cast(onnx.Double), points)
	var s onnx.Value
	if sd != "" {
		s = g.Apply(string(sd)+".double", onnx.Cast(onnx.Double), sd)
	}
	if p != nil {
		k, columns := p.Axes.Dims()
		back, squared := make([]float64, 0, k*columns), make([]float64, 0, k*columns)
		for a := range k {
			axis := p.Axes.RawRowView(a)
			for _, v := range axis {
				b := v / floats.Dot(axis, axis)
				back, squared = append(back, b), append(squared, b*b)
			}
		}
		x = g.Apply(name+".plane", onnx.MatMul, x, g.Doubles("axes.back", back, k, columns))
		x = g.Apply(name+".decentred", onnx.Add, x, c.centre)
		if sd != "" {
			s = g.Apply(sdName+".axes", onnx.Mul, s, s)
			s = g.Apply(sdName+".variance", onnx.MatMul, s, g.Doubles("axes.back.squared", squared, k, columns))
			s = g.Apply(sdName+".plane", onnx.Sqrt, s)
		}
	}
	x = g.Apply(name+".unscaled", onnx.Mul, x, c.scale)
	x = g.Apply(name+".unshifted", onnx.Add, x, c.shift)
	g.Apply(name, onnx.Cast(onnx.Float), x)
	if sd != "" {
		s = g.Apply(sdName+".unscaled", onnx.Mul, s, c.scale)
		g.Apply(sdName, onnx.Cast(onnx.Float), s)
	}
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
