package dataset

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// csvFile streams a CSV file, first the header and then the rows, as both table and rowReader.
type csvFile struct {
	*file
	names []string
	rows  *csv.Reader
	// start is the offset of the first row, and lines is the number of lines before it.
	start int64
	lines int
	// sought is the line of the row after a seek, until it is read: blank lines may precede it.
	sought int
	// end is the offset after the rows, 0 for that of the file.
	end  int64
	form dialect
	// units holds the cells of the row of units, in line unitsLine; nil if there is none.
	units     []string
	unitsLine int
	features  []int
	record    []string // the present row
}

var csvFormat = &fileFormat{
	endings: []string{".csv.gz", ".csv", ".tsv.gz", ".tsv", ".tab"},
	others:  []string{".txt.gz", ".txt", ".dat.gz", ".dat", ".data", ".log", ".asc"},
	open: func(path string, before fs.FileInfo, set CSV) (table, error) {
		t, err := openCSV(path, before, &set)
		if err != nil {
			return nil, err // avoids an interface that holds nil
		}
		return t, nil
	},
}

// openCSV reads a file up to its header. set says how the file is written; nil means plain CSV.
// Gzip is recognised by its first bytes.
func openCSV(path string, before fs.FileInfo, set *CSV) (*csvFile, error) {
	f, err := openFile(path, before)
	if err != nil {
		return nil, err
	}
	t := &csvFile{file: f}
	if err := t.begin(set); err != nil {
		f.close()
		return nil, err
	}
	if err := t.readHeader(); err != nil {
		f.close()
		return nil, err
	}
	return t, nil
}

// begin reads up to the header. set says how the file is written; nil means commas and no
// header.
func (t *csvFile) begin(set *CSV) error {
	buffered, err := t.content()
	if err != nil {
		return err
	}
	form := dialect{delimiter: ',', decimal: '.'}
	if set != nil {
		t.hasten(2) // the header and a row decide, if no others come
		defer t.hasten(0)
		buffered, t.encoding = decoded(buffered)
		if form, err = t.recognise(buffered, *set); err != nil {
			return err
		}
		form.open = form.open && isOnce(t.path) // a file shows more of its rows, and is read in pieces
	} else if bom, _ := buffered.Peek(3); string(bom) == "\ufeff" {
		form.start = len(bom)
	}
	_, _ = buffered.Discard(form.start) // cannot fail: the bytes are buffered
	t.form, t.start, t.lines = form, int64(form.start), form.lines
	t.readRows(buffered, -1)
	return nil
}

// readRows starts reading rows with the given number of cells, any number if it is negative.
func (t *csvFile) readRows(from io.Reader, cells int) {
	if t.form.returns {
		from = returns{from}
	}
	t.rows = csv.NewReader(from)
	t.rows.Comma, t.rows.Comment, t.rows.ReuseRecord, t.rows.FieldsPerRecord = t.form.delimiter, t.form.comment, true, cells
}

// returns turns carriage returns into line ends.
type returns struct{ io.Reader }

func (r returns) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	for i, c := range p[:n] {
		if c == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

// These methods implement table.
func (t *csvFile) header() []string { return t.names }
func (t *csvFile) format() string   { return "CSV" }
func (t *csvFile) total() int       { return -1 }

func (t *csvFile) kinds(rows int) ([]kind, place, error) {
	return kindsOf(t, len(t.names), rows, func(column int) kind { return kindOfCell(t.text(column)) })
}

func (t *csvFile) read(features, _ []int) (rowReader, error) {
	t.features = features
	return t, nil
}

// next, text, numbers and seek implement rowReader.
func (t *csvFile) next() (place, error) {
	row := place{line: t.lines + 1, offset: t.start + t.rows.InputOffset()}
	record, err := t.nextRecord()
	if errors.Is(err, io.EOF) { // the last record stays
		return row, io.EOF
	}
	t.record = record
	bad, malformed := errors.AsType[*csv.ParseError](err)
	switch {
	case err == nil, errors.Is(err, csv.ErrFieldCount):
		line, _ := t.rows.FieldPos(0)
		if t.sought > 0 {
			t.lines, t.sought = t.sought-line, 0
		}
		row.line = t.lines + line
		if err != nil {
			err = &Error{File: t.path, Line: row.line, Msg: fmt.Sprintf("want %d cells as in the header, got %d", len(t.names), len(t.record)), Hint: t.ragged()}
		}
	case malformed:
		err = &Error{File: t.path, Line: t.lines + bad.StartLine, Msg: fmt.Sprintf("malformed row: %v", bad.Err), Hint: `write a quote inside a cell as ""`}
	default:
		err = readError(t.path, t.zipped, err)
	}
	return row, err
}

// nextRecord skips lines of blanks, as the reader skips empty ones. A line with a quoted ""
// counts as a row.
func (t *csvFile) nextRecord() ([]string, error) {
	for {
		record, err := t.rows.Read()
		if err != nil && !errors.Is(err, csv.ErrFieldCount) {
			return nil, err
		}
		if len(record) == 1 && record[0] != "" && strings.TrimSpace(record[0]) == "" {
			continue
		}
		if !t.form.trailing || t.names == nil {
			return record, err
		}
		if record = untrailed(record); len(record) != len(t.names) {
			return record, csv.ErrFieldCount
		}
		return record, nil
	}
}

func (t *csvFile) text(column int) string {
	cell := strings.TrimSpace(t.record[column])
	if !t.form.plain() {
		cell, _ = t.form.canonical(cell)
	}
	return cell
}

// numbers refuses a cell that is a number in another notation than the file's, unless numbers are
// written as in Go: whether such a cell counts as missing is then for the caller to decide.
func (t *csvFile) numbers(dst []float64) (sound bool, err error) {
	sound = true
	for j, i := range t.features {
		v, ok := t.form.value(strings.TrimSpace(t.record[i]))
		if ok && bounded(v) {
			if err := t.unclearPoint(i); err != nil {
				return false, err
			}
			dst[j] = v
			continue
		}
		if t.form.plain() {
			return false, nil
		}
		if err := t.doubt(i); err != nil {
			return false, err
		}
		sound = false
	}
	return sound, nil
}

func (t *csvFile) seek(to place) error {
	t.form.points = nil // the first pass has seen all rows
	t.start, t.sought = to.offset, to.line
	t.readRows(t.bytes(), t.cells())
	return nil
}

// bytes returns the bytes of the rows.
func (t *csvFile) bytes() io.Reader {
	from := t.from(t.start)
	if t.end > 0 {
		from = io.LimitReader(from, t.end-t.start)
	}
	return bufio.NewReaderSize(from, bufferSize)
}
