package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/rows"
)

// A Block is rows that [Scan] has read.
type Block struct {
	X       *mat.Dense
	Numbers []int      // numbers of the rows among all rows of the files, or of the series, from 1
	Carried [][]string // per row, the cells of the carried columns
	Empty   []bool     // per row, whether none of its cells is a number
}

// Scan reads all files once, in order. It calls begin with the names of the carried columns, before
// the first block if there are rows, and f with the rows that meet Where, in blocks. A block is
// valid until f returns; an error of f ends the scan. A fault in a file is returned after the
// blocks before it, and the end of a source's context after all rows before it. Rows of a source that can be
// read only once are passed on before the scan waits for more. Scan uses these fields of the Spec: Data, Where,
// Missing, Scored, Ignore, Columns, Carry, Window, Time, Series, Skip and Tell.
//
// If there are several files, the first carried column, [FileColumn], holds their names.
func Scan(spec Spec, begin func(carried []string) error, f func(Block) error) (Gaps, error) {
	return ScanAhead(spec, begin, func(b Block) (func() error, error) {
		return func() error { return f(b) }, nil
	})
}

// ScanAhead is Scan in two stages: prepare has each block, and returns what is done with it next. While that is done
// for a block of many rows, on another goroutine, the rows after it are read and prepared. A block is valid until it
// is done.
//
// The second stage and Tell are one at a time, in the order of the rows, and the Spec's series is then that of the
// rows so far. The last call of each happens before ScanAhead returns.
func ScanAhead(spec Spec, begin func(carried []string) error, prepare func(Block) (next func() error, err error)) (Gaps, error) {
	var gaps Gaps
	files, err := Resolve(spec.Data)
	if err != nil {
		return gaps, err
	}
	gaps.Aside = Aside(spec.Data)
	spec.Ignore, spec.scanned = trimmed(spec.Ignore), true
	sch, err := spec.settle(files[0])
	if err != nil {
		return gaps, err
	}
	b := &scan{spec: &spec, width: len(sch.features), named: len(files) > 1, skip: spec.Skip, prepare: prepare, ended: make(chan struct{})}
	if spec.Series != nil {
		b.read = spec.Series.Rows
	}
	before := b.read
	if spec.Window > 0 {
		b.roll = rows.NewRoll(spec.Window, b.width, spec.full())
		b.width = len(rows.WindowColumns(sch.features, spec.Window))
		b.resume()
	}
	carried := sch.carried
	if b.named {
		carried = append([]string{FileColumn}, carried...)
	}
	if err := begin(carried); err != nil {
		return gaps, err
	}
	if tell := spec.Tell; tell != nil {
		spec.Tell = func(line string) {
			if b.wait() == nil {
				tell(line)
			}
		}
	}
	defer b.work.Wait() // also after a panic
	var shares []*share
	for _, path := range files {
		sh, err := b.file(sch, path)
		if err != nil {
			if before := b.wait(); before != nil {
				return gaps, before
			}
			if errors.Is(err, context.Canceled) { // the series can go on after the rows so far
				err = cmp.Or(b.end(), err)
			}
			return gaps, err
		}
		shares = append(shares, sh)
		gaps.Add(&sh.gaps)
	}
	if err := b.end(); err != nil {
		return gaps, err
	}
	if spec.Scored && b.read == before {
		return gaps, nil
	}
	return gaps, spec.check(shares, files[0])
}

// FileColumn is the carried column with the names of files.
const FileColumn = "file"

// A scan gathers rows into blocks.
type scan struct {
	spec    *Spec
	width   int
	named   bool // a row carries the name of its file
	prepare func(Block) (func() error, error)
	roll    *rows.Roll // nil without windows
	course  course
	row     []float64 // scratch
	read    int       // rows of the series so far, or of all files
	skip    int       // rows to pass over
	gathered
	passed gathered // the block before
	work   sync.WaitGroup
	// ended is closed once a block has failed; err and panicked say how.
	ended    chan struct{}
	err      error
	panicked any
}

// gathered are the rows of a block.
type gathered struct {
	values  []float64
	numbers []int
	carried [][]string
	empty   []bool
}

// leastAhead is the number of rows of a block that is passed to another goroutine: fewer take less time than that.
const leastAhead = 256

// errEnded reports that a block has failed while the scan waited for rows.
var errEnded = errors.New("dataset: the scan has ended")

