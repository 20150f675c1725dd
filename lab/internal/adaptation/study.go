package adaptation

import (
	"context"
	"math/rand/v2"

	"github.com/collabdict/collabdict/internal/networks/cgau"
	"github.com/collabdict/collabdict/lab/internal/study"
)

// plan describes the computations.
type plan struct {
	sets     []*set
	members  int
	shuffles []float64
	repeats  int
	rounds   int
	model    cgau.Config // without its sizes
	// few lists numbers of rows that a new participant has seen.
	few []int
	// xor is the number of trainings per kind in the appendix.
	xor int
}

// Study returns the experiments.
func Study() study.Study {
	s := study.Study{
		Name: "cgau", About: "classifiers that adapt to participants (Rieger et al. 2020), on embeddings of CIFAR-10 and on MNIST",
		Version: 1,
		Run:     func(ctx context.Context, l *study.Lab) error { return planFor(l).run(ctx, l) },
	}
	for _, set := range sets() {
		s.Needs = append(s.Needs, set.files...)
	}
	return s
}

func planFor(l *study.Lab) plan {
	p := plan{
		sets: sets(), members: 10, shuffles: []float64{0, 0.2, 0.4, 0.6, 0.8, 1}, repeats: 3, rounds: 150,
		model: cgau.Config{Hidden: []int{64, 64}, Dropout: 0.5, Rate: 0.1, Momentum: 0.9},
		few:   []int{10, 50, 250}, xor: 20,
	}
	if l.Quick {
		p.shuffles, p.repeats, p.rounds, p.xor = []float64{0, 0.4, 1}, 1, 60, 5
		for _, s := range p.sets {
			s.most = 4000
		}
	}
	return p
}

func (p plan) run(ctx context.Context, l *study.Lab) error {
	if err := p.exclusiveOr(ctx, l); err != nil {
		return err
	}
	var all []*course
	for _, s := range p.sets {
		all = append(all, &course{set: s})
	}
	for repeat := range p.repeats {
		for _, c := range all {
			if err := c.repeat(ctx, l, p, repeat); err != nil {
				return err
			}
		}
	}
	return report(l, p, all)
}

// source returns the random stream of a repeat for a purpose.
func source(repeat int, purpose uint64) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(repeat)+1, purpose))
}
