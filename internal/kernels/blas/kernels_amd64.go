//go:build !noasm

package blas

import (
	"slices"

	"github.com/collabdict/collabdict/internal/kernels/cpu"
)

// kernels returns the kernels that this machine can run, fastest first.
func kernels() []kernel[float64] {
	return of(
		kernel[float64]{cpu.AVX512, 24, checked(addAVX512), turnChecked(turnAVX), spreadChecked(spreadAVX512, 24), solveChecked(solveAVX512), false},
		kernel[float64]{cpu.AVX2, 12, checked(addAVX2), turnChecked(turnAVX), spreadChecked(spreadAVX2, 12), solveChecked(solveAVX2), true},
		portable,
	)
}

// kernelsSingle is kernels for float32.
func kernelsSingle() []kernel[float32] {
	return of(
		kernel[float32]{cpu.AVX512, 48, checked(addAVX512Single), turnChecked(turnAVXSingle), spreadChecked(spreadAVX512Single, 48), nil, false},
		kernel[float32]{cpu.AVX2, 24, checked(addAVX2Single), turnChecked(turnAVXSingle), spreadChecked(spreadAVX2Single, 24), nil, true},
		portableSingle,
	)
}

func of[T number](all ...kernel[T]) (found []kernel[T]) {
	for _, k := range all {
		if slices.Contains(cpu.All(), k.path) {
			found = append(found, k)
		}
	}
	return found
}

// peakOf returns a loop, and the number of multiplications in one of its iterations.
func peakOf(p cpu.Path) (chains int, run func(rounds int)) {
	switch p {
	case cpu.AVX512:
		return 24 * 8, peakAVX512
	case cpu.AVX2:
		return 12 * 4, peakAVX2
	}
	return 8, peakPortable
}

// checked returns an adder that panics where the assembly would read or write outside a slice.
func checked[T number](add func(m, n, k int, alpha T, a *T, ars, aks int, b *T, bks int, c *T, cs int, fresh bool)) adder[T] {
	return func(m, n, k int, alpha T, a []T, ars, aks int, b []T, bks int, c []T, cs int, fresh bool) {
		_ = a[(m-1)*ars+(k-1)*aks]
		_ = b[(k-1)*bks+n-1]
		_ = c[(m-1)*cs+n-1]
		add(m, n, k, alpha, &a[0], ars, aks, &b[0], bks, &c[0], cs, fresh)
	}
}

func turnChecked[T number](turn func(k int, from *T, row1, row2, row3 int, to *T, stride int)) turner[T] {
	return func(k int, from []T, rows [4]int, to []T, stride int) {
		for _, r := range rows {
			_ = from[r+k-1]
		}
		_ = to[(k-1)*stride+3]
		turn(k, &from[0], rows[1], rows[2], rows[3], &to[0], stride)
	}
}

func spreadChecked[T number](spread func(k, panels int, from *T, row int, to *T, step int), width int) spreader[T] {
	return func(k, panels int, from []T, row int, to []T, step int) {
		_ = from[(k-1)*row+panels*width-1]
		_ = to[(panels-1)*step+k*width-1]
		spread(k, panels, &from[0], row, &to[0], step)
	}
}

func solveChecked(solve func(m, n int, a *float64, ars, aks, unit int, b *float64, bs int)) solver[float64] {
	return func(m, n int, l corner[float64], b []float64, from, stride int) {
		unit := 0
		if l.unit {
			unit = 1
		}
		_, _ = l.data[l.at], l.data[l.at+(m-1)*(l.rowStride+l.columnStride)]
		_, _ = b[from+n-1], b[from+(m-1)*stride+n-1]
		solve(m, n, &l.data[l.at], l.rowStride, l.columnStride, unit, &b[from], stride)
	}
}
