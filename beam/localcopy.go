package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"gocloud.dev/blob"

	"github.com/collabdict/collabdict/internal/data/dataset"
)

// A localCopy is a file of the size of an object that has the bytes that the reader needs of a split, at their
// places. Elsewhere it has holes, which take no disk.
type localCopy struct {
	ctx context.Context
	split
	file *os.File
}

// fill copies the bytes, and returns those that the split's rows begin in.
func (c *localCopy) fill() (rows dataset.Bytes, err error) {
	if err := c.file.Truncate(c.Size); err != nil {
		return rows, err
	}
	switch {
	case c.whole():
		return c.Bytes, c.fetch(0, c.Size)
	case inGroups(c.Object.Key):
		return c.groups()
	}
	return c.lines()
}

// fetch copies bytes of the object.
func (c *localCopy) fetch(first, end int64) error {
	if first >= end {
		return nil
	}
	return try(c.ctx, c.Object, func(b *blob.Bucket) error {
		r, err := b.NewRangeReader(c.ctx, c.Object.Key, first, end-first, nil)
		if err != nil {
			return err
		}
		defer r.Close()
		_, err = io.Copy(io.NewOffsetWriter(c.file, first), r)
		return err
	})
}

// groups copies the row groups that begin in the split, and the footer.
func (c *localCopy) groups() (rows dataset.Bytes, err error) {
	const mark = 8 // the length of the footer and the magic bytes
	first := min(4, c.Size)
	if err := errors.Join(c.fetch(0, first), c.fetch(max(first, c.Size-mark), c.Size)); err != nil {
		return rows, err
	}
	var last [mark]byte
	if _, err := c.file.ReadAt(last[:], max(0, c.Size-mark)); err != nil && !errors.Is(err, io.EOF) {
		return rows, err
	}
	footer := c.Size - mark - int64(binary.LittleEndian.Uint32(last[:]))
	if err := c.fetch(max(first, footer), c.Size-mark); err != nil {
		return rows, err
	}
	all, err := dataset.RowGroups(c.file.Name()) // reports a footer that is damaged
	if err != nil || len(all) == 0 {
		return rows, err
	}
	for _, g := range all {
		if g.First < c.First || g.First >= c.End {
			continue
		}
		if rows.End == 0 {
			rows.First = g.First
		}
		rows.End = g.End
	}
	if rows.End == 0 {
		return rows, nil
	}
	// The reader also uses the indexes of pages, which are before the footer.
	return rows, errors.Join(c.fetch(rows.First, rows.End), c.fetch(all[len(all)-1].End, footer))
}

// lines copies the lines that begin in the split, and the head of the object.
func (c *localCopy) lines() (rows dataset.Bytes, err error) {
	if err := errors.Join(c.fetch(0, min(dataset.Head, c.Size)), c.fetch(max(0, c.First-1), c.End)); err != nil {
		return rows, err
	}
	fetched := c.End
	if rows.First, err = c.lineAt(c.First, &fetched); err != nil {
		return rows, err
	}
	if rows.End, err = c.lineAt(c.End, &fetched); err != nil {
		return rows, err
	}
	return rows, c.checkQuotes(rows)
}

// lineAt returns the offset of the first line that begins at or after a byte. It fetches what it needs after the
// bytes that are there.
func (c *localCopy) lineAt(at int64, fetched *int64) (int64, error) {
	if at == 0 {
		return 0, nil
	}
	buffer := make([]byte, 1<<16)
	for at--; at < c.Size; { // a line follows the end of another
		if at >= *fetched {
			more := min(c.Size, at+int64(len(buffer)))
			if err := c.fetch(*fetched, more); err != nil {
				return 0, err
			}
			*fetched = more
		}
		n, err := c.file.ReadAt(buffer[:min(int64(len(buffer)), *fetched-at)], at)
		if err != nil {
			return 0, err
		}
		if i := bytes.IndexByte(buffer[:n], '\n'); i >= 0 {
			return at + int64(i) + 1, nil
		}
		at += int64(n)
	}
	return c.Size, nil
}

// checkQuotes returns an error if a cell goes on in the next line, which may then be in another split.
func (c *localCopy) checkQuotes(rows dataset.Bytes) error {
	lines := bufio.NewReaderSize(io.NewSectionReader(c.file, rows.First, rows.End-rows.First), 1<<16)
	for at := rows.First; at < rows.End; {
		line, err := lines.ReadSlice('\n')
		quotes, length := bytes.Count(line, []byte{'"'}), len(line)
		for errors.Is(err, bufio.ErrBufferFull) {
			line, err = lines.ReadSlice('\n')
			quotes, length = quotes+bytes.Count(line, []byte{'"'}), length+len(line)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if quotes%2 == 1 {
			return fmt.Errorf("%w: in the line at byte %d, a cell goes on in the next line", dataset.ErrPiece, at)
		}
		at += int64(length)
	}
	return nil
}
