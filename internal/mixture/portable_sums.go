package mixture

import "math"

func centre(panels, vars int, x []float64, stride int, mean, d []float64) {
	for p := range panels {
		for i, mu := range mean[:vars] {
			at := p*stride + i*lanes
			to := d[at:][:lanes]
			for l, v := range x[at:][:lanes] {
				to[l] = v - mu
			}
		}
	}
}

func scatter(panels, vars int, x []float64, stride int, r, _, c []float64, ldc int) {
	for i := range vars {
		for j := i; j < vars; j++ {
			var s [lanes]float64
			for p := range panels {
				a, b, weights := x[p*stride+i*lanes:][:lanes], x[p*stride+j*lanes:][:lanes], r[p*lanes:][:lanes]
				for l, v := range a {
					s[l] = math.FMA(weights[l]*v, b[l], s[l])
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
