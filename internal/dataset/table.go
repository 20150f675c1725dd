package dataset

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"
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
	plain, err := unpacked(path, r)
	if err != nil {
		return nil, err
	}
	t := &table{path: path, rows: csv.NewReader(plain)}
	t.rows.ReuseRecord = true
	return t, t.readHeader()
}

// unpacked returns the text of a file that may be compressed and marked as UTF-8.
func unpacked(path string, r io.Reader) (io.Reader, error) {
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
	return buffered, nil
}

func (t *table) readHeader() error {
	record, line, err := t.next()
	if err == io.EOF {
		return &Error{File: t.path, Msg: "the file is empty", Hint: "want a header row of column names, then rows"}
	}
	if err != nil {
		return err
	}
	if err := t.checkHeader(record, line); err != nil {
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
		if isNumber(name) {
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

const saveUTF8 = "save the file as UTF-8"

// checkHeader refuses a file that is saved in another way than expected.
func (t *table) checkHeader(record []string, line int) error {
	if slices.ContainsFunc(record, func(name string) bool { return !utf8.ValidString(name) }) {
		return &Error{File: t.path, Line: line, Msg: "the header is not valid UTF-8", Hint: saveUTF8}
	}
	got := ""
	switch {
	case len(record) > 1:
		return nil
	case strings.Contains(record[0], ";"):
		got = "semicolons"
	case strings.Contains(record[0], "\t"):
		got = "tabs"
	default:
		return nil
	}
	return &Error{File: t.path, Line: line, Msg: "want values separated by commas, got " + got, Hint: "save the file with commas between values, and points in numbers"}
}

// next returns the next row, valid until the call after, with its line; io.EOF
// after the last.
func (t *table) next() ([]string, int, error) {
	record, err := t.read()
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

// read passes over lines of blanks, as the reader does over empty ones. A
// quoted cell "" is none.
func (t *table) read() ([]string, error) {
	for {
		record, err := t.rows.Read()
		sound := err == nil || errors.Is(err, csv.ErrFieldCount)
		if !sound || len(record) != 1 || record[0] == "" || strings.TrimSpace(record[0]) != "" {
			return record, err
		}
		if t.header == nil {
			t.rows.FieldsPerRecord = 0 // not 1, as of this line
		}
	}
}

// readError is a fault of the disk or of compressed bytes.
func readError(path string, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return &Error{File: path, Msg: "the compressed file ends too early", Hint: "copy it again"}
	}
	return fileError(path, err)
}

func (t *table) close() { _ = t.file.Close() } // read only: nothing can be lost
