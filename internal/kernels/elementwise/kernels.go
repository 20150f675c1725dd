package elementwise

import "github.com/collabdict/collabdict/internal/kernels/cpu"

// chains is the number of chains of a sum over a row: element i is in chain i mod 16.
const chains = 16

// kernels is one implementation of the functions. Slices of a call have the length of the first
// one, at least 1.
type kernels struct {
	path cpu.Path

	add, relu, tanh, sigmoid, softplus            func(y, b []float32) // y = f(y+b)
	reluBack, tanhBack, sigmoidBack, softplusBack func(d, y []float32)
	multiply                                      func(z, x, y []float32)
	gateBack                                      func(f, g, d []float32) // f and g are replaced by their derivatives
	exp, log                                      func(y, x []float32)
	clamp                                         func(y, x []float32, low, high float32)
	clampBack                                     func(d, x []float32, low, high float32)
	scaleBack                                     func(d, scale []float32, least float32)
	gaussian                                      func(x, mean, scale, logScale []float32) float32
	gaussianBack                                  func(x, mean, scale, dMean, dLog []float32, weight float32)
	difference                                    func(d, y, x []float32) float32
	check                                         func(x []float32) float32
	adam                                          func(w, g, m, v []float32, a Adam)
	momentum                                      func(w, g, v []float32, rate, momentum float32)
}

// active is fixed for the process; only tests change it.
var active = func() *kernels {
	for _, k := range all() {
		if k.path == cpu.Active() {
			return k
		}
	}
	panic("elementwise: no kernels for " + cpu.Active())
}()

// sum adds the chains by halves.
func sum(s *[chains]float32) float32 {
	for half := chains / 2; half > 0; half /= 2 {
		for l := range half {
			s[l] += s[l+half]
		}
	}
	return s[0]
}
