package mixture

import "math"

func weigh(panels, vars int, x []float64, stride int, r, w []float64) {
	for p := range panels {
		weights := r[p*lanes:][:lanes]
		for i := range vars {
			from, to := x[p*stride+i*lanes:][:lanes], w[p*stride+i*lanes:][:lanes]
			for l, a := range weights {
				to[l] = a * from[l]
			}
		}
	}
}

func centre(panels, vars int, x []float64, stride int, mean, r, d, w []float64) {
	for p := range panels {
		weights := r[p*lanes:][:lanes]
		for i, mu := range mean[:vars] {
			at := p*stride + i*lanes
			from, moved, to := x[at:][:lanes], d[at:][:lanes], w[at:][:lanes]
			for l, a := range weights {
				v := from[l] - mu
				moved[l] = v
				to[l] = a * v
			}
		}
	}
}

func scatter(panels, vars int, a, b []float64, stride int, c []float64, ldc int) {
	for i := range vars {
		for j := i; j < vars; j++ {
			var s [lanes]float64
			for p := range panels {
				x, y := a[p*stride+i*lanes:][:lanes], b[p*stride+j*lanes:][:lanes]
				for l, v := range x {
					s[l] = math.FMA(v, y[l], s[l])
				}
			}
			c[i*ldc+j] += reduce(&s)
		}
	}
}

func spread(panels, vars int, x []float64, stride int, centre, r, first, second []float64) {
	for i, mu := range centre[:vars] {
		var s, t [lanes]float64
		for p := range panels {
			weights := r[p*lanes:][:lanes]
			for l, v := range x[p*stride+i*lanes:][:lanes] {
				d := v - mu
				w := float64(weights[l] * d)
				s[l] += w
				t[l] = math.FMA(w, d, t[l])
			}
		}
		first[i] += reduce(&s)
		second[i] += reduce(&t)
	}
}
