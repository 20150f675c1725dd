package dataset

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

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
// blocks before it, and the end of a source's context after all rows before it. Rows of a source that can be read only once are passed on before the scan waits
// for more. Scan uses these fields of the Spec: Data, Where, Missing, Scored, Ignore, Columns,
// Carry, Window, Time, Series and Skip.
//
// If there are several files, the first carried column, [FileColumn], holds their names.
func Scan(spec Spec, begin func(carried []string) error, f func(Block) error) (Gaps, error) {
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
	b := &scan{spec: &spec, width: len(sch.features), named: len(files) > 1, skip: spec.Skip, f: f}
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
	var shares []*share
	for _, path := range files {
		sh, err := b.file(sch, path)
		if b.err != nil {
			return gaps, b.err
		}
		if errors.Is(err, context.Canceled) { // the series can go on after the rows so far
			if err := b.flush(); err != nil {
				return gaps, err
			}
			b.keep()
		}
		if err != nil {
			return gaps, err
		}
		shares = append(shares, sh)
		gaps.add(&sh.gaps)
	}
	if err := b.flush(); err != nil {
		return gaps, err
	}
	b.keep()
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
	f       func(Block) error
	roll    *rows.Roll // nil without windows
	course  course
	row     []float64 // scratch
	read    int       // rows of the series so far, or of all files
	skip    int       // rows to pass over
	values  []float64
	numbers []int
	carried [][]string
	empty   []bool
	// err is an error of f while the scan waited for rows.
	err error
}

func (b *scan) file(sch schema, path string) (*share, error) {
	first, kept := b.read, 0
	if b.spec.Series == nil {
		b.course = course{}
	} else if b.course.next > 0 {
		b.course.next = 1 // files of a series continue each other
	}
	if from, ok := b.spec.once[path]; ok {
		from.from.idle = func() { b.err = errors.Join(b.err, b.flush()) }
	}
	sh, err := b.spec.scan(sch, path, path, nil, func(sc *scanner) error {
		if b.skip > 0 {
			b.skip--
			return b.err
		}
		b.read++
		if train, _ := sc.role(); !train {
			return b.err
		}
		if dropped, err := sc.numbers(); dropped || err != nil {
			return errors.Join(b.err, err)
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
	if len(b.numbers) < rows.PerBlock && b.err == nil {
		return nil
	}
	return errors.Join(b.err, b.flush())
}

func (b *scan) flush() error {
	if len(b.numbers) == 0 {
		return nil
	}
	b.keep() // f may write it down before it passes the rows on
	err := b.f(Block{mat.NewDense(len(b.numbers), b.width, b.values), b.numbers, b.carried, b.empty})
	b.values, b.numbers, b.carried, b.empty = b.values[:0], b.numbers[:0], b.carried[:0], b.empty[:0]
	return err
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
