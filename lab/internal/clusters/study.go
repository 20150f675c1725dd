package clusters

import (
	"context"
	"math"
	"time"

	"github.com/collabdict/collabdict/lab/internal/study"
)

// plan describes the computations.
type plan struct {
	sets    []set
	repeats int
	// grid is synthetic rows, divided among each of these numbers of members.
	grid    synthetic
	members []int
	// Factors are tried one by one on these sets, in several repeats.
	tried   []set
	factors []float64
	again   int
	// timed, if not nil, is a set that is timed beside the grid.
	timed *set
}

// Study returns the experiments; clock returns the processor time used so far.
func Study(clock func() time.Duration) study.Study {
	var needs []string
	for _, f := range files {
		needs = append(needs, f.path)
	}
	return study.Study{
		Name: "fedgem", About: "clusters of unknown number (FedGEM 2026): agreement, number found, running time",
		Version: 1, Needs: needs,
		Run: func(ctx context.Context, l *study.Lab) error { return planFor(l).run(ctx, l, clock) },
	}
}

func planFor(l *study.Lab) plan {
	p := plan{
		repeats: 20, again: 5,
		grid: synthetic{clusters: 10, dim: 15, apart: 2, rows: 10000}, members: []int{5, 25, 45, 65},
		factors: []float64{0.01, 0.03, 0.1, 0.3, 1, 3, 10, 100, 1e4, 1e6},
	}
	most := math.MaxInt
	if l.Quick {
		p.repeats, p.again, most = 2, 1, 20
	}
	for _, f := range files {
		p.sets = append(p.sets, f.set(l, most))
	}
	made := p.grid.set("synthetic", 25)
	images := p.sets[0]
	p.timed, p.tried = &images, []set{images, made}
	p.sets = append(p.sets, made)
	return p
}

func (p plan) run(ctx context.Context, l *study.Lab, clock func() time.Duration) error {
	for _, part := range []func() error{
		func() error { return p.grids(ctx, l, clock) },
		func() error { return p.tryFactors(ctx, l) },
		func() error { return p.compare(ctx, l) },
	} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}
