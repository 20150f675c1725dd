package dataset

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"slices"
	"sync"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/rows"
)

// A part is one file's share of a stream.
type part struct {
	path     string
	info     fs.FileInfo
	seekable bool
	layout   layout
	n        int
	// marks holds the place of every [blockRows]-th of the n rows, beginning with the first.
	marks []place
	// spool has the values of a file that is slow to read again, nil for others. kept holds the
	// places there of the same rows.
	spool *spool
	kept  []int64
}

// copied reports whether all rows are in the spool.
func (p *part) copied() bool { return p.spool != nil && p.spool.err == nil }

// copy fills x with rows from the spool.
func (p *part) copy(x []float64, width, from int) error {
	for len(x) > 0 {
		block, row := from/blockRows, from%blockRows
		n := min(len(x)/width, blockRows-row)
		if err := p.spool.read(x[:n*width], p.kept[block]+int64(8*row*width)); err != nil {
			return err
		}
		x, from = x[n*width:], from+n
	}
	return nil
}

// A stream is rows that stay in their files, or in a spool: it holds their places, and as many open
// files as there were concurrent readers.
type stream struct {
	spec  *Spec
	width int
	test  bool // test rows, not training rows
	parts []part
	// starts holds the first row of each part, followed by the number of rows.
	starts []int

	mu sync.Mutex
	// idle cursors, least recently used first
	idle []*cursor
}

// newStream returns the first n rows of the parts.
func newStream(spec *Spec, width int, test bool, parts []part, n int) *stream {
	s := &stream{spec: spec, width: width, test: test, parts: parts}
	first := 0
	for _, p := range parts {
		s.starts = append(s.starts, min(first, n))
		first += p.n
	}
	s.starts = append(s.starts, min(first, n))
	return s
}

// Streams reports whether the rows, or those that they are made of, stay outside of memory.
func Streams(r collabdict.Rows) bool {
	_, ok := rows.Source(r).(*stream)
	return ok
}

func (s *stream) Dims() (n, m int) { return s.starts[len(s.parts)], s.width }

// ReadRows fills x with rows, beginning at row from.
func (s *stream) ReadRows(x []float64, from int) error {
	if len(x)%s.width != 0 || from < 0 || from+len(x)/s.width > s.starts[len(s.parts)] {
		panic("dataset: want whole rows that are there")
	}
	for len(x) > 0 {
		next, _ := slices.BinarySearch(s.starts, from+1) // the part after that of row from
		p, n := &s.parts[next-1], min(len(x)/s.width, s.starts[next]-from)
		var err error
		if p.copied() {
			err = p.copy(x[:n*s.width], s.width, from-s.starts[next-1])
		} else {
			err = s.readFile(x[:n*s.width], next-1, from)
		}
		if err != nil {
			return err
		}
		x, from = x[n*s.width:], from+n
	}
	return nil
}

// readFile reads rows of a part from its file by the idle cursor at row from, or else by the one that
// has been idle longest.
func (s *stream) readFile(x []float64, part, from int) error {
	c := s.take(from)
	if err := c.read(x, part, from); err != nil {
		c.close()
		return err
	}
	s.mu.Lock()
	s.idle = append(s.idle, c)
	s.mu.Unlock()
	return nil
}

func (s *stream) take(from int) *cursor {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.idle) == 0 {
		return &cursor{stream: s, part: -1}
	}
	place := max(0, slices.IndexFunc(s.idle, func(c *cursor) bool { return c.next == from }))
	c := s.idle[place]
	s.idle = slices.Delete(s.idle, place, place+1)
	return c
}

// A cursor reads rows of a stream.
type cursor struct {
	stream *stream
	part   int // -1 for none
	table  table
	rows   rowReader
	next   int // next row, -1 if the position is not in the stream
}

// read fills x with rows of a part, beginning at row from.
func (c *cursor) read(x []float64, part, from int) error {
	if part != c.part {
		if err := c.open(part); err != nil {
			return err
		}
	}
	if err := c.seek(from); err != nil {
		return err
	}
	sound, err := c.take(x)
	if err == nil && !sound {
		err = c.changed()
	}
	return err
}

// take fills x with the next rows of the part.
func (c *cursor) take(x []float64) (sound bool, err error) {
	s, lay := c.stream, &c.stream.parts[c.part].layout
	if rows, ok := c.rows.(*numberedRows); ok && lay.where < 0 && lay.testWhere < 0 && !s.spec.tolerates() {
		c.next += len(x) / s.width
		return rows.fill(x)
	}
	for ; len(x) > 0; x = x[s.width:] {
		if sound, err := c.advance(x[:s.width]); err != nil || !sound {
			return false, err
		}
	}
	return true, nil
}

// seek moves to the mark before the row, and reads on to the row.
func (c *cursor) seek(row int) error {
	if row == c.next {
		return nil
	}
	s := c.stream
	block := (row - s.starts[c.part]) / blockRows
	if err := c.rows.seek(s.parts[c.part].marks[block]); err != nil {
		return err
	}
	c.next = s.starts[c.part] + block*blockRows
	var dst []float64
	if s.spec.tolerates() { // missing cells decide which rows belong to the stream
		dst = make([]float64, s.width)
	}
	for c.next < row {
		if sound, err := c.advance(dst); err != nil {
			return err
		} else if !sound {
			return c.changed()
		}
	}
	return nil
}

// advance moves to the next row of the stream, and reads it unless dst is nil.
func (c *cursor) advance(dst []float64) (sound bool, err error) {
	s := c.stream
	for {
		if _, err := c.rows.next(); err != nil {
			if errors.Is(err, io.EOF) {
				return false, c.changed()
			}
			return false, err
		}
		if train, test := s.spec.role(&s.parts[c.part].layout, c.rows); test != s.test || !train && !test {
			continue
		}
		keep := true
		if sound = true; dst != nil {
			keep, sound, err = c.cells(dst)
		}
		if err != nil || !sound {
			return false, err
		}
		if keep {
			c.next++
			return true, nil
		}
	}
}

// cells reads the features of the present row, which were read before. keep is false if the row
// is left out; sound is false if the row has changed.
func (c *cursor) cells(dst []float64) (keep, sound bool, err error) {
	s := c.stream.spec
	if sound, err = c.rows.numbers(dst); sound || err != nil {
		return true, sound, err
	}
	missing := 0
	for j, i := range c.stream.parts[c.part].layout.features {
		cell := c.rows.text(i)
		if v, ok := extreme(cell); ok && s.Scored {
			dst[j] = v
			continue
		}
		if absent, _ := s.absent(cell); absent {
			dst[j] = math.NaN()
			missing++
			continue
		}
		v, msg := usable(cell)
		if msg != "" {
			return false, false, nil
		}
		dst[j] = v
	}
	return !s.drops(missing, len(dst)), true, nil
}

func (c *cursor) open(i int) error {
	c.close()
	p := &c.stream.parts[i]
	t, err := c.stream.spec.open(p.path, p.info)
	if err != nil {
		return err
	}
	c.table, c.part, c.next = t, i, -1
	c.rows, err = t.read(p.layout.features, p.layout.others())
	return err
}

func (c *cursor) close() {
	if c.table != nil {
		c.table.close()
		c.table = nil
	}
	c.part, c.next = -1, -1
}

// changed returns the error for a file with other rows than at first, although its size and
// time are the same.
func (c *cursor) changed() error { return changedError(c.stream.parts[c.part].path) }

// close closes the idle files. Rows can still be read again.
func (s *stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.idle {
		c.close()
	}
	s.idle = nil
}
