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
	if v, ok := parseShort(cell); ok {
		return v, true
	}
	v, err := strconv.ParseFloat(cell, 64)
	if errors.Is(err, strconv.ErrSyntax) {
		v, err = strconv.ParseFloat(signed(cell), 64)
	}
	if err != nil && isOldInfinity(cell) {
		return math.Inf(1 - 2*one(cell[0] == '-')), true
	}
	ok = err == nil || errors.Is(err, strconv.ErrRange)
	return v, ok && isDecimal(cell)
}

// powers are the powers of ten that a float64 has exactly.
var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// parseShort reads digits with at most a point among them and a minus before them, if the number that they are
// without the point is exact: a division of exact numbers is rounded as [strconv.ParseFloat] rounds. That takes twice
// as long. ok is false for other cells.
func parseShort(cell string) (v float64, ok bool) {
	digits, minus := strings.CutPrefix(cell, "-")
	whole, point := uint64(0), len(digits)-1
	for i := range len(digits) {
		switch c := digits[i]; {
		case c >= '0' && c <= '9' && whole < 1<<53/10:
			whole = 10*whole + uint64(c-'0')
		case c == '.' && point == len(digits)-1 && len(digits) > 1:
			point = i
		default:
			return 0, false
		}
	}
	decimals := len(digits) - 1 - point
	if point < 0 || decimals >= len(powers) {
		return 0, false
	}
	if v = float64(whole) / powers[decimals]; minus {
		v = -v
	}
	return v, true
}

// isDecimal reports whether a number that strconv reads is decimal: it also reads 0x1p4 and 1_6, as 16. It is a loop
// over bytes, as [strings.ContainsAny] takes a third of the time to read a file.
func isDecimal(number string) bool {
	for i := range len(number) {
		if c := number[i]; c == 'x' || c == 'X' || c == '_' {
			return false
		}
	}
	return true
}

// isOldInfinity reports whether a cell is an infinity as older C libraries write it.
func isOldInfinity(cell string) bool {
	number := strings.TrimLeft(cell, "+-")
	return len(number) == len("1.#INF") && (strings.EqualFold(number, "1.#INF") || strings.EqualFold(number, "1,#INF"))
}

// signed returns a number with a minus at its end, or in round brackets as in accounts, with a minus in front.
// It returns other cells as they are.
func signed(cell string) string {
	number, minus := strings.CutSuffix(cell, "-")
	if !minus {
		if number, minus = strings.CutPrefix(cell, "("); minus {
			number, minus = strings.CutSuffix(number, ")")
		}
	}
	if minus && number != "" && strings.Contains(".,0123456789", number[:1]) {
		return "-" + number
	}
	return cell
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

// marks are the texts of a missing cell of any column, in any case.
var marks = []string{"", "?", "na", "n/a", "nan", "null", "none", "nil", "nat", "<na>", "-", "--", "---", "...", "*", "n.a.", "n.d.", "k.a.", "#n/a", "#nv", `\n`, "<null>", "(null)", ".", "**", "***"}

// states are texts, in any case, that spreadsheets, compilers and recorders write in place of a
// number that they do not have. In other columns, they may be words like others.
var states = []string{
	"missing", "no data", "nodata", "bad", "bad input", "bad data", "timeout", "i/o timeout", "comm fail", "not connect", "no sample", "no result",
	"pt created", "shutdown", "configure", "scan off", "out of serv", "offline", "error", "fail", "failed", "invalid", "unknown", "over range", "under range",
	"#div/0!", "#ref!", "#value!", "#num!", "#name?", "#null!",
	"+nan", "-nan", "nan(ind)", "-nan(ind)", "1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan",
}

// isMark reports whether a trimmed cell marks a missing value.
func isMark(cell string) bool { return isAmong(cell, marks) }

// isMissingNumber reports whether a trimmed cell of a column of numbers stands for a missing one.
func isMissingNumber(cell string) bool { return isMark(cell) || isAmong(cell, states) }

func isAmong(cell string, texts []string) bool {
	return slices.ContainsFunc(texts, func(m string) bool { return strings.EqualFold(m, cell) })
}
