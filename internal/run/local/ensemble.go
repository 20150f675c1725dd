package local

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/rows"
)

// Scorer returns anomaly scores, as algorithm.Scorer does.
type Scorer interface {
	EachScores(rows collabdict.Rows, f func(from int, scores []float64)) error
}

// An Ensemble scores a row by the weighted mean of its surprises at several scorers. Scores
// themselves break ties.
type Ensemble struct{ Members []Member }

// A Member is a scorer with the calibration of its scores.
type Member struct {
	Name string
	Scorer
	*Calibration
	Weight float64 // weight in the mean, above 0
}

// tie is the weight of the order of scores against a nat of surprise.
const tie = 1e-6

// Score returns the ensemble's score of a row, given its score at each member.
func (e *Ensemble) Score(scores []float64) float64 {
	return e.mean(scores, func(m Member, v float64) float64 { return m.Surprise(v) })
}

// own is like Score, for a row of the calibrations.
func (e *Ensemble) own(scores []float64) float64 {
	return e.mean(scores, func(m Member, v float64) float64 { return m.OwnSurprise(v) })
}

func (e *Ensemble) mean(scores []float64, surprise func(m Member, v float64) float64) float64 {
	sum, weights := 0.0, 0.0
	for i, m := range e.Members {
		sum += float64(m.Weight * (surprise(m, scores[i]) + float64(tie*m.order(scores[i]))))
		weights += m.Weight
	}
	return sum / weights
}

// EachScores calls f with the scores of blocks of rows; from is the index of the first row of a
// block.
func (e *Ensemble) EachScores(of collabdict.Rows, f func(from int, scores []float64)) error {
	return e.Each(of, func(from int, scores []float64, _ *mat.Dense) { f(from, scores) })
}

// Each is like EachScores, and also passes the surprise of each row at each member.
func (e *Ensemble) Each(of collabdict.Rows, f func(from int, scores []float64, surprises *mat.Dense)) error {
	return rows.Each(of, func(x *mat.Dense, from int) error {
		at, err := e.members(x, nil)
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

// ScoresBy returns the scores of rows by each of some ensembles, with +Inf for NaN. Members of the same name
// have the same scorer, which scores the rows once.
func ScoresBy(x *mat.Dense, ensembles ...*Ensemble) ([][]float64, error) {
	known, out := map[string][]float64{}, make([][]float64, len(ensembles))
	for k, e := range ensembles {
		at, err := e.members(x, known)
		if err != nil {
			return nil, err
		}
		n, _ := at.Dims()
		out[k] = make([]float64, n)
		for i := range out[k] {
			out[k][i] = e.Score(at.RawRowView(i))
		}
		withoutNaN(out[k])
	}
	return out, nil
}

// members returns the scores of rows at the members, one column per member. A row with all
// cells missing gets the median score of the own rows. known, unless nil, has scores by the members'
// names, and gets further ones.
func (e *Ensemble) members(x *mat.Dense, known map[string][]float64) (*mat.Dense, error) {
	n, _ := x.Dims()
	empty := make([]bool, n)
	for i := range empty {
		empty[i] = !slices.ContainsFunc(x.RawRowView(i), func(v float64) bool { return !math.IsNaN(v) })
	}
	out := mat.NewDense(n, len(e.Members), nil)
	for j, m := range e.Members {
		scores := known[m.Name]
		if scores == nil {
			var err error
			if scores, err = Scores(m.Scorer, rows.InMemory(x)); err != nil {
				return nil, fmt.Errorf("%s: %w", m.Name, err)
			}
			if known != nil {
				known[m.Name] = scores
			}
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

// Scores returns the scores of all rows, with +Inf for NaN.
func Scores(s Scorer, of collabdict.Rows) ([]float64, error) {
	n, _ := of.Dims()
	out := make([]float64, n)
	err := s.EachScores(of, func(from int, scores []float64) { copy(out[from:], scores) })
	withoutNaN(out)
	return out, err
}

// withoutNaN replaces NaN by +Inf.
func withoutNaN(scores []float64) {
	for i, v := range scores {
		if math.IsNaN(v) {
			scores[i] = math.Inf(1)
		}
	}
}

// Own returns the scores of the calibrations' own rows, each compared with the others. scores
// has one slice per member, in the same order of rows.
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

// Limit returns the threshold that at most the given share of similar rows exceeds, for the
// next row and any distribution: the ceil((n+1)(1−share))-th smallest of the n scores. This
// needs at least [Fewest] scores; with fewer, kept is false and the limit is the largest score.
func Limit(scores []float64, share float64) (limit float64, kept bool) {
	n := len(scores)
	at := rankOf(n, share)
	return slices.Sorted(slices.Values(scores))[min(at, n)-1], at <= n
}

// HeldLimit returns [Limit] of the last scores, those of held-out rows. If these are too few for the
// share, it uses the other own rows as well; enough is false if they do not suffice either. The
// limit is finite.
func HeldLimit(scores []float64, held int, share float64) (limit float64, enough bool) {
	if held > 0 {
		limit, enough = Limit(scores[len(scores)-held:], share)
	}
	if !enough {
		limit, enough = Limit(scores, share)
	}
	return math.Max(-math.MaxFloat64, math.Min(limit, math.MaxFloat64)), enough
}

// rankOf returns the rank of the limit among n scores in ascending order, from 1. It exceeds n
// if n is too small.
func rankOf(n int, share float64) int {
	return int(math.Ceil(float64(float64(n+1)*(1-share)) - 1e-9)) // (99+1)·0.99 is not exactly whole in floating point
}

// Fewest returns the least number of scores with which [Limit] keeps a share: 1/share − 1.
func Fewest(share float64) int {
	n := max(1, int(1/share)-2)
	for rankOf(n, share) > n {
		n++
	}
	return n
}
