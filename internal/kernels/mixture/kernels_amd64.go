//go:build !noasm

package mixture

import "github.com/collabdict/collabdict/internal/kernels/cpu"

// all returns the kernels that this machine can run, fastest first.
func all() (found []*kernels) {
	for _, p := range cpu.All() {
		switch p {
		case cpu.AVX512:
			found = append(found, assembly{
				4, densityAVX512, diagonalAVX512, normaliseAVX512, highestAVX512, entropyAVX512,
				centreAVX512, scatterAVX512, spreadAVX512,
			}.checked(p))
		case cpu.AVX2:
			found = append(found, assembly{
				1, densityAVX2, diagonalAVX2, normaliseAVX2, highestAVX2, entropyAVX2,
				centreAVX2, scatterAVX2, spreadAVX2,
			}.checked(p))
		default:
			found = append(found, portable)
		}
	}
	return found
}

// assembly holds the kernels that do not check the lengths of slices.
type assembly struct {
	group     int
	density   func(panels, m int, x *float64, stride int, mean, factor *float64, norm float64, d, out *float64)
	diagonal  func(panels, m int, x *float64, stride int, mean, precision *float64, norm float64, out *float64)
	normalise func(n, k, stride int, logd, logw, r, lse *float64)
	highest   func(n int, x, top *float64)
	entropy   func(n int, logd, r, lse *float64, logw, top float64, sums *float64)
	centre    func(panels, vars int, x *float64, stride int, mean, d *float64)
	scatter   func(panels, vars int, x *float64, stride int, r, w, c *float64, ldc int)
	spread    func(panels, vars int, x *float64, stride int, centre, r, first, second *float64)
}

// checked returns kernels that panic where the assembly would read or write outside a slice.
func (a assembly) checked(p cpu.Path) *kernels {
	return &kernels{
		path: p, group: a.group,
		turn: func(panels, vars int, rows, x []float64, stride int) {
			turnAVX(panels, vars, first(rows, panels*lanes*vars), inPanels(x, panels, vars, stride), stride)
		},
		density: func(panels, m int, x []float64, stride int, mean, factor []float64, norm float64, d, out []float64) {
			whole(panels, a.group)
			a.density(panels, m, inPanels(x, panels, m, stride), stride, first(mean, m), first(factor, m*(m+1)/2), norm,
				first(d, a.group*lanes*m), first(out, panels*lanes))
		},
		diagonal: func(panels, m int, x []float64, stride int, mean, precision []float64, norm float64, out []float64) {
			whole(panels, a.group)
			a.diagonal(panels, m, inPanels(x, panels, m, stride), stride, first(mean, m), first(precision, m), norm, first(out, panels*lanes))
		},
		normalise: func(n, k, stride int, logd, logw, r, lse []float64) {
			whole(n, lanes)
			a.normalise(n, k, stride, first(logd, (k-1)*stride+n), first(logw, k), first(r, (k-1)*stride+n), first(lse, n))
		},
		highest: func(n int, x, top []float64) {
			whole(n, lanes)
			a.highest(n, first(x, n), first(top, lanes))
		},
		entropy: func(n int, logd, r, lse []float64, logw, top float64, sums []float64) {
			whole(n, lanes)
			a.entropy(n, first(logd, n), first(r, n), first(lse, n), logw, top, first(sums, 4))
		},
		centre: func(panels, vars int, x []float64, stride int, mean, d []float64) {
			a.centre(panels, vars, inPanels(x, panels, vars, stride), stride, first(mean, vars), inPanels(d, panels, vars, stride))
		},
		scatter: func(panels, vars int, x []float64, stride int, r, w, c []float64, ldc int) {
			a.scatter(panels, vars, inPanels(x, panels, vars, stride), stride, first(r, panels*lanes), first(w, panels*mostHeight*lanes),
				first(c, (vars-1)*ldc+vars+beyond), ldc)
		},
		spread: func(panels, vars int, x []float64, stride int, centre, r, one, two []float64) {
			a.spread(panels, vars, inPanels(x, panels, vars, stride), stride, first(centre, vars), first(r, panels*lanes),
				first(one, vars+beyond), first(two, vars+beyond))
		},
	}
}

// first returns the address of the first element of x, which has at least n elements, at least
// 1.
func first(x []float64, n int) *float64 { return &x[:n][0] }

// inPanels returns the address of the first panel.
func inPanels(x []float64, panels, vars, stride int) *float64 {
	if stride < vars*lanes {
		panic("mixture: panels overlap")
	}
	return first(x, (panels-1)*stride+vars*lanes)
}

// whole panics unless n is a positive multiple of step.
func whole(n, step int) {
	if n <= 0 || n%step != 0 {
		panic("mixture: not whole panels")
	}
}
