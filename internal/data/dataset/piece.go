package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// Bytes is a range of the bytes of a file.
type Bytes struct {
	First, End int64 // End is the offset after the last one
}

// Head is the number of bytes at the beginning of a file that show how its rows are written. They are read for
// each of its pieces.
const Head = 1 << 20

// A divisible table can be read in pieces.
type divisible interface {
	// within leaves only the rows that begin within some bytes.
	within(Bytes) error
}

// divide leaves the rows of the Spec's piece in a table, which has them all.
func (s *Spec) divide(path string, t table) error {
	if s.Piece == nil || s.Piece.First == 0 && s.Piece.End >= t.info().Size() {
		return nil
	}
	err := errors.New("files of this kind are read as a whole")
	if of, ok := t.(divisible); ok {
		err = of.within(*s.Piece)
	}
	return pieceError(path, err)
}

// ErrPiece is the cause of errors of files that can only be read as a whole.
var ErrPiece = errors.New("the file cannot be read in pieces")

func pieceError(path string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{File: path, Msg: fmt.Sprintf("%v: %v", ErrPiece, err), cause: ErrPiece}
}

// within implements divisible. The range must begin and end where lines do.
func (t *csvFile) within(b Bytes) error {
	rows := t.start + t.rows.InputOffset() // where they begin
	switch {
	case t.zipped:
		return errors.New("it is compressed")
	case t.encoding != "":
		return fmt.Errorf("want text in UTF-8, got %s", t.encoding)
	case t.form.returns:
		return errors.New("its lines end with a carriage return only")
	case rows > Head:
		return fmt.Errorf("want rows that begin within %d bytes, got a longer header", Head)
	}
	t.lines, t.end = 0, b.End
	if b.First < rows {
		above := make([]byte, rows)
		if _, err := t.ReadAt(above, 0); err != nil {
			return err
		}
		t.lines = bytes.Count(above, []byte{'\n'})
	}
	t.start = max(b.First, rows)
	t.readRows(t.bytes(), t.cells())
	return nil
}

// RowGroups returns the bytes of each row group of a Parquet file, in the order of the rows. It needs the first
// bytes and the footer of the file, and no rows.
func RowGroups(path string) ([]Bytes, error) {
	t, err := openParquet(path, nil, CSV{})
	if err != nil {
		return nil, err
	}
	defer t.close()
	groups, err := t.(*parquetFile).groupBytes()
	return groups, pieceError(path, err)
}

func (p *parquetFile) groupBytes() (all []Bytes, err error) {
	for i, g := range p.parquet.Metadata().RowGroups {
		var of Bytes
		for _, c := range g.Columns {
			first := c.MetaData.DataPageOffset
			if d := c.MetaData.DictionaryPageOffset; d > 0 {
				first = min(first, d)
			}
			if of.End == 0 || first < of.First {
				of.First = first
			}
			of.End = max(of.End, first+c.MetaData.TotalCompressedSize)
		}
		if of.First < 0 || of.End < of.First || of.End > p.file.size() || i > 0 && of.First < all[i-1].End {
			return nil, fmt.Errorf("want row groups one after the other in a file of %d bytes, got number %d in bytes %d to %d", p.file.size(), i+1, of.First, of.End)
		}
		all = append(all, of)
	}
	return all, nil
}

// within implements divisible. A row group begins with its first page.
func (p *parquetFile) within(b Bytes) error {
	all, err := p.groupBytes()
	if err != nil {
		return err
	}
	byFirst := func(g Bytes, at int64) int { return int(min(1, max(-1, g.First-at))) }
	first, _ := slices.BinarySearchFunc(all, b.First, byFirst)
	end, _ := slices.BinarySearchFunc(all, b.End, byFirst)
	before := p.starts[first]
	p.groups, p.starts = p.groups[first:end], slices.Clone(p.starts[first:end+1])
	for i := range p.starts {
		p.starts[i] -= before
	}
	return nil
}

var (
	_ divisible = (*csvFile)(nil)
	_ divisible = (*parquetFile)(nil)
)
