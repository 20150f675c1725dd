package simulate

import (
	"fmt"
	"testing"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/pipeline"
	"github.com/collabdict/collabdict/internal/plants"
	"github.com/collabdict/collabdict/model"
)

// One round of a mixture of 5 components in 10 dimensions over a large roster, from
// the rows to the models: 13 private sums, 12 of them for the start.
func BenchmarkRound(b *testing.B) {
	for _, size := range []int{300, 1000, 10_000} {
		b.Run(fmt.Sprintf("participants=%d", size), func(b *testing.B) {
			k := *pipeline.Task{
				Model: model.GGM, Components: 5, Rounds: 1, Lambda0: 1, Seed: 1, Standardise: algorithm.Global, FalseAlarm: 0.01,
				Settings: consensus.Settings{Scheme: consensus.Exact, Protect: chunking.Chunks},
			}
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
