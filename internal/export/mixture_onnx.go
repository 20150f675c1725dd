package export

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/export/onnx"
	"github.com/collabdict/collabdict/internal/kernels/lapack"
)

// ONNX returns a graph that scores rows, given in single precision. It computes in double
// precision, so that only the rounding of the input loses digits.
func (x *Mixture) ONNX() (*File, error) {
	var f File
	x.list(&f)
	g := onnx.NewGraph(x.Kind)
	names, units := x.Columns.Names, "in the units of the data"
	if x.Columns.scaled() {
		f.scaling(x.Columns)
	} else {
		units = "scaled by the reader's own rows"
	}
	f.axes(x.Columns)
	f.warnCoarse(x.Columns)
	rows := g.Input("rows", "columns, "+units+": "+strings.Join(names, ", "), onnx.Float, batch, axis(len(names)))
	z := newCoordinates(g, x.Columns).double(rows)
	z = g.Apply("rows.trained", onnx.Clip, z, g.Doubles("least", []float64{-farthest}), g.Doubles("greatest", []float64{farthest}))
	density{g, x}.outputs(z)
	properties, err := x.properties()
	f.Bytes = onnx.Model{
		Graph: g, Producer: "collabdict", Properties: properties,
		Doc: "Mixture of normal distributions. The score of a row is the higher, the less it is like the rows trained on.",
	}.Encode()
	return &f, err
}

// farthest bounds the size of values, as [gmm.Mixture.Explain] does, so that their squares do
// not overflow.
const farthest = 1e100

func (x *Mixture) properties() ([]onnx.Property, error) {
	names, err := json.Marshal(x.Columns.Names)
	input := "units"
	if !x.Columns.scaled() {
		input = "scaled"
	}
	all := []onnx.Property{
		{Key: "kind", Value: x.Kind},
		{Key: "columns", Value: string(names)},
		{Key: "standardise", Value: x.Columns.Standardise},
		{Key: "input", Value: input},
		{Key: "score", Value: x.score()},
		{Key: "weights_of", Value: string(x.whose())},
	}
	if x.Columns.Normalise != "" {
		all = append(all, onnx.Property{Key: "normalise", Value: x.Columns.Normalise})
	}
	if x.Columns.Window > 0 {
		all = append(all, onnx.Property{Key: "window", Value: strconv.Itoa(x.Columns.Window)})
	}
	if x.Digest != "" {
		all = append(all, onnx.Property{Key: "digest", Value: x.Digest})
	}
	if x.Own {
		decimal := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
		all = append(all, onnx.Property{Key: "threshold", Value: decimal(x.Threshold)}, onnx.Property{Key: "false_alarm", Value: decimal(x.FalseAlarm)})
	}
	if x.Release != nil {
		privacy, err := json.Marshal(x.Release)
		if err != nil {
			return nil, err
		}
		all = append(all, onnx.Property{Key: "privacy", Value: string(privacy)})
	}
	return all, err
}

// density is the part of a graph with K components of M variables. Tensors of several axes have
// the order components, rows, variables.
type density struct {
	g *onnx.Graph
	*Mixture
}

// components adds a constant with an array of the given shape per component.
func (d density) components(name string, of func(k int) []float64, shape ...int) onnx.Value {
	var all []float64
	for k := range d.Components() {
		all = append(all, of(k)...)
	}
	return d.g.Doubles(name, all, append([]int{d.Components()}, shape...)...)
}

// root returns the upper triangular U with Λ_k = UᵀU.
func (d density) root(k int) []float64 {
	c, ok := lapack.Factorise(d.Precision(k))
	if !ok {
		panic("export: a precision matrix of a mixture is not positive definite")
	}
	return c.U()
}

// diagonal returns f of the diagonal of Λ_k.
func (d density) diagonal(k int, f func(float64) float64) (out []float64) {
	p := d.Precision(k)
	for i := range d.Dim() {
		out = append(out, f(p.At(i, i)))
	}
	return out
}

