package vae

import (
	"fmt"
	"math"
	"slices"

	"github.com/collabdict/collabdict/internal/kernels/elementwise"
)

const halfLog2Pi = 0.91893853320467274178

// LogDensity sets dst to the log densities of the rows of x. If x has J times as many rows as
// there are distributions, each distribution applies to J consecutive rows. In the opposite
// case, each row applies to J distributions. The length of dst is the larger of the two numbers.
func (g *Gaussian) LogDensity(dst []float64, x []float32) {
	constant := float64(float64(g.Dim) * halfLog2Pi)
	g.pairs(len(dst), len(x), func(r, at, of int) {
		dst[r] = -float64(elementwise.Gaussian(x[at:at+g.Dim], g.Mean[of:of+g.Dim], g.Scale[of:of+g.Dim], g.LogScale[of:of+g.Dim])) - constant
	})
}

// pairs calls f for each result with the positions of its row of x and of its distribution.
func (g *Gaussian) pairs(results, length int, f func(r, at, of int)) {
	rows := length / g.Dim
	more := max(rows, g.rows)
	if length == 0 || length%g.Dim != 0 || results != more || more%rows != 0 || more%g.rows != 0 {
		panic(fmt.Sprintf("vae: %d densities of %d rows under %d distributions, want multiples", results, rows, g.rows))
	}
	for r := range more {
		f(r, r/(more/rows)*g.Dim, r/(more/g.rows)*g.Dim)
	}
}

// NegLogLikelihood returns the sum over all distributions of −weight·ln density of their row of
// x, and sets d to its derivatives by the outputs passed to Set. Each row of x belongs to the
// same number of consecutive distributions, such as J decoded samples. weights has one value
// per distribution; nil means 1. If a density is not finite, the error names its row.
func (g *Gaussian) NegLogLikelihood(d, x, weights []float32) (float64, error) {
	g.outputs(d)
	if weights != nil && len(weights) != g.rows {
		panic(fmt.Sprintf("vae: %d weights of %d distributions", len(weights), g.rows))
	}
	total, constant, bad := 0.0, float64(float64(g.Dim)*halfLog2Pi), -1
	g.pairs(g.rows, len(x), func(r, at, of int) {
		w := float32(1)
		if weights != nil {
			w = weights[r]
		}
		x, mean, scale := x[at:at+g.Dim], g.Mean[of:of+g.Dim], g.Scale[of:of+g.Dim]
		row := float64(float64(w) * (float64(elementwise.Gaussian(x, mean, scale, g.LogScale[of:of+g.Dim])) + constant))
		if row-row != 0 && bad < 0 {
			bad = r
		}
		total += row
		by := d[r*2*g.Dim:][:2*g.Dim]
		elementwise.GaussianBack(x, mean, scale, by[:g.Dim], by[g.Dim:], w)
		g.byRaw(by[g.Dim:], of)
	})
	if bad >= 0 {
		return 0, lossNotFinite("log-likelihood", bad, float32(math.NaN()))
	}
	return total, nil
}

// StandardLogDensity sets dst to the log densities of the rows of z, with the given number of
// columns, under the standard normal distribution.
func StandardLogDensity(dst []float64, z []float32, columns int) {
	sameShape(columns, z)
	if len(dst)*columns != len(z) {
		panic(fmt.Sprintf("vae: %d densities of %d rows", len(dst), len(z)/columns))
	}
	for i := range dst {
		s := 0.0
		for _, v := range z[i*columns:][:columns] {
			s += float64(v) * float64(v) // exact
		}
		dst[i] = -float64(0.5*s) - float64(float64(columns)*halfLog2Pi)
	}
}

// LogMeanExp returns ln (1/J Σ e^x) over the J elements of x. The elements may be logarithms of
// a row's importance weights, ln p(x|z) + ln p(z) − ln q(z|x) (Burda et al. 2016, Eq. 8).
func LogMeanExp(x []float64) float64 {
	top := slices.Max(x)
	if math.IsInf(top, -1) {
		return top
	}
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum/float64(len(x)))
}
