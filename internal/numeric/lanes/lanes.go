// Package lanes runs jobs over rows. A job makes one result of each lane, a run of consecutive rows. How
// many lanes there are, and which rows are in each, depends on the number of rows alone.
//
// Invariant: results come in the order of the lanes, and no job sees the rows of two lanes. So what a
// caller makes of the results has the same bits whatever GOMAXPROCS is. Start reading at [Job].
package lanes

import "github.com/collabdict/collabdict/internal/numeric/parallel"

// most is the number of lanes of many rows. It does not depend on the machine, because it fixes the order
// of every sum.
const most = 32

// Count returns the number of lanes for n rows, at least 1.
func Count(n int) int { return min(most, max(1, (n+BlockRows-1)/BlockRows)) }

// A Lane is a run of consecutive rows, which a job reads in blocks.
type Lane struct {
	Number int // from 0
	Rows   int // number of rows of all lanes
	Dim    int // number of columns
	// Room is memory for a block. If it is too small, Blocks replaces it.
	Room []float64

	rows        Rows
	first, last int // blocks: the first, and the one after the last
}

// Blocks calls f for every block x of the lane's rows, in order; from is the index of its first row. The
// block is valid until f returns.
func (l *Lane) Blocks(f func(from int, x []float64)) error {
	if size := min(l.Rows, BlockRows) * l.Dim; len(l.Room) < size {
		l.Room = make([]float64, size)
	}
	for b := l.first; b < l.last; b++ {
		from := b * BlockRows
		x := l.Room[:(min(l.Rows, from+BlockRows)-from)*l.Dim]
		if err := l.rows.ReadRows(x, from); err != nil {
			return err
		}
		f(from, x)
	}
	return nil
}

// Each calls f for every row of the lane in order. The row is valid until f returns.
func (l *Lane) Each(f func(row []float64)) error {
	return l.Blocks(func(_ int, x []float64) {
		for ; len(x) > 0; x = x[l.Dim:] {
			f(x[:l.Dim])
		}
	})
}

// A Job makes a result R of the rows of a lane, given arguments A.
type Job[A, R any] struct {
	run func(l *Lane, args A) (R, error)
}

// NewJob returns a job that calls run for each lane. run must not depend on anything but the rows and the
// arguments. Calls for several lanes may run at a time.
func NewJob[A, R any](run func(l *Lane, args A) (R, error)) Job[A, R] { return Job[A, R]{run} }

// Over returns the results for all lanes of the rows, in order, or the error of the lowest lane that has
// one. Without rows, there is one lane, which is empty.
func (j Job[A, R]) Over(x Rows, args A) ([]R, error) {
	n, dim := x.Dims()
	count, blocks := Count(n), (n+BlockRows-1)/BlockRows
	out, errs := make([]R, count), make([]error, count)
	parallel.For(count, func(number int) {
		l := &Lane{Number: number, Rows: n, Dim: dim, rows: x, first: number * blocks / count, last: (number + 1) * blocks / count}
		out[number], errs[number] = j.run(l, args)
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Sum returns the sum, over all lanes, of the vectors that a job returns. It adds them in the order of the
// lanes.
func Sum[A any](j Job[A, []float64], x Rows, args A) ([]float64, error) {
	parts, err := j.Over(x, args)
	if err != nil {
		return nil, err
	}
	total := parts[0]
	for _, part := range parts[1:] {
		for i, v := range part {
			total[i] += v
		}
	}
	return total, nil
}

// Each calls f for all lanes of rows, several at a time. It returns the error of the lowest lane that has
// one.
func Each(x Rows, f func(l *Lane) error) error {
	_, err := NewJob(func(l *Lane, _ struct{}) (struct{}, error) { return struct{}{}, f(l) }).Over(x, struct{}{})
	return err
}
