package pipeline

import (
	"fmt"
	"math"
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

// split returns a participant without the rows that stay out of training, these, nil if
// there are none, and how they were chosen. They are the same for the whole run, and nobody
// else knows which they are.
func (t *Task) split(p dataset.Participant) (rest dataset.Participant, out collabdict.Rows, order string, err error) {
	n, _ := p.Train.Dims()
	count := int(t.HoldOut * float64(n))
	if count < leastHeld {
		return p, nil, "", nil
	}
	if order = t.Order; order == "" {
		serial, err := serial(p.Train)
		if err != nil {
			return p, nil, "", err
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
// Missing cells count as the mean.
func nextRow(x *mat.Dense, column int) (r float64, ok bool) {
	n, _ := x.Dims()
	there := 0
	for i := range n {
		if !math.IsNaN(x.At(i, column)) {
			there++
		}
	}
	mean := 0.0
	for i := range n {
		if v := x.At(i, column); !math.IsNaN(v) {
			mean += v / float64(there)
		}
	}
	squares, products, last := 0.0, 0.0, 0.0
	for i := range n {
		d := x.At(i, column) - mean
		if math.IsNaN(d) {
			d = 0
		}
		squares += d * d
		products += d * last
		last = d
	}
	return products / squares, squares > 0
}
