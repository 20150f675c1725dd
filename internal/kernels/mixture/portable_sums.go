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

func scatter(panels, vars int, x []float64, stride int, r, w, c []float64, ldc int) {
	w = w[:panels*lanes]
	for i := range vars {
		for p := range panels {
			to, weights := w[p*lanes:][:lanes], r[p*lanes:][:lanes]
			for l, v := range x[p*stride+i*lanes:][:lanes] {
				to[l] = weights[l] * v
			}
		}
		for j := i; j < vars; j++ {
			c[i*ldc+j] += product(w, x[j*lanes:], stride)
		}
	}
}

// product returns the sum of the products of a and the values of one variable.
func product(a, x []float64, stride int) float64 {
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	for ; len(a) >= lanes; a = a[lanes:] {
		v, w := x[:lanes], a[:lanes]
		s0 = math.FMA(w[0], v[0], s0)
		s1 = math.FMA(w[1], v[1], s1)
		s2 = math.FMA(w[2], v[2], s2)
		s3 = math.FMA(w[3], v[3], s3)
		s4 = math.FMA(w[4], v[4], s4)
		s5 = math.FMA(w[5], v[5], s5)
		s6 = math.FMA(w[6], v[6], s6)
		s7 = math.FMA(w[7], v[7], s7)
		x = x[min(stride, len(x)):]
	}
	return reduce(&[lanes]float64{s0, s1, s2, s3, s4, s5, s6, s7})
}

func spread(panels, vars int, x []float64, stride int, centre, r, sums, squares []float64) {
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
		sums[i] += reduce(&s)
		squares[i] += reduce(&t)
	}
}
