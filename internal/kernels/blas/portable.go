package blas

import (
	"math"

	"github.com/collabdict/collabdict/internal/kernels/cpu"
)

// portable computes with [math.FMA], which is one instruction on arm64, ppc64, s390x, riscv64,
// and on amd64 since 2013. On other processors the bits are the same, and the speed is a
// fraction.
var portable = kernel[float64]{cpu.Portable, widthLimit, addPortable(addOne, addEight), turn[float64], nil, solvePortable, false}

// addPortable returns an [adder] that works on single elements and on two rows by four columns
// of C at a time.
func addPortable[T number](
	addOne func(k int, alpha T, a []T, aks int, b []T, bks int, c *T),
	addEight func(k int, alpha T, a []T, ars, aks int, b []T, bks int, c []T, cs int),
) adder[T] {
	return func(m, n, k int, alpha T, a []T, ars, aks int, b []T, bks int, c []T, cs int, fresh bool) {
		for i := 0; i < m && fresh; i++ {
			clear(c[i*cs:][:n])
		}
		for i := 0; i < m; i += 2 {
			x := a[i*ars:]
			if i+1 == m {
				for j := range n {
					addOne(k, alpha, x, aks, b[j:], bks, &c[i*cs+j])
				}
				return
			}
			j := 0
			for ; j+4 <= n; j += 4 {
				addEight(k, alpha, x, ars, aks, b[j:], bks, c[i*cs+j:], cs)
			}
			for ; j < n; j++ {
				addOne(k, alpha, x, aks, b[j:], bks, &c[i*cs+j])
				addOne(k, alpha, x[ars:], aks, b[j:], bks, &c[(i+1)*cs+j])
			}
		}
	}
}

func addOne(k int, alpha float64, a []float64, aks int, b []float64, bks int, c *float64) {
	s := 0.0
	for p := range k {
		s = math.FMA(a[p*aks], b[p*bks], s)
	}
	*c = math.FMA(alpha, s, *c)
}

func addEight(k int, alpha float64, a []float64, ars, aks int, b []float64, bks int, c []float64, cs int) {
	var s0, s1, s2, s3, t0, t1, t2, t3 float64
	for p := range k {
		x, y := a[p*aks], a[ars+p*aks]
		z := b[p*bks:][:4]
		s0 = math.FMA(x, z[0], s0)
		s1 = math.FMA(x, z[1], s1)
		s2 = math.FMA(x, z[2], s2)
		s3 = math.FMA(x, z[3], s3)
		t0 = math.FMA(y, z[0], t0)
		t1 = math.FMA(y, z[1], t1)
		t2 = math.FMA(y, z[2], t2)
		t3 = math.FMA(y, z[3], t3)
	}
	c0, c1 := c[:4], c[cs:][:4]
	c0[0] = math.FMA(alpha, s0, c0[0])
	c0[1] = math.FMA(alpha, s1, c0[1])
	c0[2] = math.FMA(alpha, s2, c0[2])
	c0[3] = math.FMA(alpha, s3, c0[3])
	c1[0] = math.FMA(alpha, t0, c1[0])
	c1[1] = math.FMA(alpha, t1, c1[1])
	c1[2] = math.FMA(alpha, t2, c1[2])
	c1[3] = math.FMA(alpha, t3, c1[3])
}

// solvePortable is a [solver].
func solvePortable(m, n int, l corner[float64], b []float64, from, stride int) {
	for i := range m {
		x, row := b[from+i*stride:][:n], l.at+i*l.rowStride
		for p := range i {
			f, y := -l.data[row+p*l.columnStride], b[from+p*stride:][:n]
			for j := range x {
				x[j] = math.FMA(f, y[j], x[j])
			}
		}
		for j := 0; j < n && !l.unit; j++ {
			x[j] /= l.data[row+i*l.columnStride]
		}
	}
}
