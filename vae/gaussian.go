package vae

import (
	"fmt"

	"github.com/collabdict/collabdict/internal/kernels/elementwise"
)

// Scale is the function that turns a raw output into the standard deviation of a normal
// distribution.
type Scale uint8

// The kinds of Scale. Both keep away from 0, where densities have no bound.
const (
	ExpScale      Scale = iota // e^raw, with raw limited to LowestLog to HighestLog
	SoftplusScale              // ln(1+e^raw) + LeastScale
)

// Ends of scales.
const (
	LowestLog, HighestLog = -6, 3
	LeastScale            = 1e-3
)

// Gaussian turns the outputs of a network into normal distributions, one per row, with
// independent dimensions. Of the 2·Dim columns of outputs, the first half are means, the second
// half raw scales.
type Gaussian struct {
	Dim  int
	Form Scale

	// of the last Set: rows of Dim columns
	Mean, Scale, LogScale []float32

	raw, row []float32
	kl       []float64
	rows     int
}

// NewGaussian returns a Gaussian over dim dimensions.
func NewGaussian(dim int, form Scale) *Gaussian { return &Gaussian{Dim: dim, Form: form} }

// Set sets the distributions from rows of outputs.
func (g *Gaussian) Set(outputs []float32) {
	sameShape(2*g.Dim, outputs)
	n := len(outputs) / 2
	g.rows = n / g.Dim
	g.Mean, g.Scale, g.LogScale, g.raw = room(g.Mean, n), room(g.Scale, n), room(g.LogScale, n), room(g.raw, n)
	for i := range g.rows {
		row := outputs[i*2*g.Dim:][:2*g.Dim]
		copy(g.Mean[i*g.Dim:], row[:g.Dim])
		copy(g.raw[i*g.Dim:][:g.Dim], row[g.Dim:])
	}
	switch g.Form {
	case ExpScale:
		elementwise.Clamp(g.LogScale, g.raw, LowestLog, HighestLog)
		elementwise.Exp(g.Scale, g.LogScale)
	case SoftplusScale:
		clear(g.Scale)
		elementwise.Softplus(g.Scale, g.raw)
		for i := range g.Scale {
			g.Scale[i] += LeastScale
		}
		elementwise.Log(g.LogScale, g.Scale)
	}
}

// Rows returns the number of distributions.
func (g *Gaussian) Rows() int { return g.rows }

// byRaw converts the derivatives by the logarithms of a row's scales into those by its raw
// scales.
func (g *Gaussian) byRaw(d []float32, at int) {
	if g.Form == ExpScale {
		elementwise.ClampBack(d, g.raw[at:at+len(d)], LowestLog, HighestLog)
	} else {
		elementwise.ScaleBack(d, g.Scale[at:at+len(d)], LeastScale)
	}
}

// outputs panics unless d has the shape of the outputs passed to Set.
func (g *Gaussian) outputs(d []float32) {
	if len(d) != 2*g.rows*g.Dim {
		panic(fmt.Sprintf("vae: %d derivatives by the outputs of %d distributions of %d dimensions", len(d), g.rows, g.Dim))
	}
}
