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
	leastHeld  = 4 // rows with less than that held out are all trained on
	heldBlocks = 4 // of rows in time order, as which they are compared
	// mostHeld bounds how many rows are held out, and so the memory that they and their scores
	// take. Of so many, a share of false alarms of 1 % comes out with a standard error of
	// √(0.01·0.99/mostHeld), 0.03 %, and a mean score with 0.3 % of the scores' standard deviation.
	// More rows would serve better in training.
	mostHeld = 100_000
	// mostError is the relative standard error of a share of false alarms: a smaller share is
	// given more than mostHeld rows.
	mostError = 0.1
	// longBlock is how many rows a block of mostHeld has at least. More blocks are from more
	// times of the day and of the year, and longer ones from further away of what is trained on.
	longBlock = 5000
)

// held returns how many of n rows are held out, and in how many blocks if they are in time order.
func (t *Task) held(n int) (count, parts int) {
	count, most := int(t.HoldOut*float64(n)), max(mostHeld, int(math.Round(1/(t.FalseAlarm*mostError*mostError))))
	if count <= most {
		return count, heldBlocks
	}
	long := max(longBlock, 10*t.Window) // rows of a window share cells
	return most, heldBlocks * max(1, most/heldBlocks/long)
}

// split returns a participant without the rows that stay out of training, these, nil if
// there are none, and how they were chosen. They are the same for the whole run, and nobody
// else knows which they are.
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

// blocks returns so many of n rows, as the ends of so many equal parts.
func blocks(n, count, parts int) (held []int) {
	for b := range parts {
		end, size := (b+1)*n/parts, (b+1)*count/parts-b*count/parts
		for i := end - size; i < end; i++ {
			held = append(held, i)
		}
	}
	return held
}
