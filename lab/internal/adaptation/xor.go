package adaptation

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/networks/cgau"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
	"github.com/collabdict/collabdict/lab/internal/study"
)

// solver is a network for the exclusive or.
type solver struct {
	name   string
	hidden int
	method string
}

var solvers = []solver{
	{"CGAU, 1 unit", 1, adapted},
	{"gated, 1 unit, no conditions", 1, gated},
	{"gated, 2 units, no conditions", 2, gated},
	{"ReLU, 1 unit", 1, baseline},
	{"ReLU, 2 units", 2, baseline},
}

const (
	xorRows   = 200 // rows per member, of two members
	xorSpread = 0.2
	xorRounds = 200
)

// drawXOR returns the rows of the up member and of the down member: four clusters at ±1, with
// class 1 where the signs differ.
func drawXOR(random *rand.Rand) (out [2]cgau.Rows) {
	for k := range out {
		for i := range xorRows {
			y, class := float64(1-2*k), i%2
			x := y * float64(1-2*class)
			out[k].Values = append(out[k].Values, float32(x+xorSpread*random.NormFloat64()), float32(y+xorSpread*random.NormFloat64()))
			out[k].Classes = append(out[k].Classes, class)
		}
	}
	return out
}

func (s solver) config(seed int) cgau.Config {
	c := cgau.Config{Inputs: 2, Classes: 2, Hidden: []int{s.hidden}, Rate: 0.1, Momentum: 0.9, Seed: uint64(seed), Plain: s.method == baseline}
	if s.method == gated {
		c.ConditionRate = still
	}
	return c
}

// solve trains both members. It returns their models, and the share of other rows that these
// classify correctly.
func (s solver) solve(ctx context.Context, seed int) (models [2]*cgau.Model, accuracy float64, err error) {
	train, test := drawXOR(source(seed, 3)), drawXOR(source(seed, 4))
	err = lockstep.Run(ctx, 2, func(ctx context.Context, g collabdict.Group, rank int) error {
		l := cgau.NewLearner(s.config(seed), cgau.Own{Rows: train[rank], Seed: source(seed, 100+uint64(rank)).Uint64()})
		for range xorRounds {
			if _, err := l.Round(ctx, g); err != nil {
				return err
			}
		}
		models[rank] = l.Model()
		return nil
	})
	if err != nil {
		return models, 0, err
	}
	for rank, m := range models {
		score, err := m.Evaluate(test[rank])
		if err != nil {
			return models, 0, err
		}
		accuracy += float64(score.Correct) / (2 * xorRows)
	}
	return models, accuracy, nil
}

// solved is the least accuracy of a training that has found the solution.
const solved = 0.98

// exclusiveOr repeats Appendix A: the number of trainings that solve it, and pictures of
// solutions.
func (p plan) exclusiveOr(ctx context.Context, l *study.Lab) error {
	var rows [][]string
	found := map[string]int{} // one training per kind that has solved it
	for _, s := range solvers {
		var all []float64
		times := 0
		for seed := range p.xor {
			a, err := study.Cell(ctx, l, fmt.Sprintf("xor %s, training %d", s.name, seed+1), func(ctx context.Context) (float64, error) {
				_, accuracy, err := s.solve(ctx, seed)
				return accuracy, err
			})
			if err != nil {
				return err
			}
			if all = append(all, a); a < solved {
				continue
			}
			if times++; times == 1 {
				found[s.name] = seed
			}
		}
		rows = append(rows, []string{s.name, study.Spread(study.Summarise(all), 3), fmt.Sprint(times), fmt.Sprint(p.xor)})
	}
	if err := l.Table("cgau-xor", []string{"classifier", "accuracy", "solved", "of"}, rows); err != nil {
		return err
	}
	return draw(ctx, l, found)
}
