package dataset

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
)

// separators are the characters that may separate groups of three digits.
const separators = ".,'’ \u00a0\u202f"

var (
	// numeric matches a number in any notation, optionally in percent.
	numeric = regexp.MustCompile(`^[+-]?([1-9]\d{0,2}([` + separators + `]\d{3})+|\d+)?([.,]\d+)?([eE][+-]?\d+)?[ \x{00a0}\x{202f}]?%?$`)
	// grouped matches numbers with thousands separators: two equal ones, or one and a decimal
	// sign.
	grouped = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}([` + separators + `])\d{3}(?:(?:[` + separators + `]\d{3})+(?:[.,]\d+)?|[.,]\d+)$`)
	// spaced matches a number with one group, and a separator that is no decimal sign.
	spaced = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}(['’ \x{00a0}\x{202f}])\d{3}$`)
	// fraction matches a number with a decimal sign and no separator; unclear matches one where
	// the sign could be either.
	fraction = regexp.MustCompile(`^[+-]?\d*([.,])\d+([eE][+-]?\d+)?$`)
	unclear  = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}[.,]\d{3}$`)
)

// isNumeric reports whether a cell is a number in any notation.
func isNumeric(cell string) bool {
	return isNumber(cell) || strings.ContainsAny(cell, "0123456789") && numeric.MatchString(signed(cell))
}

// canonical returns a number in Go's notation. ok is false if the cell is no number in this
// dialect.
func (d *dialect) canonical(cell string) (number string, ok bool) {
	if number, ok = d.unseparated(cell); ok && isNumber(number) {
		return number, true
	}
	return cell, false
}

// value returns the number in a cell.
func (d *dialect) value(cell string) (v float64, ok bool) {
	if d.open {
		if m := fraction.FindStringSubmatch(signed(cell)); m != nil {
			d.open, d.decimal = false, rune(m[1][0])
		}
	}
	if !d.plain() {
		if cell, ok = d.unseparated(cell); !ok {
			return 0, false
		}
	}
	return parse(cell)
}

// unseparated returns a cell without thousands separators, with a point as the decimal sign.
func (d *dialect) unseparated(cell string) (number string, ok bool) {
	if cell = signed(cell); !hasSeparator(cell) || isOldInfinity(cell) {
		return cell, true
	}
	whole, rest, some := strings.Cut(cell, string(d.decimal))
	if some && (rest == "" || hasSeparator(rest)) {
		return cell, false
	}
	if d.thousands != 0 && strings.ContainsRune(whole, d.thousands) {
		groups := strings.Split(strings.TrimLeft(whole, "+-"), string(d.thousands))
		if len(groups[0]) == 0 || len(groups[0]) > 3 || groups[0][0] == '0' {
			return cell, false
		}
		for _, g := range groups[1:] {
			if len(g) != 3 {
				return cell, false
			}
		}
		whole = strings.ReplaceAll(whole, string(d.thousands), "")
	}
	if hasSeparator(whole) {
		return cell, false
	}
	if number = whole; some {
		number += "." + rest
	}
	return number, true
}

// hasSeparator reports whether a cell contains one of separators or any other non-ASCII
// character.
func hasSeparator(cell string) bool {
	for _, c := range []byte(cell) {
		if c == '.' || c == ',' || c == '\'' || c == ' ' || c >= 0x80 {
			return true
		}
	}
	return false
}

// doubt describes a cell that is a number in another notation than the file's, with advice.
func (d *dialect) doubt(cell string) (msg, hint string) {
	other := ","
	if d.decimal == ',' {
		other = "."
	}
	msg = fmt.Sprintf("want a number with the decimal sign %s, got %q", named(d.decimal), cell)
	switch {
	case strings.HasSuffix(cell, "%"):
		return fmt.Sprintf("want a number, got %q", cell), "write it without the percent sign"
	case !strings.Contains(cell, other) || !fraction.MatchString(cell):
		return msg, "write it without separators of thousands"
	case !unclear.MatchString(cell):
		return msg, "write all numbers with the same decimal sign"
	case d.decimal == ',':
		return msg + ", which could be one of thousands", fmt.Sprintf("write it without the %s, or say in node.yaml csv: {thousands: %q}", named('.'), other)
	}
	return msg + ", which could be a fraction or one of thousands", fmt.Sprintf("write it without the %s, or say in node.yaml csv: {thousands: %q} or {decimal: %q}", named(','), other, other)
}

// A pointed column holds the first cells by which a point is seen to be unclear: in files whose only
// fractions have three decimals, 264 and 1.002 in one column may be 264 and 1002.
type pointed struct {
	whole, point string
	long         bool // a number of four digits or more has no separator
}

// add adds a number. It returns a cell of the column whose notation makes this one unclear, "" if there is
// none.
func (p *pointed) add(cell string) (other string) {
	digits := strings.TrimLeft(signed(cell), "+-")
	switch {
	case unclear.MatchString(digits):
		p.point = cmp.Or(p.point, strings.Clone(cell))
		other = p.whole
	case strings.Trim(digits, "0123456789") != "" || digits == "":
	case len(digits) > 3:
		p.long = true
	case digits != "0":
		p.whole = cmp.Or(p.whole, strings.Clone(cell))
		other = p.point
	}
	if p.long {
		return ""
	}
	return other
}

// pointedColumns returns the columns of rows, or nil if a fraction shows that a point is the decimal sign.
func pointedColumns(rows []record) []pointed {
	var out []pointed
	for _, r := range rows {
		for i, cell := range r.cells {
			cell = strings.TrimSpace(cell)
			if isClearFraction(cell) {
				return nil
			}
			if i == len(out) {
				out = append(out, pointed{})
			}
			out[i].add(cell)
		}
	}
	return out
}

// isClearFraction reports whether the sign in a number can only be the decimal sign.
func isClearFraction(cell string) bool {
	cell = signed(cell)
	return fraction.MatchString(cell) && !unclear.MatchString(cell)
}

// unclearPoint returns an error if a cell of the present row shows that points may separate thousands.
func (t *csvFile) unclearPoint(column int) error {
	if t.form.points == nil {
		return nil
	}
	cell := strings.TrimSpace(t.record[column])
	if isClearFraction(cell) {
		t.form.points = nil
		return nil
	}
	other := t.form.points[column].add(cell)
	if other == "" {
		return nil
	}
	line, _ := t.rows.FieldPos(0)
	return &Error{
		File: t.path, Line: t.lines + line, Column: t.names[column],
		Msg:  fmt.Sprintf("%q and %q are in one column, so a point may be the decimal sign or separate thousands", cell, other),
		Hint: `write all numbers there with decimals, or all without points; or say in node.yaml csv: {thousands: "."} or {decimal: "."}`,
	}
}

// signs determines the decimal sign, unless it is set, and the thousands separator from the
// cells of rows.
func signs(rows []record, delimiter, set rune) (decimal, thousands rune) {
	var width int
	for _, r := range rows {
		width = max(width, len(r.cells))
	}
	points, commas, doubtful := 0, 0, 0 // columns
	groups := map[rune]bool{}
	for i := range width {
		point, comma, either := false, false, false
		for _, r := range rows {
			if i >= len(r.cells) {
				continue
			}
			cell := signed(strings.TrimSpace(r.cells[i]))
			if m := grouped.FindStringSubmatch(cell); m != nil {
				sep := []rune(m[1])[0]
				groups[sep] = true
				if sign := strings.LastIndexAny(cell, ".,"); sign >= 0 && rune(cell[sign]) != sep {
					point, comma = point || cell[sign] == '.', comma || cell[sign] == ','
				}
			} else if m := spaced.FindStringSubmatch(cell); m != nil {
				groups[[]rune(m[1])[0]] = true
			} else if unclear.MatchString(cell) {
				either = either || strings.Contains(cell, ",")
			} else if m := fraction.FindStringSubmatch(cell); m != nil {
				point, comma = point || m[1] == ".", comma || m[1] == ","
			}
		}
		points, commas, doubtful = points+one(point), commas+one(comma), doubtful+one(either)
	}
	switch decimal = '.'; {
	case set != 0:
		decimal = set
	case points == 0 && (commas > 0 || groups['.']):
		decimal = ','
	case groups[',']:
	case delimiter != ',' && (commas > 0 && commas >= points || doubtful > 0 && points == 0):
		decimal = ','
	}
	delete(groups, decimal)
	if len(groups) == 1 {
		for r := range groups {
			thousands = r
		}
	}
	return decimal, thousands
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