func (b *scan) file(sch schema, path string) (*share, error) {
	first, kept := b.read, 0
	if b.spec.Series == nil {
		b.course = course{}
	} else if b.course.next > 0 {
		b.course.next = 1 // files of a series continue each other
	}
	if from, ok := b.spec.once[path]; ok {
		from.from.ended, from.from.idle = b.ended, func() { b.fail(b.flush()) }
	}
	sh, err := b.spec.scan(sch, path, path, nil, func(sc *scanner) error {
		select {
		case <-b.ended:
			return errEnded
		default:
		}
		if b.skip > 0 {
			b.skip--
			return nil
		}
		b.read++
		if train, _ := sc.role(); !train {
			return nil
		}
		if dropped, err := sc.numbers(); dropped || err != nil {
			return err
		}
		kept++
		sc.out.gaps.Empty += one(sc.empty)
		carried := b.cells(sc)
		if b.roll == nil {
			return b.add(sc.row, carried, sc.empty)
		}
		begins, err := sc.begins(&b.course, b.read-first)
		if err != nil {
			return err
		}
		if begins {
			b.roll.Restart()
		}
		b.row = b.roll.Add(b.row, sc.row)
		return b.add(b.row, carried, sc.empty)
	})
	if err == nil {
		sh.groups[path] = &group{train: rowSet{n: kept}} // counted by check
	}
	return sh, err
}

// cells returns the carried cells of the present row.
func (b *scan) cells(sc *scanner) []string {
	var cells []string
	if b.named {
		cells = append(cells, sc.path)
	}
	for _, i := range sc.layout.carried {
		cell := ""
		if i >= 0 {
			cell = strings.Clone(sc.rows.text(i)) // cells of a record share one string
		}
		cells = append(cells, cell)
	}
	return cells
}

func (b *scan) add(row []float64, carried []string, empty bool) error {
	b.values, b.numbers, b.carried, b.empty = append(b.values, row...), append(b.numbers, b.read), append(b.carried, carried), append(b.empty, empty)
	if len(b.numbers) < rows.PerBlock {
		return nil
	}
	return b.flush()
}

// flush passes the gathered rows on, once the block before is done.
func (b *scan) flush() error {
	if len(b.numbers) == 0 {
		return nil
	}
	next, err := b.prepare(Block{mat.NewDense(len(b.numbers), b.width, b.values), b.numbers, b.carried, b.empty})
	if err := b.wait(); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	b.keep() // next may write it down before it passes the rows on
	if len(b.numbers) < leastAhead {
		err = next()
	} else {
		b.work.Go(func() {
			defer func() {
				if p := recover(); p != nil { // a server survives those of its requests
					b.panicked = fmt.Sprintf("%v\n%s", p, debug.Stack())
					close(b.ended)
				}
			}()
			b.fail(next())
		})
	}
	g := &b.passed
	b.gathered, b.passed = gathered{g.values[:0], g.numbers[:0], g.carried[:0], g.empty[:0]}, b.gathered
	return err
}

// wait waits until the block before is done, and returns the error of one that has failed.
func (b *scan) wait() error {
	b.work.Wait()
	if b.panicked != nil {
		panic(b.panicked)
	}
	return b.err
}

// fail ends the scan, unless err is nil or a block has failed before.
func (b *scan) fail(err error) {
	if err != nil && b.err == nil {
		b.err = err
		close(b.ended)
	}
}

// end passes on the last rows. The series may have others after them.
func (b *scan) end() error {
	if err := b.flush(); err != nil {
		return err
	}
	if err := b.wait(); err != nil {
		return err
	}
	b.keep()
	return nil
}

// A Series is what a scan needs of the rows before those that it reads: files that follow each other are then
// scored as one.
type Series struct {
	Rows   int       `json:"rows"`             // rows so far
	Recent []Cells   `json:"recent,omitempty"` // last rows of the window that goes on
	Time   float64   `json:"time"`             // that of the last row
	Steps  []float64 `json:"steps,omitempty"`  // last steps of time
}

// Cells is a row in JSON, with null for a missing cell.
type Cells []*float64

// resume continues the windows of the Spec's series, if there is one.
func (b *scan) resume() {
	s := b.spec.Series
	if s == nil || len(s.Recent) == 0 {
		return
	}
	for _, cells := range s.Recent {
		row := make([]float64, len(cells))
		for j, c := range cells {
			if row[j] = math.NaN(); c != nil {
				row[j] = *c
			}
		}
		b.row = b.roll.Add(b.row, row)
	}
	b.course.next, b.course.time = 1, s.Time
	for _, step := range s.Steps {
		b.course.add(step)
	}
}

// keep writes what the next rows need into the Spec's series, if there is one.
func (b *scan) keep() {
	s := b.spec.Series
	if s == nil {
		return
	}
	if s.Rows = b.read; b.roll == nil {
		return
	}
	s.Recent, s.Time, s.Steps = nil, b.course.time, slices.Clone(b.course.steps)
	for row := range b.roll.Recent() {
		cells := make(Cells, len(row))
		for j, v := range row {
			if !math.IsNaN(v) {
				cells[j] = &v
			}
		}
		s.Recent = append(s.Recent, cells)
	}
}
