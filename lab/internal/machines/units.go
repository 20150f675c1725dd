package machines

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
)

// Ways to learn.
const (
	alone    = "alone"
	together = "together"
	pooled   = "pooled"
)

var ways = []string{alone, together, pooled}

// rows returns the participants' rows in the units of a way: those of all rows, or the
// participant's own if it learns alone. The field units of a participant corrects densities for
// that.
func (s *set) rows(way string) ([]participant, error) {
	scalings, err := s.ownUnits()
	if err != nil {
		return nil, err
	}
	usual := scalings
	if s.common {
		if usual, err = s.commonUnits(); err != nil {
			return nil, err
		}
	}
	if way != alone {
		scalings = usual
	}
	out := make([]participant, len(s.parts))
	for i, p := range s.parts {
		by := scalings[i]
		out[i] = participant{name: p.name, train: by.Apply(p.train), held: by.Apply(p.held), test: by.Apply(p.test), labels: p.labels}
		for j, scale := range by.Scale {
			out[i].units += math.Log(usual[i].Scale[j] / scale)
		}
	}
	return out, nil
}

// ownUnits standardises by each participant's moments.
func (s *set) ownUnits() ([]rows.Scaling, error) {
	out := make([]rows.Scaling, len(s.parts))
	for i, p := range s.parts {
		var err error
		if out[i], _, err = rows.Own(rows.InMemory(p.train)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// commonUnits standardises by the moments of all rows.
func (s *set) commonUnits() ([]rows.Scaling, error) {
	var all []*mat.Dense
	for _, p := range s.parts {
		all = append(all, p.train)
	}
	by, _, err := rows.Own(rows.InMemory(stacked(all)))
	return slices.Repeat([]rows.Scaling{by}, len(s.parts)), err
}

// trained returns the training data of a way: the rows of each participant, or all of them as
// one.
func trained(parts []participant, way string) (data []*mat.Dense) {
	for _, p := range parts {
		data = append(data, p.train)
	}
	if way != pooled {
		return data
	}
	return []*mat.Dense{stacked(data)}
}

func stacked(parts []*mat.Dense) *mat.Dense {
	var all []float64
	for _, x := range parts {
		all = append(all, x.RawMatrix().Data...)
	}
	_, width := parts[0].Dims()
	return mat.NewDense(len(all)/width, width, all)
}

// train calls f for all learners of a way: all in a group, or each alone.
func train(ctx context.Context, way string, size int, f func(ctx context.Context, g collabdict.Group, rank int) error) error {
	if way == together {
		return lockstep.Run(ctx, size, f)
	}
	for rank := range size {
		if err := f(ctx, collabdict.Solo{}, rank); err != nil {
			return err
		}
	}
	return nil
}
