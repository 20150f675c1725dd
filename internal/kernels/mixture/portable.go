package mixture

import (
	"math"

	"github.com/collabdict/collabdict/internal/kernels/cpu"
)

// portable computes with [math.FMA], each operation in the order of the assembly.
var portable = &kernels{
	path:      cpu.Portable,
	group:     1,
	turn:      turn,
	density:   density,
	diagonal:  diagonal,
	normalise: normalise,
	highest:   highest,
	entropy:   entropy,
	centre:    centre,
	scatter:   scatter,
	spread:    spread,
}

func turn(panels, vars int, rows, x []float64, stride int) {
	for p := range panels {
		for l := range lanes {
			row := rows[(p*lanes+l)*vars:][:vars]
			to := x[p*stride+l:]
			for i, v := range row {
				to[i*lanes] = v
			}
		}
	}
}

func density(panels, vars int, x []float64, stride int, mean, factor []float64, norm float64, d, out []float64) {
	for p := range panels {
		for i, mu := range mean[:vars] {
			from, to := x[p*stride+i*lanes:][:lanes], d[i*lanes:][:lanes]
			for l, v := range from {
				to[l] = v - mu
			}
		}
		var q [lanes]float64
		u := factor
		for top := 0; top < vars; top += strip {
			u = squares(&q, u, d[top*lanes:vars*lanes], min(strip, vars-top))
		}
		finish(&q, norm, out[p*lanes:])
	}
}

// squares adds the squares of the next rows of U·d to q, and returns the rest of U. D begins at
// the variable of the first row.
func squares(q *[lanes]float64, u, d []float64, rows int) []float64 {
	var y [lanes][strip]float64
	for j := range rows {
		for l, x := range d[j*lanes:][:lanes] {
			for i, a := range u[:j] {
				y[l][i] = math.FMA(a, x, y[l][i])
			}
			y[l][j] = u[j] * x
		}
		u = u[j+1:]
	}
	d = d[rows*lanes:]
	for l := range y {
		if len(d) > 0 { // only a whole strip leaves any
			columns(&y[l], u, d[l:])
		}
		for _, v := range y[l][:rows] {
			q[l] = math.FMA(v, v, q[l])
		}
	}
	return u[len(d)/lanes*strip:]
}

// columns adds the products with the variables of one row, which are lanes apart.
func columns(y *[strip]float64, u, d []float64) {
	y0, y1, y2, y3, y4, y5 := y[0], y[1], y[2], y[3], y[4], y[5]
	for j := 0; j < len(d); j += lanes {
		x, a := d[j], u[:strip]
		y0 = math.FMA(a[0], x, y0)
		y1 = math.FMA(a[1], x, y1)
		y2 = math.FMA(a[2], x, y2)
		y3 = math.FMA(a[3], x, y3)
		y4 = math.FMA(a[4], x, y4)
		y5 = math.FMA(a[5], x, y5)
		u = u[strip:]
	}
	*y = [strip]float64{y0, y1, y2, y3, y4, y5}
}

func finish(q *[lanes]float64, norm float64, out []float64) {
	for l, v := range q {
		out[l] = math.FMA(-0.5, v, norm)
	}
}

func diagonal(panels, vars int, x []float64, stride int, mean, precision []float64, norm float64, out []float64) {
	for p := range panels {
		var q [lanes]float64
		for i, mu := range mean[:vars] {
			for l, v := range x[p*stride+i*lanes:][:lanes] {
				d := v - mu
				q[l] = math.FMA(float64(precision[i]*d), d, q[l])
			}
		}
		finish(&q, norm, out[p*lanes:])
	}
}

func normalise(n, k, stride int, logd, logw, r, lse []float64) {
	for j := range n {
		top := math.Inf(-1)
		for i, w := range logw[:k] {
			if v := logd[i*stride+j] + w; !(top > v) {
				top = v
			}
		}
		base, sum := -math.MaxFloat64, 0.0
		if top > base {
			base = top
		}
		for i, w := range logw[:k] {
			v := logd[i*stride+j] + w
			e := exp(v - base)
			sum += e
			r[i*stride+j] = e
		}
		by := 1 / sum
		for i := range k {
			r[i*stride+j] *= by
		}
		lse[j] = top + log(sum)
	}
}

func highest(n int, x, top []float64) {
	top = top[:lanes]
	for l := range top {
		top[l] = math.Inf(-1)
	}
	for p := 0; p < n; p += lanes {
		for l, v := range x[p:][:lanes] {
			if !(top[l] > v) {
				top[l] = v
			}
		}
	}
}

func entropy(n int, logd, r, lse []float64, logw, top float64, sums []float64) {
	var s [3][lanes]float64
	atLeast := func(v float64) float64 {
		if negligible > v {
			return negligible
		}
		return v
	}
	for p := 0; p < n; p += lanes {
		for l := range lanes {
			j := p + l
			s[2][l] = math.FMA(r[j], atLeast(logd[j]+logw-lse[j]), s[2][l])
			v := logd[j] - top
			e := exp(v)
			s[0][l] += e
			s[1][l] = math.FMA(e, atLeast(v), s[1][l])
		}
	}
	for i := range s {
		sums[i] += reduce(&s[i])
	}
}

// reduce adds the chains of the places of a panel.
func reduce(v *[lanes]float64) float64 {
	return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]))
}
