package dataset

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// table streams a CSV file: the header first, then its rows.
type table struct {
	path   string
	header []string
	rows   *csv.Reader
	file   io.Closer
}

// open reads up to the header. Gzip is told by its first bytes.
func open(path string) (*table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	t, err := newTable(path, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	t.file = f
	return t, nil
}

func newTable(path string, r io.Reader) (*table, error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	if magic, _ := buffered.Peek(2); len(magic) == 2 && magic[0] == 0x1f && magic[1] == 0x8b {
		unzipped, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, readError(path, err)
		}
		buffered = bufio.NewReaderSize(unzipped, 1<<16)
	}
	if bom, _ := buffered.Peek(3); string(bom) == "\ufeff" {
		_, _ = buffered.Discard(3) // cannot fail: the bytes are there
	}
	t := &table{path: path, rows: csv.NewReader(buffered)}
	t.rows.ReuseRecord = true
	return t, t.readHeader()
}

func (t *table) readHeader() error {
	record, line, err := t.next()
	if err == io.EOF {
		return &Error{File: t.path, Msg: "the file is empty", Hint: "want a header row of column names, then rows"}
	}
	if err != nil {
		return err
	}
	numbers := 0
	seen := make(map[string]bool, len(record))
	for i, cell := range record {
		name := strings.TrimSpace(cell)
		if name == "" {
			return &Error{File: t.path, Line: line, Msg: fmt.Sprintf("column %d has no name", i+1), Hint: "name it in the header"}
		}
		if seen[name] {
			return &Error{File: t.path, Line: line, Column: name, Msg: "the name stands twice in the header", Hint: "rename one"}
		}
		if _, err := strconv.ParseFloat(name, 64); err == nil {
			numbers++
		}
		seen[name] = true
		t.header = append(t.header, strings.Clone(name))
	}
	if numbers == len(record) {
		return &Error{File: t.path, Line: line, Msg: "want a header row of column names, got numbers only", Hint: "put the names into the first line"}
	}
	return nil
}

// next returns the next row, valid until the call after, with its line; io.EOF
// after the last.
func (t *table) next() ([]string, int, error) {
	record, err := t.rows.Read()
	if err == nil {
		line, _ := t.rows.FieldPos(0)
		return record, line, nil
	}
	if err == io.EOF {
		return nil, 0, io.EOF
	}
	var bad *csv.ParseError
	switch {
	case errors.Is(err, csv.ErrFieldCount):
		line, _ := t.rows.FieldPos(0)
		return nil, 0, &Error{File: t.path, Line: line, Msg: fmt.Sprintf("want %d cells as in the header, got %d", len(t.header), len(record)), Hint: "fix the row"}
	case errors.As(err, &bad):
		return nil, 0, &Error{File: t.path, Line: bad.Line, Msg: fmt.Sprintf("malformed row: %v", bad.Err), Hint: `write a quote inside a cell as ""`}
	}
	return nil, 0, readError(t.path, err)
}

// readError is a fault of the disk or of compressed bytes.
func readError(path string, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return &Error{File: path, Msg: "the compressed file ends too early", Hint: "copy it again"}
	}
	return fileError(path, err)
}

func (t *table) close() { _ = t.file.Close() } // read only: nothing can be lost
