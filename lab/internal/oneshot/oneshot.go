package oneshot

import (
	"context"
	"fmt"

	"github.com/collabdict/collabdict/lab/internal/study"
)

// Study returns the experiments.
func Study() study.Study {
	s := study.Study{
		Name:    "fedgen",
		About:   "mixtures in one round (FedGenGMM) against EM by rounds, on MNIST, Covertype, SMD and C-MAPSS",
		Version: 1,
		Run:     func(ctx context.Context, l *study.Lab) error { return (&runner{Lab: l, ctx: ctx}).run() },
	}
	for i := range sets {
		s.Needs = append(s.Needs, sets[i].needs...)
	}
	return s
}

// runner computes the cells of a laboratory. It holds the rows of one set at a time.
type runner struct {
	*study.Lab
	ctx    context.Context
	loaded *set
	draw   draw
	drawn  int // repeat whose rows are held
	rows   sample
}

func (r *runner) run() error {
	for i := range sets {
		if err := r.cells(&sets[i]); err != nil {
			return err
		}
	}
	for _, report := range []func() error{r.heterogeneity, r.rounds, r.clients, r.constrained, r.refine} {
		if err := report(); err != nil {
			return err
		}
	}
	return nil
}

// cells computes all cells of a set, so that its rows are read once.
func (r *runner) cells(s *set) error {
	for repeat := range r.repeats() {
		for _, p := range r.plans(s, repeat) {
			if _, err := r.cell(p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *runner) repeats() int {
	if r.Quick {
		return 1
	}
	return 5
}

// sample returns the rows of a repeat, divided anew into training rows, normal test rows and
// anomalies.
func (r *runner) sample(s *set, repeat int) (sample, error) {
	if r.loaded != s {
		r.loaded, r.draw, r.rows, r.drawn = nil, nil, sample{}, -1
		r.Note("reading %s", s.name)
		draw, err := s.load(r.ctx, r.Lab)
		if err != nil {
			return sample{}, fmt.Errorf("%s: %w", s.name, err)
		}
		r.loaded, r.draw = s, draw
	}
	if r.drawn != repeat {
		r.rows, r.drawn = r.draw(source(repeat, "rows")), repeat
	}
	return r.rows, nil
}
