// Package lanes runs jobs over rows. A job makes one result of each lane, a run of consecutive rows. How
// many lanes there are, and which rows are in each, depends on the number of rows alone.
//
// Rows may be on other machines. Then the job runs there, and only its results come back.
//
// Invariant: results come in the order of the lanes, and no job sees the rows of two lanes. So a caller that
// joins the results in this order gets the same bits whatever GOMAXPROCS is, and however many machines there
// are. Start reading at [Job].
package lanes

import (
	"fmt"

	"github.com/collabdict/collabdict/internal/numeric/parallel"
)

// The number of lanes does not depend on the machine, because it fixes the order of every sum.
const (
	enough = 32      // lanes for one machine
	most   = 512     // lanes for many
	long   = 1 << 20 // rows of a lane from which on there are more than enough lanes
)

// Count returns the number of lanes for n rows, at least 1.
func Count(n int) int {
	blocks := (n + BlockRows - 1) / BlockRows
	return min(max(blocks, 1), max(enough, min(most, n/long)))
}

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

// lane returns a lane of rows.
func lane(x Rows, number int) *Lane {
	n, dim := x.Dims()
	count, blocks := Count(n), (n+BlockRows-1)/BlockRows
	return &Lane{Number: number, Rows: n, Dim: dim, rows: x, first: number * blocks / count, last: (number + 1) * blocks / count}
}

// Span returns the first row of a lane of n rows, and the one after its last.
func Span(n, number int) (first, end int) {
	count, blocks := Count(n), (n+BlockRows-1)/BlockRows
	return min(n, number*blocks/count*BlockRows), min(n, (number+1)*blocks/count*BlockRows)
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

// All returns the lane's rows by themselves.
func (l *Lane) All() Rows { return laneRows{l} }

// laneRows are the rows of one lane.
type laneRows struct{ *Lane }

func (r laneRows) Dims() (n, m int) {
	return min(r.Rows, r.last*BlockRows) - min(r.Rows, r.first*BlockRows), r.Dim
}

func (r laneRows) ReadRows(x []float64, from int) error {
	return r.rows.ReadRows(x, r.first*BlockRows+from)
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
	name string // "" for a job that runs in this process only
	run  func(l *Lane, args A) (R, error)
}

// NewJob returns a job that calls run for each lane. The name is one that no other job has. run must depend
// on nothing but the rows and the exported fields of the arguments. Calls for several lanes may run at a
// time, and on several machines.
func NewJob[A, R any](name string, run func(l *Lane, args A) (R, error)) Job[A, R] {
	if jobs[name] != nil {
		panic("lanes: two jobs are called " + name)
	}
	jobs[name] = func(encoded []byte) (func(*Lane) ([]byte, error), error) {
		args, err := decode[A](encoded)
		if err != nil {
			return nil, fmt.Errorf("job %s: %w", name, err)
		}
		return func(l *Lane) ([]byte, error) {
			out, err := run(l, args)
			if err != nil {
				return nil, err
			}
			return encode(out), nil
		}, nil
	}
	return Job[A, R]{name, run}
}

// HereOnly returns a job without a name, for rows in this process. run may depend on anything.
func HereOnly[R any](run func(l *Lane) (R, error)) Job[struct{}, R] {
	return Job[struct{}, R]{"", func(l *Lane, _ struct{}) (R, error) { return run(l) }}
}

// Over returns the results for all lanes of the rows, in order, or the error of the lowest lane that has
// one. Without rows, there is one lane, which is empty.
func (j Job[A, R]) Over(x Rows, args A) ([]R, error) {
	if from := OriginOf(x); from != nil {
		return j.elsewhere(x, from, args)
	}
	n, _ := x.Dims()
	out, errs := make([]R, Count(n)), make([]error, Count(n))
	parallel.For(len(out), func(number int) { out[number], errs[number] = j.run(lane(x, number), args) })
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// elsewhere is Over for rows on other machines.
func (j Job[A, R]) elsewhere(x Rows, from *Origin, args A) ([]R, error) {
	if j.name == "" {
		return nil, fmt.Errorf("rows: this needs all rows on this machine")
	}
	n, _ := x.Dims()
	encoded, err := from.Source.Run(from.Steps, Count(n), j.name, encode(args))
	if err != nil {
		return nil, err
	}
	if len(encoded) != Count(n) {
		return nil, fmt.Errorf("job %s: want results of %d lanes, got %d", j.name, Count(n), len(encoded))
	}
	out := make([]R, len(encoded))
	for i, text := range encoded {
		if out[i], err = decode[R](text); err != nil {
			return nil, fmt.Errorf("job %s, lane %d: %w", j.name, i, err)
		}
	}
	return out, nil
}

// Run runs the job of a name over some lanes of rows, several at a time, and returns their encoded results.
// The rows are here.
func Run(x Rows, job string, args []byte, numbers []int) ([][]byte, error) {
	start := jobs[job]
	if start == nil {
		return nil, fmt.Errorf("job %q is unknown: use the same release everywhere", job)
	}
	run, err := start(args)
	if err != nil {
		return nil, err
	}
	out, errs := make([][]byte, len(numbers)), make([]error, len(numbers))
	parallel.For(len(numbers), func(i int) { out[i], errs[i] = run(lane(x, numbers[i])) })
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

// Each calls f for all lanes of rows in this process, several at a time. It returns the error of the lowest
// lane that has one.
func Each(x Rows, f func(l *Lane) error) error {
	_, err := HereOnly(func(l *Lane) (struct{}, error) { return struct{}{}, f(l) }).Over(x, struct{}{})
	return err
}
