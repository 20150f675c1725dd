//go:build !noasm

package elementwise

import "github.com/collabdict/collabdict/internal/kernels/cpu"

// all returns the kernels that this machine can run, fastest first.
func all() (found []*kernels) {
	for _, p := range cpu.All() {
		switch p {
		case cpu.AVX512:
			found = append(found, assembly{
				addAVX512, reluAVX512, tanhAVX512, sigmoidAVX512, softplusAVX512,
				reluBackAVX512, tanhBackAVX512, sigmoidBackAVX512, softplusBackAVX512, expAVX512, logAVX512,
				multiplyAVX512, gateBackAVX512, clampAVX512, clampBackAVX512, scaleBackAVX512,
				gaussianAVX512, gaussianBackAVX512, differenceAVX512, checkAVX512, adamAVX512, momentumAVX512,
			}.checked(p))
		case cpu.AVX2:
			found = append(found, assembly{
				addAVX2, reluAVX2, tanhAVX2, sigmoidAVX2, softplusAVX2,
				reluBackAVX2, tanhBackAVX2, sigmoidBackAVX2, softplusBackAVX2, expAVX2, logAVX2,
				multiplyAVX2, gateBackAVX2, clampAVX2, clampBackAVX2, scaleBackAVX2,
				gaussianAVX2, gaussianBackAVX2, differenceAVX2, checkAVX2, adamAVX2, momentumAVX2,
			}.checked(p))
		default:
			found = append(found, portable)
		}
	}
	return found
}

// binary is a kernel over two slices.
type binary = func(n int, x, y *float32)

// assembly holds the kernels that do not check the lengths of slices.
type assembly struct {
	add, relu, tanh, sigmoid, softplus            binary
	reluBack, tanhBack, sigmoidBack, softplusBack binary
	exp, log                                      binary // from x to y
	multiply, gateBack                            func(n int, x, y, z *float32)
	clamp, clampBack                              func(n int, x, y *float32, low, high float32)
	scaleBack                                     func(n int, d, scale *float32, least float32)
	gaussian                                      func(n int, x, mean, scale, logScale *float32) float32
	gaussianBack                                  func(n int, x, mean, scale, dMean, dLog *float32, weight float32)
	difference                                    func(n int, y, x, d *float32) float32
	check                                         func(n int, x *float32) float32
	adam                                          func(n int, w, g, m, v *float32, decay1, share1, decay2, share2, rate, epsilon float32)
	momentum                                      func(n int, w, g, v *float32, rate, momentum float32)
}

// checked returns kernels that panic where the assembly would read or write outside a slice.
func (a assembly) checked(p cpu.Path) *kernels {
	into := func(f binary) func(x, y []float32) {
		return func(x, y []float32) { f(len(x), &x[0], first(y, len(x))) }
	}
	from := func(f binary) func(y, x []float32) {
		return func(y, x []float32) { f(len(y), first(x, len(y)), &y[0]) }
	}
	return &kernels{
		path: p,
		add:  into(a.add), relu: into(a.relu), tanh: into(a.tanh), sigmoid: into(a.sigmoid), softplus: into(a.softplus),
		reluBack: into(a.reluBack), tanhBack: into(a.tanhBack), sigmoidBack: into(a.sigmoidBack), softplusBack: into(a.softplusBack),
		exp: from(a.exp), log: from(a.log),
		multiply: func(z, x, y []float32) {
			n := len(z)
			a.multiply(n, first(x, n), first(y, n), &z[0])
		},
		gateBack: func(f, g, d []float32) {
			n := len(f)
			a.gateBack(n, &f[0], first(g, n), first(d, n))
		},
		clamp: func(y, x []float32, low, high float32) {
			a.clamp(len(y), first(x, len(y)), &y[0], low, high)
		},
		clampBack: func(d, x []float32, low, high float32) {
			a.clampBack(len(d), &d[0], first(x, len(d)), low, high)
		},
		scaleBack: func(d, scale []float32, least float32) {
			a.scaleBack(len(d), &d[0], first(scale, len(d)), least)
		},
		gaussian: func(x, mean, scale, logScale []float32) float32 {
			n := len(x)
			return a.gaussian(n, &x[0], first(mean, n), first(scale, n), first(logScale, n))
		},
		gaussianBack: func(x, mean, scale, dMean, dLog []float32, weight float32) {
			n := len(x)
			a.gaussianBack(n, &x[0], first(mean, n), first(scale, n), first(dMean, n), first(dLog, n), weight)
		},
		difference: func(d, y, x []float32) float32 {
			n := len(d)
			return a.difference(n, first(y, n), first(x, n), &d[0])
		},
		check: func(x []float32) float32 { return a.check(len(x), &x[0]) },
		adam: func(w, g, m, v []float32, s Adam) {
			n := len(w)
			a.adam(n, &w[0], first(g, n), first(m, n), first(v, n), s.Decay1, s.Share1, s.Decay2, s.Share2, s.Rate, s.Epsilon)
		},
		momentum: func(w, g, v []float32, rate, momentum float32) {
			n := len(w)
			a.momentum(n, &w[0], first(g, n), first(v, n), rate, momentum)
		},
	}
}

// first returns the address of the first element of x, which has at least n elements, at least
// 1.
func first(x []float32, n int) *float32 { return &x[:n][0] }
