package pipeline

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
)

// keptScores bounds the scores held in memory to find a threshold.
const keptScores = 1 << 20

// threshold returns the score that the given share of the rows exceeds: the 1-falseAlarm
// quantile, interpolated linearly between order statistics. It reads the rows once, or several
// times if the share comprises more than keptScores rows.
func threshold(s algorithm.Scorer, rows collabdict.Rows, falseAlarm float64) (float64, error) {
	n, _ := rows.Dims()
	return quantile(n, falseAlarm, keptScores, func(f func(scores []float64)) error {
		return s.EachScores(rows, func(_ int, scores []float64) { f(scores) })
	})
}

// thresholdWarning returns a warning if n rows are too few for the given share above a
// threshold, and "" otherwise.
func thresholdWarning(n int, falseAlarm float64) string {
	least := math.Ceil(1/falseAlarm - 1e-9) // 1/0.01 is not exactly whole in floating point
	switch {
	case n == 0:
		return "threshold: no own rows are left to set it, so no row is an anomaly: use more rows"
	case float64(n) >= least:
		return ""
	}
	return fmt.Sprintf("threshold: %d own rows are too few for a share of %g above it, so it is close to the largest score: use at least %.0f", n, falseAlarm, least)
}

// quantile returns the 1-above quantile of n values. pass calls its argument with the values in
// any order, from several goroutines. At most 2·keep values are in memory. If there are none, nothing
// is above the result.
func quantile(n int, above float64, keep int, pass func(f func(values []float64)) error) (float64, error) {
	if n == 0 { // secret coins may hold out all rows
		return math.MaxFloat64, nil
	}
	at := (1 - above) * float64(n-1)
	low := int(math.Floor(at))
	places := []int{max(n-2-low, 0), n - 1 - low} // in descending order
	var found []float64
	for bound := math.Inf(1); len(found) < 2; {
		t := &tail{bound: bound, keep: min(keep, places[1]+1), floor: math.Inf(-1)}
		if err := pass(t.add); err != nil {
			return 0, err
		}
		if t.undefined {
			return 0, fmt.Errorf("want scores of the training rows that are numbers, got NaN")
		}
		t.shrink()
		for len(found) < 2 && places[len(found)] < t.above+len(t.kept) {
			found = append(found, t.at(places[len(found)]))
		}
		bound = t.floor
	}
	return found[1] + (at-float64(low))*(found[0]-found[1]), nil
}

// A tail holds the largest values below a bound.
type tail struct {
	bound float64
	keep  int

	mu sync.Mutex
	// undefined reports whether a value was NaN, which has no rank.
	undefined bool
	above     int     // number of values at or above the bound
	floor     float64 // values at or below it are not in the tail
	kept      []float64
}

func (t *tail) add(values []float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, v := range values {
		t.undefined = t.undefined || math.IsNaN(v)
		if v >= t.bound {
			t.above++
		} else if v > t.floor {
			t.kept = append(t.kept, v)
		}
		if len(t.kept) >= 2*t.keep {
			t.shrink()
		}
	}
}

// shrink keeps the largest values, in descending order.
func (t *tail) shrink() {
	slices.SortFunc(t.kept, func(v, w float64) int { return cmp.Compare(w, v) })
	if len(t.kept) >= t.keep {
		t.kept = t.kept[:t.keep]
		t.floor = t.kept[t.keep-1]
	}
}

// at returns the value at a place in descending order, which must not be beyond the tail.
func (t *tail) at(place int) float64 {
	if place < t.above {
		return t.bound
	}
	return t.kept[place-t.above]
}
