package simulate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/attack/differencing"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/pipeline"
	"github.com/collabdict/collabdict/internal/rows"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/netsim"
)

// Worlds is the number of runs on fresh rows from which a reader learns what follows from totals.
const Worlds = 24

// A Draw returns the participants of a world. Their names, columns and number are the same in
// all worlds.
type Draw func(world int) ([]dataset.Participant, error)

// world runs a task once, on the rows of a world, with secrets of its own.
func (c Conditions) world(ctx context.Context, t *pipeline.Task, parts []dataset.Participant, number int) (*differencing.World, error) {
	t = t.Resolved(len(parts[0].Columns))
	n, err := c.config(t, parts)
	if err != nil {
		return nil, err
	}
	trained, err := t.Trained(parts)
	if err != nil {
		return nil, err
	}
	watch := differencing.NewWatch(len(parts))
	n.Observer, n.Seed = watch, t.Seed+uint64(number)<<32
	n.Faults = append(n.Faults, c.stops...)
	if len(c.stops) > 0 {
		n.Compute = updateTime
	}
	net, err := netsim.New(n)
	if err != nil {
		return nil, err
	}
	results := make([]*pipeline.Result, len(parts))
	_, failed := net.Run(ctx, func(ctx context.Context, rank int, g collabdict.Group) error {
		var err error
		results[rank], err = t.Train(ctx, g, parts[rank], noise(n.Seed, rank), nil)
		return err
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	of := &differencing.World{Slots: watch.Slots()}
	if failed != nil && len(of.Slots) == 0 {
		return nil, failed
	}
	for _, p := range trained {
		x, err := rows.Dense(p.Train)
		if err != nil {
			return nil, err
		}
		of.Rows = append(of.Rows, x)
	}
	at := slices.IndexFunc(results, func(r *pipeline.Result) bool { return r != nil && r.Model != nil })
	if at < 0 {
		return of, nil
	}
	of.Trained, err = (&Run{Models: []*model.Model{results[at].Model}}).trainedOn(trained)
	return of, err
}

// worlds runs all worlds of a cell and collects what the readers see.
func (c Conditions) worlds(ctx context.Context, t *pipeline.Task, draw Draw, members int, readers []int) (*differencing.Worlds, error) {
	all := differencing.NewWorlds(members, readers...)
	for i := range Worlds {
		parts, err := draw(i)
		if err != nil {
			return nil, err
		}
		of, err := c.world(ctx, t, parts, i)
		if err != nil {
			return nil, fmt.Errorf("world %d: %w", i+1, err)
		}
		all.Add(of)
	}
	return all, nil
}

// Subsets returns a draw of 80 to 100 % of each participant's training rows, in their order.
func Subsets(parts []dataset.Participant, seed uint64) Draw {
	return func(world int) ([]dataset.Participant, error) {
		random := rand.New(rand.NewPCG(seed, uint64(world)))
		out := slices.Clone(parts)
		for m, p := range out {
			n, dim := p.Train.Dims()
			kept := random.Perm(n)[:n-int(0.2*random.Float64()*float64(n))]
			slices.Sort(kept)
			all, err := rows.Dense(p.Train)
			if err != nil {
				return nil, err
			}
			x, labels := mat.NewDense(len(kept), dim, nil), make([]float64, 0, len(kept))
			for i, j := range kept {
				x.SetRow(i, all.RawRowView(j))
				if p.TrainLabels != nil {
					labels = append(labels, p.TrainLabels[j])
				}
			}
			out[m].Train = rows.InMemory(x)
			if p.TrainLabels != nil {
				out[m].TrainLabels = labels
			}
		}
		return out, nil
	}
}
