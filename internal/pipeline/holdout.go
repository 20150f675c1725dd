package pipeline

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/report"
	"github.com/collabdict/collabdict/internal/rows"
)

const (
	leastHeld  = 4 // rows with less than that held out are all trained on
	heldBlocks = 4 // of rows in time order
)

// split returns a participant without the rows that stay out of training, these, nil if
// there are none, and how they were chosen. They are the same for the whole run, and nobody
// else knows which they are.
func (t *Task) split(p dataset.Participant) (rest dataset.Participant, out collabdict.Rows, order report.Order, err error) {
	order, ok, err := t.FoundOrder(p)
	if !ok || err != nil {
		return p, nil, order, err
	}
	n, _ := p.Train.Dims()
	count := int(t.HoldOut * float64(n))
	var held []int
	if order.Order == InTime {
		held = blocks(n, count)
	} else {
		held = rand.New(rand.NewPCG(t.Seed, uint64(n))).Perm(n)[:count]
		slices.Sort(held)
	}
	rest = p
	rest.Train = rows.Without(p.Train, held)
	if p.TrainLabels != nil {
		rest.TrainLabels = nil
		left := held
		for i, label := range p.TrainLabels {
			if len(left) > 0 && left[0] == i {
				left = left[1:]
				continue
			}
			rest.TrainLabels = append(rest.TrainLabels, label)
		}
	}
	return rest, rows.Subset(p.Train, held), order, nil
}

// Trained returns participants without the rows that stay out of training.
func (t *Task) Trained(parts []dataset.Participant) (trained []dataset.Participant, err error) {
	for _, p := range parts {
		rest, _, _, err := t.split(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		trained = append(trained, rest)
	}
	return trained, nil
}

// blocks returns so many of n rows, as the ends of a few equal stretches.
func blocks(n, count int) (held []int) {
	for b := range heldBlocks {
		end, size := (b+1)*n/heldBlocks, (b+1)*count/heldBlocks-b*count/heldBlocks
		for i := end - size; i < end; i++ {
			held = append(held, i)
		}
	}
	return held
}
