package gmm

import (
	"fmt"
	"testing"

	"github.com/collabdict/collabdict/internal/testkit"
)

// BenchmarkEM measures an iteration of EM, with full and with diagonal matrices.
func BenchmarkEM(b *testing.B) {
	for _, c := range []struct {
		n, m, k int
		form    Covariance
	}{{200000, 10, 15, Full}, {100000, 38, 10, Full}, {40000, 84, 10, Full}, {200000, 10, 15, Diag}, {48000, 24, 30, Diag}} {
		b.Run(fmt.Sprintf("N=%d/M=%d/K=%d/%v", c.n, c.m, c.k, c.form), func(b *testing.B) {
			x := testkit.Patterns(c.n, c.m, c.k, 9)
			f, err := Fit(x, c.k, EM{Form: c.form, Iterations: 1}, testkit.Seed(1))
			if err != nil {
				b.Fatal(err)
			}
			s := NewStepper(f.Mixture, Matrix(x), EM{})
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Expect(); err != nil {
					b.Fatal(err)
				}
				if err := s.Maximise(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
