package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// ndjsonFile reads JSON objects, one per line. It is both table and rowReader.
type ndjsonFile struct {
	*file
	names []string
	index map[string]int // of names
	late  string         // the first other key, with its line; "" for none
	lines *bufio.Reader
	// offset is that of the next byte; line counts the lines before it.
	offset int64
	line   int
	long   []byte
	// The cells of the present row, by column. filled holds the line that each belongs to.
	cells    []jsonCell
	filled   []int
	features []int
}

var ndjsonFormat = &fileFormat{endings: []string{".ndjson.gz", ".jsonl.gz", ".ndjson", ".jsonl"}, open: openNDJSON}

const (
	// headObjects is the number of objects at the beginning of a file that define its columns.
	headObjects = 100
	// mostLine bounds the bytes per line.
	mostLine = 1 << 24
)

// openNDJSON reads the objects that define the columns.
func openNDJSON(path string, before fs.FileInfo, _ CSV) (table, error) {
	f, err := openFile(path, before)
	if err != nil {
		return nil, err
	}
	t := &ndjsonFile{file: f, index: make(map[string]int)}
	if err = t.readNames(); err == nil {
		err = t.begin()
	}
	if err != nil {
		f.close()
		return nil, err
	}
	return t, nil
}

// begin goes to the first line.
func (t *ndjsonFile) begin() error {
	buffered, err := t.content()
	if err != nil {
		return err
	}
	t.hasten(1) // the first bytes decide, if no others come
	buffered, t.encoding = decoded(buffered)
	t.hasten(0)
	t.lines, t.offset, t.line = buffered, 0, 0
	if bom, _ := buffered.Peek(3); string(bom) == "\ufeff" {
		_, _ = buffered.Discard(3) // cannot fail: the bytes are buffered
		t.offset = 3
	}
	return nil
}

// readNames collects the keys of the first objects, in the order of appearance.
func (t *ndjsonFile) readNames() error {
	if err := t.begin(); err != nil {
		return err
	}
	t.hasten(1)
	defer t.hasten(0)
	objects := 0
	for objects < headObjects {
		line, row, err := t.nextLine()
		if errors.Is(err, io.EOF) || errors.Is(err, errIdle) && objects > 0 {
			break
		}
		if errors.Is(err, errIdle) { // the lines are blank
			continue
		}
		if err == nil {
			err = t.members(line, row, func(key string, _ jsonCell) error {
				if _, known := t.index[key]; !known {
					key = strings.Clone(key) // keeps the key, not the line
					t.index[key] = len(t.names)
					t.names = append(t.names, key)
				}
				return nil
			})
		}
		if err != nil {
			return err
		}
		objects++
	}
	switch {
	case objects == 0:
		return &Error{File: t.path, Msg: "the file has no rows", Hint: "want a JSON object in each line"}
	case len(t.names) == 0:
		return &Error{File: t.path, Msg: fmt.Sprintf("the first %d objects have no keys", objects), Hint: "want the columns as keys"}
	}
	t.cells, t.filled = make([]jsonCell, len(t.names)), make([]int, len(t.names))
	return nil
}

// These methods implement table.
func (t *ndjsonFile) header() []string { return t.names }
func (t *ndjsonFile) format() string   { return "JSON" }
func (t *ndjsonFile) total() int       { return -1 }

func (t *ndjsonFile) read(features, _ []int) (rowReader, error) {
	t.features = features
	return t, nil
}

func (t *ndjsonFile) kinds(rows int) ([]kind, place, error) {
	return kindsOf(t, len(t.names), rows, func(column int) kind { return t.cells[column].kind })
}

// next, text, numbers and seek implement rowReader.
func (t *ndjsonFile) next() (place, error) {
	line, row, err := t.nextLine()
	if err != nil {
		return row, err
	}
	for i := range t.cells {
		t.cells[i] = jsonCell{kind: kindEmpty}
	}
	return row, t.members(line, row, func(key string, c jsonCell) error {
		i, known := t.index[key]
		if !known {
			if t.late == "" {
				t.late = fmt.Sprintf("%s:%d: the key %q is left out, because none of the first %d objects has it; write it there too, as null, to use it", t.path, row.line, key, headObjects)
			}
			return nil
		}
		if t.filled[i] == row.line {
			return &Error{File: t.path, Line: row.line, Column: key, Msg: "the key stands twice", Hint: "rename one"}
		}
		t.cells[i], t.filled[i] = c, row.line
		return nil
	})
}

// nextLine returns the next line that is not blank. It is valid until the next call.
func (t *ndjsonFile) nextLine() (line []byte, row place, err error) {
	for {
		row = place{line: t.line + 1, offset: t.offset}
		t.long = t.long[:0]
		for {
			line, err = t.lines.ReadSlice('\n')
			t.offset += int64(len(line))
			if err == nil && len(t.long) == 0 {
				break
			}
			t.long = append(t.long, line...)
			line = t.long
			if len(line) > mostLine {
				return nil, row, &Error{File: t.path, Line: row.line, Msg: fmt.Sprintf("the line is longer than %d bytes", mostLine), Hint: "want a flat JSON object in each line"}
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				break
			}
		}
		if err != nil && !(errors.Is(err, io.EOF) && len(line) > 0) {
			if !errors.Is(err, io.EOF) && !errors.Is(err, errIdle) {
				err = readError(t.path, t.zipped, err)
			}
			return nil, row, err
		}
		t.line++
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, row, nil
		}
	}
}

// lateKey returns what is to be said of keys that are no columns, "" if nothing is.
func lateKey(rows rowReader) string {
	switch r := rows.(type) {
	case *ndjsonFile:
		return r.late
	case *convertedRows:
		return lateKey(r.rowReader)
	}
	return ""
}

func (t *ndjsonFile) text(column int) string { return t.cells[column].text }

func (t *ndjsonFile) numbers(dst []float64) (sound bool, err error) {
	for j, i := range t.features {
		v, ok := parse(t.cells[i].text)
		if !ok || !bounded(v) {
			return false, nil
		}
		dst[j] = v
	}
	return true, nil
}

func (t *ndjsonFile) seek(to place) error {
	t.lines.Reset(t.from(to.offset))
	t.offset, t.line = to.offset, to.line-1
	clear(t.filled) // lines come again
	return nil
}
