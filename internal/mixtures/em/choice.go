package em

import (
	"fmt"
	"math"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/numeric/parallel"
	"github.com/collabdict/collabdict/internal/numeric/portable"
)

// Choice is a number of components and a relative penalty.
type Choice struct {
	Components int     `json:"components"`
	Lambda     float64 `json:"lambda"`
}

const (
	// stageRounds is the number of rounds after which half of the candidates are dropped.
	stageRounds = 5
	// far is how far a candidate may be behind the best, in nats per row of all participants. With many
	// columns, candidates differ by more than this after their first round.
	far = 0.5
	// rowsEach is the minimum number of rows per component, over all participants, and rowsPerColumn
	// that per component and column. With fewer, a matrix of its own rests on its prior.
	rowsEach, rowsPerColumn = 8, 2
	// mergersJudged is the maximum number of candidates whose mergers are judged, too. Each needs
	// one more M-step.
	mergersJudged = 3
	// gainLimit bounds the gain of a row, in nats per column, so that single unusual rows do
	// not decide.
	gainLimit = 10
)

// choosing chooses among several candidates by held-out rows. All start in one slot, side by
// side in one vector. Every round drops those that explain the held-out rows of all participants
// far worse than the best, and every stage ends by dropping the worse half. A candidate is kept or dropped
// as a whole; its part of the running total continues unchanged. Held-out rows also judge loose mergers of
// the last few candidates.
type choosing struct {
	normal reference // in the coordinates of the first view
	rounds int       // rounds since the stage began
	stage  int       // number of times that candidates were dropped
	judged []algorithm.Judged
}

// reference is the normal distribution without edges that fits all rows.
type reference struct{ mean, variance []float64 }

func newReference(all *passes.Moments) reference {
	return reference{all.Mean(0), pooledVariances(all)}
}

func (r reference) logDensity(x []float64) float64 {
	sum := 0.0
	for i, v := range x {
		if math.IsNaN(v) { // missing
			continue
		}
		d := v - r.mean[i]
		sum -= 0.5 * (float64(d*d/r.variance[i]) + portable.Log(2*math.Pi*r.variance[i]))
	}
	return sum
}

// gains returns the gain of each candidate on the own held-out rows over the reference, in
// nats. If there are few candidates, the gain of each after loose mergers follows; it is 0 but in
// the last round of a stage.
func (l *Learner) gains(of []*candidate) ([]float64, error) {
	out := make([]float64, gainsOf(len(of)))
	if l.held == nil {
		return out, nil
	}
	n, dim := l.held.Dims()
	judged := of
	if len(out) > len(of) && l.stageEnds() && l.config.Fewest > 0 {
		merged := make([]*candidate, len(of))
		err := parallel.Try(len(of), func(i int) (err error) {
			merged[i], err = of[i].last().settled(l.config.Fewest, true)
			return err
		})
		if err != nil {
			return nil, err
		}
		judged = slices.Concat(of, merged)
	}
	for i, x := range judged {
		logs := x.view.logDensities(x.model)
		for j := range n {
			gain := logs[j] - l.choosing.normal.logDensity(l.held.RawRowView(j))
			if limit := float64(gainLimit * dim); !(math.Abs(gain) <= limit) {
				gain = math.Copysign(limit, gain)
			}
			out[i] += gain
		}
	}
	return out, nil
}

// gainsOf returns the number of gains in a vector of this number of candidates.
func gainsOf(candidates int) int {
	switch {
	case candidates < 2:
		return 0
	case candidates <= mergersJudged:
		return 2 * candidates
	}
	return candidates
}

// stageEnds reports whether this round is the last of a stage.
func (l *Learner) stageEnds() bool { return l.choosing.rounds == stageRounds-1 }

// judge sets the gains of the candidates, given those in a total.
func (l *Learner) judge(live []*candidate, gains []float64) {
	for i, c := range live {
		if len(gains) > 0 {
			c.gain = gains[i]
		}
		if len(gains) > len(live) {
			c.loosely = l.stageEnds() && gains[len(live)+i] > c.gain
		}
	}
}

// gainBound returns a bound of the result of gains, for a member with fewer rows than b.Rows.
func gainBound(b columnstats.Bounds) float64 {
	return b.Rows * float64(gainLimit*len(b.RMS))
}

// layout returns the start of each candidate's part in a vector, and the vector's length. The
// first value is the number of rows.
func (l limits) layout(of []*candidate) (starts []int, length int) {
	length = 1
	for _, c := range of {
		starts = append(starts, length)
		length += l.length(c.components)
	}
	return starts, length + gainsOf(len(of))
}

func best(of []*candidate) int {
	at := 0
	for i, c := range of {
		if c.gain > of[at].gain {
			at = i
		}
	}
	return at
}

// halve drops candidates after each round and returns the others: those far behind the best, and at the
// end of a stage the worse half. It also reduces the running total to the others.
func (l *Learner) halve(live []*candidate) []*candidate {
	c := &l.choosing
	if len(live) < 2 {
		return live
	}
	order := make([]int, len(live))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := live[a].gain, live[b].gain; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	kept := order
	for least := live[order[0]].gain - float64(far*float64(l.TotalRows())); live[kept[len(kept)-1]].gain < least; {
		kept = kept[:len(kept)-1]
	}
	if c.rounds++; c.rounds == stageRounds {
		c.rounds = 0
		kept = kept[:min(len(kept), (len(live)+1)/2)]
	}
	if len(kept) == len(live) {
		return live
	}
	c.stage++
	slices.Sort(kept)
	for i, x := range live {
		c.judged = append(c.judged, algorithm.Judged{
			Stage: c.stage, Components: x.components, Lambda: x.form.relativePrior().lambda, Rescaled: x.view != l.view,
			Gain: x.gain / float64(l.TotalRows()), Kept: slices.Contains(kept, i),
		})
	}
	var out []*candidate
	for _, i := range kept {
		out = append(out, live[i])
	}
	l.running = l.limits.carriedOn(l.running, fmt.Sprint(statisticsKey, " ", c.stage+1), live, kept)
	return out
}

// carriedOn returns the running total of the kept candidates, which continues the running total of
// all candidates.
func (l limits) carriedOn(before collabdict.Running, key string, live []*candidate, kept []int) collabdict.Running {
	starts, length := l.layout(live)
	parts := [][2]int{{0, 1}}
	for _, i := range kept {
		parts = append(parts, [2]int{starts[i], starts[i] + l.length(live[i].components)})
	}
	gains := length - gainsOf(len(live))
	for j := range gainsOf(len(kept)) {
		at := gains + kept[j%len(kept)]
		if j >= len(kept) && gainsOf(len(live)) > len(live) {
			at += len(live)
		}
		parts = append(parts, [2]int{at, at + 1})
	}
	return collabdict.Running{Key: key, From: before.Key, Parts: parts, Before: &before}
}
