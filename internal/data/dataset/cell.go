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

// kindOfCell returns whether a trimmed cell is a number in any notation, text, or empty.
func kindOfCell(cell string) kind {
	switch {
	case cell == "":
		return kindEmpty
	case isNumeric(cell):
		return kindNumber
	}
	return kindText
}

// bounded reports whether a value is a number of at most mostSize in size.
func bounded(v float64) bool { return math.Abs(v) <= mostSize }

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

// extreme returns a bound of usable numbers in place of a number beyond it, such as an infinity.
func extreme(cell string) (v float64, ok bool) {
	v, ok = parse(cell)
	return math.Copysign(mostSize, v), ok && v == v && !bounded(v)
}

// shortest formats a number as briefly as possible, whole ones without an exponent.
func shortest(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// marks are the texts of a missing cell, in any case.
var marks = []string{"", "?", "na", "n/a", "nan", "null", "none", "-", "n.a.", "#n/a", "#nv"}

// isMark reports whether a trimmed cell marks a missing value.
func isMark(cell string) bool {
	return slices.ContainsFunc(marks, func(m string) bool { return strings.EqualFold(m, cell) })
}