// outputs adds the scores of rows z.
//
// ‖U(x−μ)‖² is a sum of squares, so it is never below 0 and keeps its digits for an
// ill-conditioned matrix. The contribution of a variable is that of [gmm.Mixture.Explain]: with
// g = Λ(x−μ) = Uᵀ(U(x−μ)), the log density rises by g_i²/2Λ_ii if x_i takes the value that the
// others predict.
func (d density) outputs(z onnx.Value) {
	g, dim, full := d.g, d.Dim(), d.Form() == gmm.Full
	half, weights, means := g.Doubles("half", []float64{0.5}), d.Weights(), d.Means()
	off := g.Apply("off", onnx.Sub, g.Widen("rows.wide", z, 0), d.components("means", means.RawRowView, 1, dim))
	var white onnx.Value
	if full {
		transposed := func(k int) (out []float64) {
			root := d.root(k)
			for i := range dim {
				for j := range dim {
					out = append(out, root[j*dim+i])
				}
			}
			return out
		}
		white = g.Apply("white", onnx.MatMul, off, d.components("roots.transposed", transposed, dim, dim))
	} else {
		roots := func(k int) []float64 { return d.diagonal(k, math.Sqrt) }
		white = g.Apply("white", onnx.Mul, off, d.components("roots", roots, 1, dim))
	}
	squares := g.Apply("white.squares", onnx.Mul, white, white)
	quadratic := g.Apply("quadratic.half", onnx.Mul, g.Sum("quadratic", squares, 2), half)
	weighted := func(k int) []float64 { return []float64{d.LogNorm(k) + math.Log(weights[k])} }
	joint := g.Apply("joint", onnx.Sub, d.components("weighted", weighted, 1), quadratic)
	total := d.logSum("log_density.double", joint)
	g.Apply("log_density", onnx.Cast(onnx.Float), total)

	score, says := g.Apply("surprise", onnx.Sub, g.Doubles("zero", []float64{0}), total), "minus the log density of the row, in nats"
	if d.Expected {
		score, says = d.expected(joint, quadratic, total), "minus the log densities of the components, averaged by how much the row is of each, in nats"
	}
	g.Apply("score", onnx.Cast(onnx.Float), score)
	g.Output("score", "anomaly score: "+says, onnx.Float, batch)
	g.Output("log_density", "log density of the row in the coordinates trained on, in nats", onnx.Float, batch)
	if d.Columns.Projection != nil {
		return // variables are axes, which do not correspond to columns
	}
	extra := squares
	if full {
		gradient := g.Apply("gradient", onnx.MatMul, white, d.components("roots", d.root, dim, dim))
		extra = g.Apply("gradient.squares", onnx.Mul, gradient, gradient)
		diagonals := func(k int) []float64 { return d.diagonal(k, func(v float64) float64 { return v }) }
		extra = g.Apply("gradient.scaled", onnx.Div, extra, d.components("diagonals", diagonals, 1, dim))
	}
	extra = g.Apply("gain", onnx.Mul, extra, half)
	without := d.logSum("without", g.Apply("joint.without", onnx.Add, g.Widen("joint.wide", joint, 2), extra))
	parts := g.Apply("parts", onnx.Sub, without, g.Widen("total.wide", total, 1))
	g.Apply("contributions", onnx.Relu, g.Apply("parts.single", onnx.Cast(onnx.Float), parts))
	g.Output("contributions", "of each column: no other value of it raises the log density by more", onnx.Float, batch, axis(dim))
}

// expected returns Eq. (19) of Idé et al. 2024.
func (d density) expected(joint, quadratic, total onnx.Value) onnx.Value {
	g := d.g
	share := g.Apply("responsibilities", onnx.Exp, g.Apply("joint.relative", onnx.Sub, joint, total))
	norms := func(k int) []float64 { return []float64{d.LogNorm(k)} }
	surprise := g.Apply("component.surprise", onnx.Sub, quadratic, d.components("densities", norms, 1))
	return g.Sum("expected", g.Apply("expected.parts", onnx.Mul, share, surprise), 0)
}

// logSum returns the logarithm of the sum of exponentials over components.
func (d density) logSum(name string, v onnx.Value) onnx.Value {
	g := d.g
	top := g.Max(name+".top", v, 0)
	shares := g.Apply(name+".shares", onnx.Exp, g.Apply(name+".relative", onnx.Sub, v, top))
	return g.Apply(name, onnx.Add, top, g.Apply(name+".log", onnx.Log, g.Sum(name+".sum", shares, 0)))
}
