package main

import (
	"context"
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/option"
)

var kind = algorithm.Kind{Name: "mean", About: "the mean row", New: func() algorithm.Algorithm { return new(mean) }}

// mean learns the mean row by one private sum, and scores rows by their distance from it. Its fields
// are the settings.
type mean struct {
	Clip, Power float64
}

func (a *mean) Options() option.Table {
	return option.Table{
		option.Float(&a.Clip, "clip", 10, "clip values to the range from -C to C, in standard deviations", option.Above(0, 1e6)),
		option.Float(&a.Power, "power", 2, "exponent of the distance", option.Above(0, 10)),
	}
}

func (a *mean) Prepare(algorithm.Coordinates) error { return nil }
func (a *mean) Traits() algorithm.Traits            { return algorithm.Traits{Rounds: 1, LeastRows: 1} }

const sumsEntry collabdict.Entry = "rows"

// Disclosure lists the one total that others see. A sum of another entry would end the program.
func (a *mean) Disclosure(algorithm.Coordinates) algorithm.Disclosure {
	return algorithm.Disclosure{Conserved: algorithm.Variances, Items: []algorithm.Item{
		{Entry: sumsEntry, What: "the number of rows, and their sum", Form: algorithm.Summed, When: algorithm.EachRound},
	}}
}

// Learn makes the one round. d.Rows are scaled as the user asked.
func (a *mean) Learn(ctx context.Context, g collabdict.Group, d algorithm.Data, after func(algorithm.Progress)) (out algorithm.Outcome, err error) {
	l := &learner{rows: d.Rows, clip: a.Clip}
	out.Last, err = collabdict.Train(ctx, g, l, collabdict.Options{Rounds: 1, OnRound: func(r collabdict.Round) {
		after(algorithm.Progress{Round: r, Loss: -r.Objective})
	}})
	if l.total != nil {
		out.Model, out.TotalRows = &model{l.mean(), a.Power}, int(math.Round(l.total[0]))
	}
	return out, err
}

// Load reads the model from the arrays of its file.
func (a *mean) Load(file algorithm.Arrays, coordinates int) (algorithm.Model, error) {
	values, _, err := file.Values("mean", coordinates)
	return &model{values, a.Power}, err
}

// A learner sums the number of rows and the rows.
type learner struct {
	rows  collabdict.Rows
	clip  float64
	total []float64
}

func (l *learner) Start(context.Context, collabdict.Group) error { return nil }

func (l *learner) LocalUpdate() (collabdict.Summand, error) {
	x, err := algorithm.Dense(l.rows)
	if err != nil {
		return collabdict.Summand{}, err
	}
	n, columns := x.Dims()
	sums := make([]float64, 1+columns)
	sums[0] = float64(n)
	for i := range n {
		for j, v := range x.RawRowView(i) {
			sums[1+j] += max(-l.clip, min(v, l.clip))
		}
	}
	// No value may exceed its bound. It must not tell the number of rows.
	const mostRows = 1 << 20
	blocks := []collabdict.Block{{Len: 1, Bound: mostRows}, {Len: columns, Bound: mostRows * l.clip}}
	return collabdict.Summand{Entry: sumsEntry, Values: sums, Blocks: blocks}, nil
}

func (l *learner) Optimize(total []float64, _ bool) (objective float64, err error) {
	l.total = total
	return 0, nil
}

func (l *learner) mean() []float64 {
	values := make([]float64, len(l.total)-1)
	for j := range values {
		values[j] = l.total[1+j] / l.total[0]
	}
	return values
}

// A model scores rows by their distance from the mean row.
type model struct {
	mean  []float64
	power float64
}

func (m *model) Dim() int { return len(m.mean) }

func (m *model) Arrays() []algorithm.Array {
	return []algorithm.Array{{Name: "mean", Shape: []int{len(m.mean)}, Values: m.mean}}
}

func (m *model) EachScores(rows collabdict.Rows, each func(from int, scores []float64)) error {
	x, err := algorithm.Dense(rows)
	if err != nil {
		return err
	}
	n, _ := x.Dims()
	scores := make([]float64, n)
	for i := range scores {
		for j, v := range x.RawRowView(i) {
			scores[i] += math.Pow(math.Abs(v-m.mean[j]), m.power)
		}
	}
	each(0, scores)
	return nil
}

func (m *model) MeanLogLik(rows collabdict.Rows) (mean float64, err error) {
	n, _ := rows.Dims()
	err = m.EachScores(rows, func(_ int, scores []float64) {
		for _, s := range scores {
			mean -= s / float64(n)
		}
	})
	return mean, err
}
