//go:build !noasm

package blas

import "github.com/collabdict/collabdict/internal/cpu"

// kernels returns those that this machine has, the fastest first.
func kernels() (found []kernel) {
	for _, p := range cpu.All() {
		switch p {
		case cpu.AVX512:
			found = append(found, kernel{p, 24, checked(addAVX512), turnChecked})
		case cpu.AVX2:
			found = append(found, kernel{p, 12, checked(addAVX2), turnChecked})
		default:
			found = append(found, portable)
		}
	}
	return found
}

type assembly func(m, n, k int, alpha float64, a *float64, ars, aks int, b *float64, bks int, c *float64, cs int)

// checked returns an adder that panics where the assembly would leave a slice.
func checked(add assembly) adder {
	return func(m, n, k int, alpha float64, a []float64, ars, aks int, b []float64, bks int, c []float64, cs int) {
		_ = a[(m-1)*ars+(k-1)*aks]
		_ = b[(k-1)*bks+n-1]
		_ = c[(m-1)*cs+n-1]
		add(m, n, k, alpha, &a[0], ars, aks, &b[0], bks, &c[0], cs)
	}
}

func turnChecked(k int, from []float64, rows [4]int, to []float64, stride int) {
	for _, r := range rows {
		_ = from[r+k-1]
	}
	_ = to[(k-1)*stride+3]
	turnAVX(k, &from[0], rows[1], rows[2], rows[3], &to[0], stride)
}
