package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/run/report"
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
	count, most := int(t.HoldOut*float64(n)), t.mostHeld()
	if count <= most {
		return count, heldBlocks
	}
	long := max(longBlock, 10*t.Window) // rows of one window share cells
	return most, heldBlocks * max(1, most/heldBlocks/long)
}

// mostHeld returns the largest number of held-out rows that are used.
func (t *Task) mostHeld() int {
	return max(mostHeld, int(math.Round(1/(t.FalseAlarm*mostError*mostError))))
}

// split separates the held-out rows from a participant's training rows, and reports how they
// were chosen. out is nil if there are none. The choice stays the same for the whole run, and
// no other member knows it.
//
// With epsilon, each row is held out by a secret coin of its own from source. So one row more or
// less changes the training rows by at most that row. Alone, source may be nil: nothing is shown.
func (t *Task) split(p dataset.Participant, source rand.Source) (rest dataset.Participant, out collabdict.Rows, order report.Order, err error) {
	order, ok, err := t.FoundOrder(p)
	if !ok || err != nil {
		return p, nil, order, err
	}
	n, _ := p.Train.Dims()
	count, parts := t.held(n)
	var held []int
	switch {
	case t.Traits().Noise != nil && source != nil:
		held = coins(n, t.HoldOut, source)
	case order.Order == InTime:
		held = blocks(n, count, parts)
	default:
		held = rows.Drawn(n, count, t.Seed)
	}
	rest = p
	rest.Train = rows.Without(p.Train, held)
	if p.TrainLabels != nil {
		rest.TrainLabels = make([]float64, 0, n-len(held))
		left := held
		for i, label := range p.TrainLabels {
			if len(left) > 0 && left[0] == i {
				left = left[1:]
				continue
			}
			rest.TrainLabels = append(rest.TrainLabels, label)
		}
	}
	if len(held) < leastHeld { // by chance
		return rest, nil, order, nil
	}
	return rest, rows.Subset(p.Train, chosen(held, t.mostHeld(), t.Seed)), order, nil
}

// coins returns the numbers below n whose coins show heads, each with the given probability.
func coins(n int, probability float64, source rand.Source) (heads []int) {
	random := rand.New(source)
	for i := range n {
		if random.Float64() < probability {
			heads = append(heads, i)
		}
	}
	return heads
}

// chosen returns at most the given number of the held-out rows, which bounds the memory that they
// take. The others are not used.
func chosen(held []int, most int, seed uint64) []int {
	if len(held) <= most {
		return held
	}
	out := rows.Drawn(len(held), most, seed)
	for i, at := range out {
		out[i] = held[at]
	}
	return out
}

// Trained returns participants without their held-out rows. source returns the source of secrets
// that [Task.Fit] gets for a participant.
func (t *Task) Trained(parts []dataset.Participant, source func(rank int) rand.Source) (trained []dataset.Participant, err error) {
	for rank, p := range parts {
		rest, _, _, err := t.split(p, source(rank))
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
