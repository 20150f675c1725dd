package local

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/rows"
)

// Scorer gives anomaly scores, as algorithm.Scorer does.
type Scorer interface {
	EachScores(rows collabdict.Rows, f func(from int, scores []float64)) error
}

// Ensemble scores a row by the weighted mean of its surprises at several scorers. A row that they are
// all as surprised by is placed by what its scores are beyond that.
type Ensemble struct{ Members []Member }

// Member is a scorer and what its scores mean.
type Member struct {
	Name string
	Scorer
	*Calibration
	Weight float64 // in the mean, above 0
}

// tie is what the order of scores counts for beside a nat of surprise.
const tie = 1e-6

// Score returns the score of a row that has these scores at the members.
func (e *Ensemble) Score(scores []float64) float64 {
	return e.mean(scores, func(m Member, v float64) float64 { return m.Surprise(v) })
}

// own is Score of a row that the calibrations are by.
func (e *Ensemble) own(scores []float64) float64 {
	return e.mean(scores, func(m Member, v float64) float64 { return m.own(v) })
}

func (e *Ensemble) mean(scores []float64, surprise func(m Member, v float64) float64) float64 {
	sum, weights := 0.0, 0.0
	for i, m := range e.Members {
		sum += float64(m.Weight * (surprise(m, scores[i]) + float64(tie*m.order(scores[i]))))
		weights += m.Weight
	}
	return sum / weights
}

// EachScores calls f with the scores of blocks of rows, from being the place of the first one.
func (e *Ensemble) EachScores(of collabdict.Rows, f func(from int, scores []float64)) error {
	return e.Each(of, func(from int, scores []float64, _ *mat.Dense) { f(from, scores) })
}

// Each is EachScores, with the surprise of each row at each member beside its score.
func (e *Ensemble) Each(of collabdict.Rows, f func(from int, scores []float64, surprises *mat.Dense)) error {
	return rows.Each(of, func(x *mat.Dense, from int) error {
		at, err := e.members(x)
		if err != nil {
			return err
		}
		n, _ := at.Dims()
		scores := make([]float64, n)
		for i := range scores {
			row := at.RawRowView(i)
			scores[i] = e.Score(row)
			for j, m := range e.Members {
				row[j] = m.Surprise(row[j])
			}
		}
		f(from, scores, at)
		return nil
	})
}

// members returns the scores of rows at the members, N by as many. A row with every cell missing
// has the median of the own rows' scores.
func (e *Ensemble) members(x *mat.Dense) (*mat.Dense, error) {
	n, _ := x.Dims()
	empty := make([]bool, n)
	for i := range empty {
		empty[i] = !slices.ContainsFunc(x.RawRowView(i), func(v float64) bool { return !math.IsNaN(v) })
	}
	out := mat.NewDense(n, len(e.Members), nil)
	for j, m := range e.Members {
		scores, err := Scores(m.Scorer, rows.InMemory(x))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		for i, v := range scores {
			if empty[i] {
				v = m.median
			}
			out.Set(i, j, v)
		}
	}
	return out, nil
}

// Scores returns the scores of all rows. Those that are no numbers are +Inf.
func Scores(s Scorer, of collabdict.Rows) ([]float64, error) {
	n, _ := of.Dims()
	out := make([]float64, n)
	err := s.EachScores(of, func(from int, scores []float64) { copy(out[from:], scores) })
	for i, v := range out {
		if math.IsNaN(v) {
			out[i] = math.Inf(1)
		}
	}
	return out, err
}

// Own returns the scores of the rows that the calibrations are by, the i-th values of
// all members being of one row: each is held against the others.
func Own(e *Ensemble, scores [][]float64) []float64 {
	out, row := make([]float64, len(scores[0])), make([]float64, len(scores))
	for i := range out {
		for j := range scores {
			row[j] = scores[j][i]
		}
		out[i] = e.own(row)
	}
	return out
}

// Limit returns the score that a share of rows like these exceeds at most, if the next row
// is like them and whatever their distribution: the ceil((n+1)(1−share))-th smallest of the
// n scores. There have to be as many as [Fewest]; kept is false if there are fewer, and
// the limit is the largest score.
func Limit(scores []float64, share float64) (limit float64, kept bool) {
	n := len(scores)
	at := rankOf(n, share)
	c := Calibrate(scores)
	return c.scores[min(at, n)-1], at <= n
}

// rankOf returns which of n scores, in ascending order from 1, the limit is: more than n if
// they are too few.
func rankOf(n int, share float64) int {
	return int(math.Ceil(float64(float64(n+1)*(1-share)) - 1e-9)) // (99+1)·0.99 and the like are whole
}

// Fewest returns the fewest scores that [Limit] keeps a share by: one less than 1/share.
func Fewest(share float64) int {
	n := max(1, int(1/share)-2)
	for rankOf(n, share) > n {
		n++
	}
	return n
}
