package dataset

import (
	"errors"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

func (t *csvFile) readHeader() error {
	row, err := t.next()
	if errors.Is(err, io.EOF) {
		return &Error{File: t.path, Msg: "the file is empty", Hint: "want a header row of column names, then rows"}
	}
	if err != nil {
		return err
	}
	record := t.record
	if t.form.trailing {
		record = untrailed(record)
	}
	values, dates := 0, 0
	for _, cell := range record {
		if !utf8.ValidString(cell) {
			return &Error{File: t.path, Line: row.line, Msg: "the header is not valid UTF-8", Hint: saveUTF8 + ", or convert it: iconv -f WINDOWS-1252 -t UTF-8 old.csv > new.csv"}
		}
		name := strings.TrimSpace(cell)
		values, dates = values+one(isNumeric(name)), dates+one(date.MatchString(name))
		t.names = append(t.names, strings.Clone(name))
	}
	if err := checkNames(t.path, row.line, t.names); err != nil {
		return err
	}
	if values > 0 && values+dates == len(record) {
		what := "numbers"
		if dates > 0 {
			what = "dates and numbers"
		}
		return &Error{File: t.path, Line: row.line, Msg: "want a header row of column names, got " + what + " only", Hint: "put the names into the first line"}
	}
	return t.belowHeader()
}

// date matches the beginning of a date or time.
var date = regexp.MustCompile(`^(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}:\d{2})`)

// belowHeader skips a row of units, and determines the number of cells per row.
func (t *csvFile) belowHeader() error {
	t.rows.FieldsPerRecord = t.cells()
	if !t.form.units {
		return nil
	}
	row, err := t.next()
	if errors.Is(err, io.EOF) {
		return &Error{File: t.path, Msg: "no rows below the header"}
	}
	if err != nil {
		return err
	}
	t.unitsLine = row.line
	for _, cell := range t.record {
		t.units = append(t.units, withSigns(strings.TrimSpace(cell)))
	}
	return nil
}

// cells returns the number of cells per row, including an empty one after a trailing delimiter.
func (t *csvFile) cells() int { return len(t.names) + one(t.form.trailing) }

// untrailed returns a record without the empty cell at its end.
func untrailed(record []string) []string {
	if n := len(record) - 1; n > 0 && strings.TrimSpace(record[n]) == "" {
		return record[:n]
	}
	return record
}

// ragged returns advice about a row with too many or too few cells.
func (t *csvFile) ragged() string {
	want, got := len(t.names), len(t.record)
	switch {
	case strings.HasPrefix(t.record[0], "#") && t.form.comment == 0:
		return `fix the row, or say in node.yaml csv: {comment: "#"} if it is a comment`
	case got == 2*want && want > 1 && t.form.delimiter == ',':
		return "if commas are decimal signs, save the file with semicolons between cells"
	case t.form.unnamed:
		return "all rows have one cell more than the header: name their first column, too"
	}
	return "fix the row"
}

// doubt returns an error if a cell is a number in another notation than the file's, otherwise
// nil.
func (t *csvFile) doubt(column int) error {
	cell := strings.TrimSpace(t.record[column])
	if _, ok := t.form.canonical(cell); ok || !isNumeric(cell) {
		return t.unclearPoint(column)
	}
	msg, hint := t.form.doubt(cell)
	line, _ := t.rows.FieldPos(0)
	return &Error{File: t.path, Line: t.lines + line, Column: t.names[column], Msg: msg, Hint: hint}
}

const saveUTF8 = "save the file as UTF-8"

// doubt is [csvFile.doubt] for a column that is no feature.
func (sc *scanner) doubt(column int) error {
	if t, ok := asCSV(sc.rows); ok && !t.form.plain() {
		return t.doubt(column)
	}
	return nil
}
