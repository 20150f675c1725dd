//go:build !noasm

package mixture

import "github.com/collabdict/collabdict/internal/kernels/cpu"

// all returns the kernels that this machine can run, fastest first.
func all() (found []*kernels) {
	for _, p := range cpu.All() {
		switch p {
		case cpu.AVX512:
			found = append(found, assembly{
				group:     4,
				density:   densityAVX512,
				diagonal:  diagonalAVX512,
				normalise: normaliseAVX512,
				highest:   highestAVX512,
				entropy:   entropyAVX512,
				centre:    centreAVX512,
				scatter:   scatterAVX512,
				spread:    spreadAVX512,
			}.checked(p))
		case cpu.AVX2:
			found = append(found, assembly{
				group:     1,
				density:   densityAVX2,
				diagonal:  diagonalAVX2,
				normalise: normaliseAVX2,
				highest:   highestAVX2,
				entropy:   entropyAVX2,
				centre:    centreAVX2,
				scatter:   scatterAVX2,
				spread:    spreadAVX2,
			}.checked(p))
		default:
			found = append(found, portable)
		}
	}
	return found
}

// assembly holds the kernels in assembly, which do not check the lengths of arrays. Their
// arguments are those of the functions of the same names in [kernels], which has their meaning.
type assembly struct {
	group     int // panels that density and diagonal compute together
	density   func(panels, vars int, x *float64, stride int, mean, factor *float64, norm float64, d, out *float64)
	diagonal  func(panels, vars int, x *float64, stride int, mean, precision *float64, norm float64, out *float64)
	normalise func(n, k, stride int, logd, logw, r, lse *float64)
	highest   func(n int, x, top *float64)
	entropy   func(n int, logd, r, lse *float64, logw, top float64, sums *float64)
	centre    func(panels, vars int, x *float64, stride int, mean, d *float64)
	scatter   func(panels, vars int, x *float64, stride int, r, w, c *float64, ldc int)
	spread    func(panels, vars int, x *float64, stride int, centre, r, sums, squares *float64)
}

// checked returns kernels that panic where the assembly would read or write outside a slice.
// Density and diagonal use each mean and factor that they load for a whole group of panels, so
// they need whole groups. The other kernels go through single panels.
func (a assembly) checked(p cpu.Path) *kernels {
	return &kernels{
		path: p, group: a.group,
		turn: func(panels, vars int, rows, x []float64, stride int) {
			turnAVX(panels, vars, address(rows, panels*lanes*vars), inPanels(x, panels, vars, stride), stride)
		},
		density: func(panels, vars int, x []float64, stride int, mean, factor []float64, norm float64, d, out []float64) {
			whole(panels, a.group)
			a.density(panels, vars, inPanels(x, panels, vars, stride), stride, address(mean, vars), address(factor, vars*(vars+1)/2), norm,
				address(d, a.group*lanes*vars), address(out, panels*lanes))
		},
		diagonal: func(panels, vars int, x []float64, stride int, mean, precision []float64, norm float64, out []float64) {
			whole(panels, a.group)
			a.diagonal(panels, vars, inPanels(x, panels, vars, stride), stride, address(mean, vars), address(precision, vars), norm, address(out, panels*lanes))
		},
		normalise: func(n, k, stride int, logd, logw, r, lse []float64) {
			whole(n, lanes)
			a.normalise(n, k, stride, address(logd, (k-1)*stride+n), address(logw, k), address(r, (k-1)*stride+n), address(lse, n))
		},
		highest: func(n int, x, top []float64) {
			whole(n, lanes)
			a.highest(n, address(x, n), address(top, lanes))
		},
		entropy: func(n int, logd, r, lse []float64, logw, top float64, sums []float64) {
			whole(n, lanes)
			a.entropy(n, address(logd, n), address(r, n), address(lse, n), logw, top, address(sums, 4))
		},
		centre: func(panels, vars int, x []float64, stride int, mean, d []float64) {
			a.centre(panels, vars, inPanels(x, panels, vars, stride), stride, address(mean, vars), inPanels(d, panels, vars, stride))
		},
		scatter: func(panels, vars int, x []float64, stride int, r, w, c []float64, ldc int) {
			a.scatter(panels, vars, inPanels(x, panels, vars, stride), stride, address(r, panels*lanes), address(w, panels*mostHeight*lanes),
				address(c, (vars-1)*ldc+vars+beyond), ldc)
		},
		spread: func(panels, vars int, x []float64, stride int, centre, r, sums, squares []float64) {
			a.spread(panels, vars, inPanels(x, panels, vars, stride), stride, address(centre, vars), address(r, panels*lanes),
				address(sums, vars+beyond), address(squares, vars+beyond))
		},
	}
}

// address returns the address of x[0]. It panics unless x has n elements, and n is at least 1.
func address(x []float64, n int) *float64 {
	_ = x[n-1]
	return &x[0]
}

// inPanels returns the address of the first panel.
func inPanels(x []float64, panels, vars, stride int) *float64 {
	if stride < vars*lanes {
		panic("mixture: panels overlap")
	}
	return address(x, (panels-1)*stride+vars*lanes)
}

// whole panics unless n is a positive multiple of step.
func whole(n, step int) {
	if n <= 0 || n%step != 0 {
		panic("mixture: not whole panels")
	}
}
