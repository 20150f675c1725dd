package mixture

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// One block of rows with every kernel of the machine.
func BenchmarkBlock(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range []struct {
		m, k int
		full bool
	}{{10, 15, true}, {38, 10, true}, {84, 10, true}, {10, 15, false}, {24, 30, false}} {
		x, _ := random(rng, s.k, s.m, s.full)
		rows := normals(rng, blockRows*s.m)
		w, sums := x.NewWorkspace(blockRows), x.NewSums()
		for _, kn := range all() {
			run := func(name string, f func()) {
				b.Run(fmt.Sprintf("M=%d/K=%d/full=%v/%s/%s", s.m, s.k, s.full, name, kn.path), func(b *testing.B) {
					defer func(was *kernels) { active = was }(active)
					active = kn
					b.ReportAllocs()
					for b.Loop() {
						f()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/blockRows, "ns/row")
				})
			}
			run("posterior", func() { w.Load(x, rows) })
			run("sums", func() { sums.Add(w, nil) })
			run("centred", func() { sums.Add(w, x.means) })
			run("entropies", func() {
				for k := range s.k {
					w.Entropies(x, k)
				}
			})
			run("normalise", func() { active.normalise(w.padded(), w.k, w.rows, w.logd, x.logw, w.r, w.lse) })
		}
	}
}
