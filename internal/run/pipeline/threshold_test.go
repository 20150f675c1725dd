package pipeline

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
)

func TestQuantile(t *testing.T) {
	scores := []float64{5, 1, 4, 2, 3}
	for _, c := range []struct{ above, want float64 }{{0.5, 3}, {0.25, 4}, {0.1, 4.6}, {0.999999, 1}} {
		got, err := quantile(len(scores), c.above, 100, func(t *tail) error { t.add(scores); return nil })
		if err != nil || math.Abs(got-c.want) > 1e-4 {
			t.Errorf("quantile(%g) = %g, %v, want %g", c.above, got, err, c.want)
		}
	}
}

// NaN has no rank: quantile returns an error and does not search for ever.
func TestNoQuantileOfNaN(t *testing.T) {
	for _, scores := range [][]float64{{math.NaN()}, {1, math.NaN(), 3}} {
		_, err := quantile(len(scores), 0.5, 1, func(t *tail) error { t.add(scores); return nil })
		if err == nil || !strings.Contains(err.Error(), "got NaN") {
			t.Errorf("%v: got %v", scores, err)
		}
	}
}

// quantile returns the quantile of the sorted values, whatever their order and the number kept at a
// time, also with equal and infinite values.
func TestQuantileIsThatOfTheSortedValues(t *testing.T) {
	value := rapid.OneOf(rapid.Float64Range(-5, 5), rapid.SampledFrom([]float64{0, 1, 2, 1e300, math.Inf(1)}))
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(value, 1, 200).Draw(t, "values")
		above := rapid.Float64Range(1e-9, 1-1e-9).Draw(t, "above")
		keep := rapid.IntRange(1, 50).Draw(t, "keep")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		got, err := quantile(len(values), above, keep, func(to *tail) error {
			var all sync.WaitGroup
			shuffled := slices.Clone(values)
			rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			for block := range slices.Chunk(shuffled, 7) {
				all.Go(func() { to.add(block) })
			}
			all.Wait()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if want := sortedQuantile(values, above); math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("got %g, want %g", got, want)
		}
	})
}

func sortedQuantile(values []float64, above float64) float64 {
	s := slices.Clone(values)
	slices.Sort(s)
	at := (1 - above) * float64(len(s)-1)
	low := int(math.Floor(at))
	high := min(low+1, len(s)-1)
	return s[low] + (at-float64(low))*(s[high]-s[low])
}

// thresholdWarning warns if the share of rows above the threshold is less than one row.
func TestThresholdOfFewRows(t *testing.T) {
	for _, c := range []struct {
		n     int
		share float64
		warns bool
	}{{1, 0.01, true}, {99, 0.01, true}, {100, 0.01, false}, {10, 0.1, false}, {3, 0.3, true}, {4, 0.3, false}, {9999, 0.0001, true}, {10000, 0.0001, false}} {
		if got := thresholdWarning(c.n, c.share); (got != "") != c.warns {
			t.Errorf("%d rows, share %g: got %q", c.n, c.share, got)
		}
	}
}
