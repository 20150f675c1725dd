package netsim

import (
	"context"
	"fmt"
	"testing"

	"github.com/collabdict/collabdict"
)

// One private sum of 555 values over a large roster. A mixture of 5 components in 10 dimensions
// has that number.
func BenchmarkSum(b *testing.B) {
	for _, size := range []int{1000, 4000, 10000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			x := make([]float64, 555)
			for i := range x {
				x[i] = float64(i)
			}
			b.ReportAllocs()
			var report *Report
			for b.Loop() {
				var err error
				report, err = run(b.Context(), Config{Names: Names(size), Settings: exactly, Seed: 1}, func(ctx context.Context, rank int, g collabdict.Group) error {
					_, err := g.Sum(ctx, collabdict.Summand{Values: x, Blocks: []collabdict.Block{{Len: len(x), Bound: 1 << 10}}})
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			var messages int64
			for _, m := range report.Members {
				messages += m.Messages
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(size), "us/member")
			b.ReportMetric(float64(messages)/float64(size), "messages/member")
		})
	}
}
