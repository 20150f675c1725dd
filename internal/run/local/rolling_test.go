package local

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
)

// The limit of every row is that of the scores before it, up to the size of the window.
func TestRollingIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		share := rapid.SampledFrom([]float64{0.01, 0.05, 0.1, 0.25, 0.5, 0.9}).Draw(t, "share")
		size := rapid.IntRange(Fewest(share), 150).Draw(t, "size")
		value := rapid.OneOf(rapid.Float64(), rapid.Map(rapid.IntRange(0, 3), func(v int) float64 { return float64(v) }), rapid.Just(math.NaN()))
		scores := rapid.SliceOfN(value, 0, 400).Draw(t, "scores")
		first := rapid.Float64().Draw(t, "first")
		r := Rolling(size, share, first)
		for i, v := range scores {
			limit := first
			if before := scores[max(0, i-size):i]; len(before) >= Fewest(share) {
				known := make([]float64, len(before))
				for j, b := range before {
					if known[j] = b; math.IsNaN(b) {
						known[j] = math.Inf(1)
					}
				}
				var enough bool
				if limit, enough = Limit(known, share); !enough {
					t.Fatalf("%d scores are too few for %g", len(before), share)
				}
			}
			if got := r.Limit(); got != limit {
				t.Fatalf("row %d: the limit is %g, want %g", i, got, limit)
			}
			if above, known := r.Above(v); !known || above != !(v <= limit) {
				t.Fatalf("row %d, score %g: above %t, known %t with a limit of %g", i, v, above, known, limit)
			}
		}
	})
}

func TestFewest(t *testing.T) {
	for share, want := range map[float64]int{0.01: 99, 0.5: 1, 0.3: 3, 0.001: 999, 0.1: 9, 0.99: 1} {
		got := Fewest(share)
		scores := make([]float64, got)
		if _, enough := Limit(scores, share); got != want || !enough {
			t.Errorf("%g: %d scores, enough %t, want %d", share, got, enough, want)
		}
		if got == 1 {
			continue
		}
		if _, enough := Limit(scores[1:], share); enough {
			t.Errorf("%g: %d scores are enough, too", share, got-1)
		}
	}
}

// Without a first limit, the first rows have no threshold.
func TestRollingWithoutABeginning(t *testing.T) {
	r := Rolling(9, 0.1, math.NaN())
	for i := range 20 {
		above, known := r.Above(float64(i))
		if known != (i >= 9) || above != known {
			t.Errorf("row %d: above %t, known %t", i, above, known)
		}
	}
}

// Whatever the drift, about the given share of rows exceeds the rolling limit.
func TestRollingFollowsDrift(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	rolling, fixed := Rolling(1000, 0.01, 3), Fixed(3)
	const rows = 50_000
	alarms, fixedAlarms := 0, 0
	for i := range rows {
		v := float64(i)/5000 + rng.NormFloat64()
		if above, _ := rolling.Above(v); above {
			alarms++
		}
		if above, _ := fixed.Above(v); above {
			fixedAlarms++
		}
	}
	if alarms < rows/200 || alarms > rows/50 || fixedAlarms < rows/2 {
		t.Errorf("%d of %d rows above the rolling limit, %d above the fixed one", alarms, rows, fixedAlarms)
	}
}

func BenchmarkRolling(b *testing.B) {
	for _, size := range []int{1000, 100_000} {
		b.Run(map[int]string{1000: "1e3", 100_000: "1e5"}[size], func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			r := Rolling(size, 0.01, 3)
			for range size {
				r.Above(rng.NormFloat64())
			}
			for b.Loop() {
				r.Above(rng.NormFloat64())
			}
		})
	}
}
