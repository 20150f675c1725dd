package nn

import (
	"fmt"

	"github.com/collabdict/collabdict/internal/kernels/elementwise"
)

// Scale is how a raw output becomes the standard deviation of a normal distribution.
type Scale uint8

// Forms of a scale. Both keep away from 0, where a density has no bound.
const (
	ExpScale      Scale = iota // e^raw, raw from LowestLog to HighestLog
	SoftplusScale              // ln(1+e^raw) + LeastScale
)

// Ends of scales.
const (
	LowestLog, HighestLog = -6, 3
	LeastScale            = 1e-3
)

// Gaussian makes normal distributions of the outputs of a network: of 2·Dim columns, the
// first half are means, the other raw scales. It holds one distribution for each row, all
// of its dimensions independent.
type Gaussian struct {
	Dim  int
	Form Scale

	// Of the last Set: rows of Dim columns.
	Mean, Scale, LogScale []float32

	raw, row []float32
	kl       []float64
	rows     int
}

// NewGaussian returns distributions over so many dimensions.
func NewGaussian(dim int, form Scale) *Gaussian { return &Gaussian{Dim: dim, Form: form} }

// Set takes rows of outputs.
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

// byRaw turns derivatives by the logarithms of scales of a row, at place at, into those by
// raw scales.
func (g *Gaussian) byRaw(d []float32, at int) {
	if g.Form == ExpScale {
		elementwise.ClampBack(d, g.raw[at:at+len(d)], LowestLog, HighestLog)
	} else {
		elementwise.ScaleBack(d, g.Scale[at:at+len(d)], LeastScale)
	}
}

// outputs panics unless d has the shape of what Set took.
func (g *Gaussian) outputs(d []float32) {
	if len(d) != 2*g.rows*g.Dim {
		panic(fmt.Sprintf("nn: %d derivatives by the outputs of %d distributions of %d dimensions", len(d), g.rows, g.Dim))
	}
}
