package pipeline

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/report"
	"github.com/collabdict/collabdict/internal/rows"
)

const (
	leastHeld  = 4 // fewest rows worth holding out; with fewer, all rows train
	heldBlocks = 4 // number of blocks that time-ordered rows are held out in
	// mostHeld bounds the held-out rows, and so the memory that they and their scores take.
	// With this many, a share of false alarms of 1 % has a standard error of
	// √(0.01·0.99/mostHeld) = 0.03 %, and a mean score one of 0.3 % of the scores' standard
	// deviation. More rows are worth more in training.
	mostHeld = 100_000
	// mostError is the largest relative standard error allowed for a share of false alarms. More
	// than mostHeld rows are held out if a small share needs them for this.
	mostError = 0.1
	// longBlock is the least length of a block, in rows, once mostHeld rows are held out. More
	// blocks cover more times of the day and year; longer blocks reach further from the
	// training rows.
	longBlock = 5000
)

// held returns the number of rows to hold out of n, and the number of blocks if the rows are in
// time order.
func (t *Task) held(n int) (count, parts int) {
	count, most := int(t.HoldOut*float64(n)), max(mostHeld, int(math.Round(1/(t.FalseAlarm*mostError*mostError))))
	if count <= most {
		return count, heldBlocks
	}
	long := max(longBlock, 10*t.Window) // rows of one window share cells
	return most, heldBlocks * max(1, most/heldBlocks/long)
}

// split separates the held-out rows from a participant's training rows, and reports how they
// were chosen. out is nil if there are none. The choice stays the same for the whole run, and
// no other member knows it.
func (t *Task) split(p dataset.Participant) (rest dataset.Participant, out collabdict.Rows, order report.Order, err error) {
	order, ok, err := t.FoundOrder(p)
	if !ok || err != nil {
		return p, nil, order, err
	}
	n, _ := p.Train.Dims()
	count, parts := t.held(n)
	var held []int
	if order.Order == InTime {
		held = blocks(n, count, parts)
	} else {
		held = rows.Drawn(n, count, t.Seed)
	}
	rest = p
	rest.Train = rows.Without(p.Train, held)
	if p.TrainLabels != nil {
		rest.TrainLabels = make([]float64, 0, n-count)
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

// Trained returns participants without their held-out rows.
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

// blocks returns the indices of count of n rows: the end of each of the given number of equal
// parts.
func blocks(n, count, parts int) (held []int) {
	for b := range parts {
		end, size := (b+1)*n/parts, (b+1)*count/parts-b*count/parts
		for i := end - size; i < end; i++ {
			held = append(held, i)
		}
	}
	return held
}
