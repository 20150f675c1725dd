package simulate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/attack/differencing"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/report"
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
	t = t.Resolved(len(parts[0].Columns), len(parts))
	n, err := c.config(t, parts)
	if err != nil {
		return nil, err
	}
	seed := n.Seed
	watch := differencing.NewWatch(len(parts))
	n.Observer, n.Seed = watch, t.Seed+uint64(number)<<32
	net, err := netsim.New(n)
	if err != nil {
		return nil, err
	}
	results := make([]*pipeline.Result, len(parts))
	_, failed := net.Run(ctx, func(ctx context.Context, rank int, g collabdict.Group) error {
		var err error
		results[rank], err = t.Fit(ctx, g, parts[rank], noise(n.Seed, rank), nil)
		return err
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	of := &differencing.World{Slots: watch.Slots()}
	if failed != nil && len(of.Slots) == 0 {
		return nil, failed
	}
	at := slices.IndexFunc(results, func(r *pipeline.Result) bool { return r != nil && r.Model != nil })
	if at >= 0 {
		t, parts = t.Windowed(results[at].Model.Manifest.Window, parts)
	}
	trained, err := t.Trained(parts, func(rank int) rand.Source { return noise(seed, rank) })
	if err != nil {
		return nil, err
	}
	for _, p := range trained {
		x, err := rows.Dense(p.Train)
		if err != nil {
			return nil, err
		}
		of.Rows = append(of.Rows, x)
	}
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

// AddReadings runs the task again, on the rows of many worlds, and adds what curious members can read
// in all of them. If there are faults, it also runs the task without them: a reading then counts if
// the faults make it possible.
func AddReadings(ctx context.Context, of *report.Run, under Conditions, t *pipeline.Task, draw Draw) error {
	parts, err := draw(0)
	if err != nil {
		return err
	}
	var readers []int
	for m := range max(t.Settings.Rules(len(parts)).Colluders, 1) {
		readers = append(readers, m)
	}
	all, err := under.worlds(ctx, t, draw, len(parts), readers)
	if err != nil {
		return err
	}
	var whole *differencing.Worlds
	if !under.Scenario.Empty() {
		calm := under
		calm.Scenario = nil
		if whole, err = calm.worlds(ctx, t, draw, len(parts), readers); err != nil {
			return err
		}
	}
	d := of.Protection.Differencing
	found, chance := all.Read(whole)
	rows := all.Rows()
	d.Worlds, d.ReadingsByChance, d.Grid = Worlds, chance, len(all.Faults())
	d.RowsRead, d.RowsByChance, d.RowsOf = rows.Rows, rows.Chance, rows.Of
	for _, r := range found {
		member := "the others"
		if r.Member >= 0 {
			member = parts[r.Member].Name
		}
		d.Readings = append(d.Readings, report.Reading{
			Member: member, Quantity: r.Quantity, Slots: r.Slots, Reading: r.Words, R: r.R, Error: r.Error, Lone: r.Lone,
		})
	}
	return nil
}

// Subsets returns a draw of a share from least to most of each participant's training rows, in
// their order.
func Subsets(parts []dataset.Participant, least, most float64, seed uint64) Draw {
	return func(world int) ([]dataset.Participant, error) {
		random := rand.New(rand.NewPCG(seed, uint64(world)))
		out := slices.Clone(parts)
		for m, p := range out {
			all, err := rows.Dense(p.Train)
			if err != nil {
				return nil, err
			}
			n, dim := all.Dims()
			kept := random.Perm(n)[:max(int(float64(n)*(least+(most-least)*random.Float64())), 1)]
			slices.Sort(kept)
			x := mat.NewDense(len(kept), dim, nil)
			var labels []float64
			for i, j := range kept {
				x.SetRow(i, all.RawRowView(j))
				if p.TrainLabels != nil {
					labels = append(labels, p.TrainLabels[j])
				}
			}
			out[m] = dataset.Participant{
				Name: p.Name, Columns: p.Columns, Train: rows.InMemory(x), Test: p.Test, TrainLabels: labels, TestLabels: p.TestLabels,
				ClassLabels: p.ClassLabels, TextLabels: p.TextLabels, TestBegins: p.TestBegins,
			}
		}
		return out, nil
	}
}
