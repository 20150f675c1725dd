package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"gocloud.dev/blob"

	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// A part is the values of the rows of a split: rows of float64, little-endian.
type part struct {
	Rows   int
	Digest []byte // of the values
	Begins bool   // whether it is the first of its object
}

// An index has what workers know of the rows.
type index struct {
	Folder  address // with an object for each part
	Columns []string
	Parts   []part // in the order of their rows
}

func partName(number int) string { return fmt.Sprintf("rows-%06d", number) }

// partRows are the rows of all parts. Several goroutines may read them.
type partRows struct {
	ctx context.Context
	index
	starts []int // number of the first row of each part, and of all rows

	mu   sync.Mutex
	open []*stream // those that others may continue
}

// A stream reads a part to its end.
type stream struct {
	next int // number of its next row
	part int
	from io.ReadCloser
}

const mostStreams = 64

func newPartRows(ctx context.Context, of index) *partRows {
	p := &partRows{ctx: ctx, index: of, starts: []int{0}}
	for i, part := range of.Parts {
		p.starts = append(p.starts, p.starts[i]+part.Rows)
	}
	return p
}

// Dims returns the number of rows and of columns.
func (p *partRows) Dims() (n, m int) { return p.starts[len(p.Parts)], len(p.Columns) }

// ReadRows fills x with rows, beginning at row from.
func (p *partRows) ReadRows(x []float64, from int) error {
	dim := len(p.Columns)
	for len(x) > 0 {
		number, _ := slices.BinarySearch(p.starts, from+1)
		number-- // the part of row from
		n := min(len(x)/dim, p.starts[number+1]-from)
		if err := p.readPart(x[:n*dim], number, from); err != nil {
			return err
		}
		x, from = x[n*dim:], from+n
	}
	return nil
}

// readPart reads rows of one part.
func (p *partRows) readPart(x []float64, number, from int) error {
	s, err := p.take(number, from)
	if err != nil {
		return err
	}
	text := make([]byte, 8*len(x))
	if _, err := io.ReadFull(s.from, text); err != nil {
		_ = s.from.Close()
		return explain(p.Folder.in(partName(number)), err)
	}
	for i := range x {
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(text[8*i:]))
	}
	s.next = from + len(x)/len(p.Columns)
	p.put(s)
	return nil
}

// take returns a stream that is at a row, or begins one there.
func (p *partRows) take(number, from int) (*stream, error) {
	p.mu.Lock()
	at := slices.IndexFunc(p.open, func(s *stream) bool { return s.next == from && s.part == number })
	if at >= 0 {
		s := p.open[at]
		p.open = slices.Delete(p.open, at, at+1)
		p.mu.Unlock()
		return s, nil
	}
	p.mu.Unlock()
	of := p.Folder.in(partName(number))
	size := int64(8 * len(p.Columns))
	var r *blob.Reader
	err := try(p.ctx, of, func(b *blob.Bucket) (err error) {
		r, err = b.NewRangeReader(p.ctx, of.Key, int64(from-p.starts[number])*size, -1, nil)
		return err
	})
	if err != nil {
		return nil, err
	}
	if want := int64(p.Parts[number].Rows) * size; r.Size() != want {
		_ = r.Close()
		return nil, fmt.Errorf("%s has changed: want %d bytes, got %d", of, want, r.Size())
	}
	return &stream{part: number, from: r}, nil
}

func (p *partRows) put(s *stream) {
	if s.next == p.starts[s.part+1] {
		_ = s.from.Close()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.open) == mostStreams {
		_ = p.open[0].from.Close()
		p.open = slices.Delete(p.open, 0, 1)
	}
	p.open = append(p.open, s)
}

func (p *partRows) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.open {
		_ = s.from.Close()
	}
	p.open = nil
}

var _ lanes.Rows = (*partRows)(nil)
