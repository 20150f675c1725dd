package pipeline

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/rows"
)

// The orders of rows.
const (
	InTime  = "time" // neighbours are alike
	NoOrder = "none"
)

const (
	leastHeld  = 4 // rows with less than that held out are all trained on
	heldBlocks = 4 // of rows in time order
	// lookedAt is how many rows tell whether rows are in time order.
	lookedAt = 2000
)

// split returns a participant without the rows that stay out of training, and these, nil if
// there are none. They are the same for the whole run, and nobody else knows which they are.
func (t *Task) split(p dataset.Participant) (dataset.Participant, collabdict.Rows, error) {
	n, _ := p.Train.Dims()
	count := int(t.HoldOut * float64(n))
	if count < leastHeld {
		return p, nil, nil
	}
	order := t.Order
	if order == "" {
		serial, err := serial(p.Train)
		if err != nil {
			return p, nil, err
		}
		order = NoOrder
		if serial {
			order = InTime
		}
	}
	var held []int
	if order == InTime {
		held = blocks(n, count)
	} else {
		held = rand.New(rand.NewPCG(t.Seed, uint64(n))).Perm(n)[:count]
		slices.Sort(held)
	}
	out := p
	out.Train = rows.Without(p.Train, held)
	if p.TrainLabels != nil {
		out.TrainLabels = nil
		rest := held
		for i, label := range p.TrainLabels {
			if len(rest) > 0 && rest[0] == i {
				rest = rest[1:]
				continue
			}
			out.TrainLabels = append(out.TrainLabels, label)
		}
	}
	return out, rows.Subset(p.Train, held), nil
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

// serial reports whether neighbouring rows are more alike than rows far apart: whether the
// correlation of columns with themselves one row later is above .5 in the median.
func serial(of collabdict.Rows) (bool, error) {
	n, width := of.Dims()
	n = min(n, lookedAt)
	x := mat.NewDense(n, width, nil)
	if err := of.ReadRows(x.RawMatrix().Data, 0); err != nil {
		return false, err
	}
	var all []float64
	for i := range width {
		if r, ok := nextRow(x, i); ok {
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		return false, nil
	}
	slices.Sort(all)
	return all[len(all)/2] > 0.5, nil
}

// nextRow returns the correlation of a column with itself one row later, unless it is constant.
func nextRow(x *mat.Dense, column int) (r float64, ok bool) {
	n, _ := x.Dims()
	mean := 0.0
	for i := range n {
		mean += x.At(i, column) / float64(n)
	}
	squares, products := 0.0, 0.0
	for i := range n {
		d := x.At(i, column) - mean
		squares += d * d
		if i > 0 {
			products += d * (x.At(i-1, column) - mean)
		}
	}
	return products / squares, squares > 0
}
