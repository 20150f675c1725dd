package clusters

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/collabdict/collabdict/internal/mixtures/fedgem"
	"github.com/collabdict/collabdict/internal/plots"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
	"github.com/collabdict/collabdict/lab/internal/study"
)

// run is the outcome of one training, the outcome with the true centres, and the processor time
// of all members, in milliseconds.
type run struct {
	Found, Ideal outcome
	Millis       float64
}

// grids runs FedGEM on made-up rows divided among growing numbers of members, and measures the
// time.
func (p plan) grids(ctx context.Context, l *study.Lab, clock func() time.Duration) error {
	header := []string{
		"rows", "members", "rows of each", "index, own rows", "by the true centres", "clusters found", "exact", "within 1", "of",
		"least ms, all members", "median ms, all members", "least ms, one member",
	}
	var rows [][]string
	all, one := plots.Line{Name: "all members, in one process"}, plots.Line{Name: "one member"}
	for _, members := range p.members {
		s := p.grid.set("synthetic", members)
		runs, err := timed(ctx, l, s, members, p.repeats, clock)
		if err != nil {
			return err
		}
		least, _ := millis(runs)
		all.X, all.Y = append(all.X, float64(members)), append(all.Y, least)
		one.X, one.Y = append(one.X, float64(members)), append(one.Y, least/float64(members))
		rows = append(rows, gridRow(s, members, p.grid.rows/members, runs))
	}
	if p.timed != nil {
		clients, _, err := p.timed.deal(rand.New(rand.NewPCG(0, 1)))
		if err != nil {
			return err
		}
		runs, err := timed(ctx, l, *p.timed, len(clients), p.again, clock)
		if err != nil {
			return err
		}
		rows = append(rows, gridRow(*p.timed, len(clients), len(trained(clients).truth)/len(clients), runs))
	}
	if err := l.Table("fedgem-grid", header, rows); err != nil {
		return err
	}
	return l.Chart(plots.Chart{
		Name: "fedgem-runtime", Title: "Processor time of a training",
		Subtitle: fmt.Sprintf("%d rows of %d columns and %d clusters, divided among the members; at most %d rounds; the least of the repeats", p.grid.rows, p.grid.dim, p.grid.clusters, rounds),
		X:        "members", Y: "milliseconds", Decades: true, Lines: []plots.Line{all, one},
	})
}

// timed trains on a set several times, each time with a new deal of the rows.
func timed(ctx context.Context, l *study.Lab, s set, members, repeats int, clock func() time.Duration) ([]run, error) {
	var out []run
	for seed := range uint64(repeats) {
		r, err := study.Cell(ctx, l, fmt.Sprintf("%s, %d members, training %d", s.name, members, seed+1), func(ctx context.Context) (run, error) {
			clients, centres, err := s.deal(rand.New(rand.NewPCG(seed, 1)))
			if err != nil {
				return run{}, err
			}
			before := clock() // the time includes the merges of every member
			found, err := together(ctx, lockstep.Run, clients, fedgem.Config{Seed: seed}, []fedgem.Final{fedgem.ChiSquare{}}, nil)
			if err != nil {
				return run{}, err
			}
			r := run{Found: found[0], Millis: float64(clock()-before) / float64(time.Millisecond)}
			if centres != nil {
				r.Ideal = trueCentres(clients, centres)
			}
			return r, nil
		})
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

func gridRow(s set, members, rows int, runs []run) []string {
	var found, ideal []outcome
	exact, near := 0, 0
	for _, r := range runs {
		found, ideal = append(found, r.Found), append(ideal, r.Ideal)
		switch off := r.Found.Clusters - s.classes; {
		case off == 0:
			exact++
			near++
		case off == 1 || off == -1:
			near++
		}
	}
	own := func(o outcome) float64 { return o.Own }
	best := ""
	if ideal[0].Clusters > 0 { // otherwise the true centres are unknown
		best = with(over(ideal, own), 3)
	}
	least, median := millis(runs)
	return []string{
		s.name, fmt.Sprint(members), fmt.Sprint(rows), with(over(found, own), 3), best,
		with(over(found, func(o outcome) float64 { return float64(o.Clusters) }), 1),
		fmt.Sprint(exact), fmt.Sprint(near), fmt.Sprint(len(runs)),
		study.Number(least, 0), study.Number(median, 0), study.Number(least/float64(members), 1),
	}
}

// millis returns the least and the median time of the runs.
func millis(runs []run) (least, median float64) {
	var all []float64
	for _, r := range runs {
		all = append(all, r.Millis)
	}
	slices.Sort(all)
	return all[0], (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}
