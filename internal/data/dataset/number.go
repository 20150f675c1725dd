package dataset

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// mostSize bounds the size of values, so that sums of squares are finite.
const mostSize = 1e60

// parse reads a decimal number. NaN, infinities and numbers too large for a float64 count as
// numbers too: a feature that begins with one is an error, not a column of text.
func parse(cell string) (v float64, ok bool) {
	v, err := strconv.ParseFloat(cell, 64)
	ok = err == nil || errors.Is(err, strconv.ErrRange)
	return v, ok && !strings.ContainsAny(cell, "xX_") // strconv reads 0x1p4 and 1_6 as 16
}

func isNumber(cell string) bool {
	_, ok := parse(strings.TrimSpace(cell))
	return ok
}

// number reads a cell, and returns an error if it is no usable number.
func (sc *scanner) number(cell string, at place, column string) (float64, error) {
	if cell == "" {
		return 0, sc.spec.missing(sc.path, at, column)
	}
	v, msg := usable(cell)
	if msg == "" {
		return v, nil
	}
	hint := "fix the cell"
	if t, ok := asCSV(sc.rows); ok && isNumeric(cell) && !isNumber(cell) {
		msg, hint = t.form.doubt(cell)
	}
	hint += sc.spec.orIgnore(column)
	if isMark(cell) {
		hint += sc.spec.orSkip(column)
	}
	if column == sc.spec.Label {
		hint = "fix the cell, or name another --label"
	}
	return 0, &Error{File: sc.path, Line: at.line, Row: at.row, Column: column, Got: cell, Msg: msg, Hint: hint}
}

// usable returns the number in a cell, or what is wrong with it.
func usable(cell string) (v float64, msg string) {
	v, ok := parse(cell)
	switch {
	case !ok:
		msg = fmt.Sprintf("want a number, got %q", cell)
	case v-v != 0: // NaN and infinities
		msg = fmt.Sprintf("want a finite number, got %q", cell)
	case math.Abs(v) > mostSize:
		msg = fmt.Sprintf("want a number of at most %g in size, got %s", mostSize, cell)
	}
	return v, msg
}

// missing returns the error for an empty cell of a feature, or of a column that the Spec needs.
func (s *Spec) missing(path string, at place, column string) error {
	return &Error{File: path, Line: at.line, Row: at.row, Column: column, Msg: "the cell is empty", Hint: "fill it" + s.orIgnore(column) + s.orSkip(column)}
}

// orSkip adds advice to skip rows with missing cells, if that is possible.
func (s *Spec) orSkip(column string) string {
	if slices.Contains(s.roles(), column) {
		return ""
	}
	return ", or see --missing"
}

// orIgnore adds advice to ignore a column, unless the Spec or a model needs it.
func (s *Spec) orIgnore(column string) string {
	if s.Columns != nil || slices.Contains(s.roles(), column) {
		return ""
	}
	return ", or leave the column out with --ignore " + column
}
