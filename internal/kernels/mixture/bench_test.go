package mixture

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkBlock measures the phases of one block of rows with every kernel of the machine. It
// reports nanoseconds per row, and the rate of multiplications and additions where they are
// most of the work.
func BenchmarkBlock(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range []struct {
		m, k int
		full bool
	}{{10, 15, true}, {38, 10, true}, {84, 10, true}, {10, 15, false}, {24, 30, false}} {
		x, _ := random(rng, s.k, s.m, s.full)
		rows := normals(rng, blockRows*s.m)
		w, sums := x.NewWorkspace(blockRows), x.NewSums()
		w.Load(x, rows)
		density, scatter := 4*s.m, 4*(s.m+1) // operations per row and component
		if s.full {
			density, scatter = 3*s.m+s.m*(s.m+1), (s.m+1)+(s.m+1)*(s.m+2)
		}
		for _, phase := range []struct {
			name       string
			operations int
			f          func()
		}{
			{"turn", 0, func() { w.fillPanels(rows) }},
			{"densities", density, func() { w.densities(x, blockRows/lanes) }},
			{"normalise", 0, func() { active.normalise(w.paddedRows(), w.k, w.rows, w.logd, x.logw, w.r, w.lse) }},
			{"entropies", 0, func() {
				for k := range s.k {
					w.Entropies(x, k)
				}
			}},
			{"sums", scatter, func() { sums.Add(w, nil) }},
			{"centred", scatter, func() { sums.Add(w, x.means) }},
		} {
			for _, kn := range all() {
				b.Run(fmt.Sprintf("M=%d/K=%d/full=%v/%s/%s", s.m, s.k, s.full, phase.name, kn.path), func(b *testing.B) {
					use(kn, func() {
						b.ReportAllocs()
						for b.Loop() {
							phase.f()
						}
					})
					ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / blockRows
					b.ReportMetric(ns, "ns/row")
					if phase.operations > 0 {
						b.ReportMetric(float64(phase.operations*s.k)/ns, "GFLOP/s")
					}
				})
			}
		}
	}
}
