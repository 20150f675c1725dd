package simulate

import (
	"fmt"
	"testing"

	"github.com/collabdict/collabdict/internal/data/plants"
	"github.com/collabdict/collabdict/internal/testkit/pipelinetest"
)

// BenchmarkRound measures one round of a mixture of 5 components in 10 dimensions over a large
// roster, from the rows to the models: 13 private sums, 12 of them for the start.
func BenchmarkRound(b *testing.B) {
	for _, size := range []int{300, 1000, 10_000} {
		b.Run(fmt.Sprintf("participants=%d", size), func(b *testing.B) {
			k := pipelinetest.Task(b, "ggm", "rounds=1", "consensus.scheme=exact")
			parts := plants.Generate(plants.Spec{Participants: size, Rows: 100, Columns: 10, Patterns: 5, TestRows: 1}, 1)
			for b.Loop() {
				if _, err := Simulate(b.Context(), k, parts, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)/float64(size), "ms/member")
		})
	}
}
