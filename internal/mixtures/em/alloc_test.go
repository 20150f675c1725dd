//go:build !race

package em

import (
	"runtime"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/testkit"
)

// A round allocates its vector, its bounds and its weights, but nothing per row.
func TestRoundsAllocateNothingForRows(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	count := func(rows int) float64 {
		l, err := NewLearner(gmm.Matrix(testkit.Patterns(rows, 7, 3, 5)), Config{Components: 3})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Start(t.Context(), collabdict.Solo{}); err != nil {
			t.Fatal(err)
		}
		return testing.AllocsPerRun(5, func() {
			if _, err := l.LocalUpdate(); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := count(10_000), count(20_000); few != many || many > 128 {
		t.Errorf("got %v allocations per round with 10,000 rows and %v with 20,000, want the same, at most 128", few, many)
	}
}
