package pipeline

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
	"github.com/collabdict/collabdict/model"
)

// keptScores bounds the scores of a lane held in memory to find a threshold.
const keptScores = 1 << 17

// threshold returns the score, by a model, that the given share of the rows exceeds: the 1-falseAlarm
// quantile, interpolated linearly between order statistics. It reads the rows once, or several
// times if the share comprises more than keptScores rows.
func threshold(m *model.Model, rows collabdict.Rows, falseAlarm float64) (float64, error) {
	by := scoring{scorer: m.Scorer()}
	if lanes.OriginOf(rows) != nil {
		var file bytes.Buffer
		if err := m.Write(&file); err != nil {
			return 0, err
		}
		by.Model = file.Bytes()
	}
	n, _ := rows.Dims()
	return quantile(n, falseAlarm, keptScores, func(t *tail) error {
		by.Bound, by.Keep = t.Bound, t.Keep
		parts, err := largestScores.Over(rows, by)
		for _, p := range parts {
			t.merge(p)
		}
		return err
	})
}

// A scoring says which scores of rows are wanted: the largest ones below a bound.
type scoring struct {
	Model []byte // the file of the model, for other processes; its scores may differ in their last bits
	Bound float64
	Keep  int

	scorer algorithm.Scorer // nil if it must be read
}

func (s scoring) read() (algorithm.Scorer, error) {
	m, err := readModel(s.Model)
	if err != nil {
		return nil, err
	}
	return m.Scorer(), nil
}

func readModel(file []byte) (*model.Model, error) {
	return model.Read(bytes.NewReader(file), int64(len(file)))
}

// MeanLogLik returns the mean log-likelihood of a participant's rows under a model, in nats.
func MeanLogLik(m *model.Model, of collabdict.Rows) (float64, error) {
	if lanes.OriginOf(of) == nil {
		return m.Scorer().MeanLogLik(m.Rows(of))
	}
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		return 0, err
	}
	sums, err := lanes.Sum(logLik, of, file.Bytes())
	if err != nil {
		return 0, err
	}
	n, _ := of.Dims()
	return sums[0] / float64(n), nil
}

// logLik sums the log-likelihoods of the rows of a lane, in the units of the data.
var logLik = lanes.NewJob("log-likelihoods", func(l *lanes.Lane, file []byte) ([]float64, error) {
	m, err := readModel(file)
	if err != nil {
		return nil, err
	}
	n, _ := l.All().Dims()
	mean, err := m.Scorer().MeanLogLik(m.Rows(l.All()))
	return []float64{mean * float64(n)}, err
})

// largestScores finds the tail of the scores of a lane.
var largestScores = lanes.NewJob("largest scores", func(l *lanes.Lane, of scoring) (*tail, error) {
	if of.scorer == nil {
		var err error
		if of.scorer, err = of.read(); err != nil {
			return nil, err
		}
	}
	t := newTail(of.Bound, of.Keep)
	err := of.scorer.EachScores(l.All(), func(_ int, scores []float64) { t.add(scores) })
	t.shrink()
	return t, err
})

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

// quantile returns the 1-above quantile of n values. pass adds the values to a tail. If there are none,
// nothing is above the result.
func quantile(n int, above float64, keep int, pass func(t *tail) error) (float64, error) {
	if n == 0 { // secret coins may hold out all rows
		return math.MaxFloat64, nil
	}
	at := (1 - above) * float64(n-1)
	low := int(math.Floor(at))
	places := []int{max(n-2-low, 0), n - 1 - low} // in descending order
	var found []float64
	for bound := math.Inf(1); len(found) < 2; {
		t := newTail(bound, min(keep, places[1]+1))
		if err := pass(t); err != nil {
			return 0, err
		}
		if t.Undefined {
			return 0, fmt.Errorf("want scores of the training rows that are numbers, got NaN")
		}
		t.shrink()
		for len(found) < 2 && places[len(found)] < t.Above+len(t.Kept) {
			found = append(found, t.at(places[len(found)]))
		}
		bound = t.Floor
	}
	return found[1] + (at-float64(low))*(found[0]-found[1]), nil
}

// A tail holds the largest values below a bound, at most 2·Keep while values are added. Several
// goroutines may add values.
type tail struct {
	Bound float64
	Keep  int

	// Undefined reports whether a value was NaN, which has no rank.
	Undefined bool
	Above     int     // number of values at or above the bound
	Floor     float64 // values at or below it are not in the tail
	Kept      []float64

	mu sync.Mutex
}

func newTail(bound float64, keep int) *tail {
	return &tail{Bound: bound, Keep: keep, Floor: math.Inf(-1)}
}

// merge adds the values of o, which has the same bound.
func (t *tail) merge(o *tail) {
	t.add(o.Kept)
	t.Above += o.Above
	t.Undefined = t.Undefined || o.Undefined
	t.Floor = max(t.Floor, o.Floor)
}

func (t *tail) add(values []float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, v := range values {
		t.Undefined = t.Undefined || math.IsNaN(v)
		if v >= t.Bound {
			t.Above++
		} else if v > t.Floor {
			t.Kept = append(t.Kept, v)
		}
		if len(t.Kept) >= 2*t.Keep {
			t.shrink()
		}
	}
}

// shrink keeps the largest values, in descending order.
func (t *tail) shrink() {
	slices.SortFunc(t.Kept, func(v, w float64) int { return cmp.Compare(w, v) })
	if len(t.Kept) >= t.Keep {
		t.Kept = t.Kept[:t.Keep]
		t.Floor = t.Kept[t.Keep-1]
	}
}

// at returns the value at a place in descending order, which must not be beyond the tail.
func (t *tail) at(place int) float64 {
	if place < t.Above {
		return t.Bound
	}
	return t.Kept[place-t.Above]
}
