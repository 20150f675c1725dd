package machines

import (
	"context"
	"fmt"

	"github.com/collabdict/collabdict/internal/networks/multitask"
	"github.com/collabdict/collabdict/lab/internal/study"
)

// Study returns the experiments.
func Study() study.Study {
	s := study.Study{
		Name: "mtvae", About: "the multi-task auto-encoder beside the mixture (Idé et al. 2024), on SMD and C-MAPSS",
		Version: 1,
		Run:     func(ctx context.Context, l *study.Lab) error { return planFor(l).run(ctx, l) },
	}
	for _, set := range sets() {
		s.Needs = append(s.Needs, set.files...)
	}
	return s
}

// plan describes the computations.
type plan struct {
	sets  []*set
	seeds int
	course
	trials []trial
}

// planFor returns a plan with the command's defaults, with summed gradients.
func planFor(l *study.Lab) plan {
	p := plan{
		sets: sets(), seeds: 3,
		course: course{multitask.Config{Latent: 8, Hidden: []int{64}, Batch: 128, Rate: 1e-3}, 3000, multitask.DefaultDraws},
		trials: trials(),
	}
	if l.Quick {
		p.seeds, p.steps, p.draws = 1, 300, 10
	}
	return p
}

// trial is a model to learn.
type trial struct {
	name string
	ways []string
	// change adapts the usual course to this trial. It is nil for the mixture, which has the
	// set's number of components, or one.
	change func(c *course)
	one    bool
	kind   int
}

// The purposes of trials.
const (
	compared = iota // with each other
	units           // shows the effect of other units
	setting         // shows the effect of a setting
)

const (
	gradients = "auto-encoder"
	steps     = "auto-encoder, 20 local steps"
	collapsed = "auto-encoder, collapsed"
	graphs    = "mixture"
	single    = "mixture of one component"
	longer    = "three times the steps"
)

func trials() []trial {
	only := []string{together}
	usual := func(*course) {}
	set := func(name string, change func(c *course)) trial {
		return trial{name: name, ways: only, change: change, kind: setting}
	}
	return []trial{
		{name: gradients, ways: ways, change: usual},
		{name: steps, ways: only, change: func(c *course) { c.config.LocalSteps = 20 }},
		{name: collapsed, ways: ways, change: func(c *course) { c.config.KLWeight = 1000 }},
		{name: graphs, ways: ways},
		{name: single, ways: ways, one: true},
		{name: gradients + ", other units", ways: only, change: usual, kind: units},
		{name: graphs + ", other units", ways: only, kind: units},
		set("up to 20 encoder steps", func(c *course) { c.config.Aggressive = 20 }),
		set("warm-up for a third of the steps", func(c *course) { c.config.WarmUp = c.steps / 3 }),
		set("free bits of 0.1 nats", func(c *course) { c.config.FreeBits = 0.1 }),
		set("1 latent dimension", func(c *course) { c.config.Latent = 1 }),
		set("2 latent dimensions", func(c *course) { c.config.Latent = 2 }),
		set("16 latent dimensions", func(c *course) { c.config.Latent = 16 }),
		set("two hidden layers", func(c *course) { c.config.Hidden = []int{64, 64} }),
		set(longer, func(c *course) { c.steps *= 3 }),
	}
}

// run makes the comparisons first, then tries settings.
func (p plan) run(ctx context.Context, l *study.Lab) error {
	found := results{}
	for _, settings := range []bool{false, true} {
		for seed := range p.seeds {
			for _, s := range p.sets {
				for _, t := range p.trials {
					if settings != (t.kind == setting) {
						continue
					}
					if err := p.try(ctx, l, s, t, uint64(seed)+1, found); err != nil {
						return err
					}
				}
			}
		}
	}
	return p.report(l, found)
}

// try computes the cells of a trial.
func (p plan) try(ctx context.Context, l *study.Lab, s *set, t trial, seed uint64, found results) error {
	for _, way := range t.ways {
		o, err := study.Cell(ctx, l, fmt.Sprintf("%s %s %s seed=%d", s.name, t.name, way, seed), func(ctx context.Context) (outcome, error) {
			if err := s.read(l); err != nil {
				return outcome{}, err
			}
			return p.outcome(ctx, s, t, way, seed)
		})
		if err != nil {
			return err
		}
		found.add(s.name, t.name, way, o)
	}
	return nil
}

func (p plan) outcome(ctx context.Context, s *set, t trial, way string, seed uint64) (outcome, error) {
	if t.kind == units {
		other := *s
		other.common = !s.common
		s = &other
	}
	if t.change == nil {
		k := s.components
		if t.one {
			k = 1
		}
		return mixture(ctx, s, way, k, seed)
	}
	c := p.course
	c.config.Seed = seed
	t.change(&c)
	return c.encoders(ctx, s, way)
}
