package elementwise

import (
	"math"

	"github.com/collabdict/collabdict/internal/kernels/cpu"
)

// portable computes each operation in the order of the assembly. Products are converted to
// float32, so that no compiler fuses them with the next operation.
var portable = &kernels{
	path:     cpu.Portable,
	add:      biased(func(x float32) float32 { return x }),
	relu:     biased(positive),
	tanh:     biased(tanh),
	sigmoid:  biased(sigmoid),
	softplus: biased(softplus),
	reluBack: func(d, y []float32) {
		for i, v := range y {
			if !(v > 0) {
				d[i] = 0
			}
		}
	},
	tanhBack:     backward(func(y float32) float32 { return 1 - float32(y*y) }),
	sigmoidBack:  backward(func(y float32) float32 { return y * (1 - y) }),
	softplusBack: backward(func(y float32) float32 { return 1 - exp(-y) }),
	multiply: func(z, x, y []float32) {
		for i, v := range x {
			z[i] = v * y[i]
		}
	},
	gateBack:     gateBack,
	exp:          each(exp),
	log:          each(log),
	clamp:        clamp,
	clampBack:    clampBack,
	scaleBack:    scaleBack,
	gaussian:     gaussian,
	gaussianBack: gaussianBack,
	difference:   difference,
	check: func(x []float32) float32 {
		var s [chains]float32
		for i, v := range x {
			s[i%chains] += v - v
		}
		return sum(&s)
	},
	adam:     adam,
	momentum: momentum,
}

func biased(f func(float32) float32) func(y, b []float32) {
	return func(y, b []float32) {
		for i, v := range b {
			y[i] = f(y[i] + v)
		}
	}
}

func backward(f func(float32) float32) func(d, y []float32) {
	return func(d, y []float32) {
		for i, v := range y {
			d[i] = kept(d[i]*f(v), negligible)
		}
	}
}

func each(f func(float32) float32) func(y, x []float32) {
	return func(y, x []float32) {
		for i, v := range x {
			y[i] = f(v)
		}
	}
}

func gateBack(f, g, d []float32) {
	for i, v := range d {
		x, y := f[i], g[i]
		f[i] = kept(float32(v*y)*(1-float32(x*x)), negligible)
		g[i] = kept(float32(v*x)*float32(y*(1-y)), negligible)
	}
}

func clamp(y, x []float32, low, high float32) {
	for i, v := range x {
		if low > v {
			v = low
		}
		if high < v {
			v = high
		}
		y[i] = v
	}
}

func clampBack(d, x []float32, low, high float32) {
	for i, v := range x {
		if !(v >= low && v <= high) {
			d[i] = 0
		}
	}
}

func scaleBack(d, scale []float32, least float32) {
	for i, s := range scale {
		d[i] = kept(d[i]/s*(1-exp(least-s)), negligible)
	}
}

func gaussian(x, mean, scale, logScale []float32) float32 {
	var s [chains]float32
	for i, v := range x {
		t := (v - mean[i]) / scale[i]
		s[i%chains] += float32(float32(t*t)*0.5) + logScale[i]
	}
	return sum(&s)
}

func gaussianBack(x, mean, scale, dMean, dLog []float32, weight float32) {
	for i, v := range x {
		t := (v - mean[i]) / scale[i]
		dMean[i] = kept(weight*(-t/scale[i]), negligible)
		dLog[i] = kept(weight*(1-float32(t*t)), negligible)
	}
}

func difference(d, y, x []float32) float32 {
	var s [chains]float32
	for i, v := range y {
		e := v - x[i]
		d[i] = e + e
		s[i%chains] += float32(e * e)
	}
	return sum(&s)
}

func adam(w, g, m, v []float32, a Adam) {
	for i, gradient := range g {
		gradient = kept(gradient, negligible)
		m[i] = kept(float32(a.Decay1*m[i])+float32(a.Share1*gradient), vanished)
		v[i] = kept(float32(a.Decay2*v[i])+float32(a.Share2*float32(gradient*gradient)), vanished)
		root := float32(math.Sqrt(float64(v[i])))
		w[i] -= float32(a.Rate*m[i]) / (root + a.Epsilon)
	}
}

func momentum(w, g, v []float32, rate, momentum float32) {
	for i, gradient := range g {
		v[i] = kept(float32(momentum*v[i])+gradient, vanished)
		w[i] -= float32(rate * v[i])
	}
}
