package dataset

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// CSV says how CSV files are written. Fields left out are recognised in each file.
type CSV struct {
	// Delimiter separates cells, Decimal the fraction of a number, and Thousands groups of
	// three digits.
	Delimiter string `yaml:"delimiter,omitempty" json:"delimiter,omitempty"`
	Decimal   string `yaml:"decimal,omitempty" json:"decimal,omitempty"`
	Thousands string `yaml:"thousands,omitempty" json:"thousands,omitempty"`
	// Comment starts a line that is skipped.
	Comment string `yaml:"comment,omitempty" json:"comment,omitempty"`
	// Skip is the number of lines above the header.
	Skip int `yaml:"skip,omitempty" json:"skip,omitempty"`
	// DayFirst declares that 3/4/2026 is in April; it is not recognised.
	DayFirst bool `yaml:"day_first,omitempty" json:"day_first,omitempty"`
	// UnitsRow reports whether the row below the header has units.
	UnitsRow *bool `yaml:"units_row,omitempty" json:"units_row,omitempty"`
}

// Check returns an error for the first setting that cannot be used.
func (c *CSV) Check() error {
	bad := func(key, want, got string) error {
		return &Error{Msg: fmt.Sprintf("csv: %s: want %s, got %q", key, want, got)}
	}
	one := func(s string) bool { return utf8.ValidString(s) && utf8.RuneCountInString(s) <= 1 }
	for _, field := range []struct{ key, value string }{{"delimiter", c.Delimiter}, {"comment", c.Comment}} {
		if !one(field.value) || strings.ContainsAny(field.value, "\"\r\n\ufffd") {
			return bad(field.key, "one character other than a quote or a line end", field.value)
		}
	}
	switch {
	case c.Decimal != "" && c.Decimal != "." && c.Decimal != ",":
		return bad("decimal", "a point or a comma", c.Decimal)
	case c.Thousands != "" && !(one(c.Thousands) && strings.Contains(separators, c.Thousands)):
		return bad("thousands", "a point, a comma, a blank or an apostrophe", c.Thousands)
	case c.Thousands != "" && c.Thousands == c.Decimal:
		return bad("thousands", "another character than decimal", c.Thousands)
	case c.Comment != "" && c.Comment == c.Delimiter:
		return bad("comment", "another character than delimiter", c.Comment)
	case c.Skip < 0:
		return bad("skip", "a number of lines", fmt.Sprint(c.Skip))
	}
	return nil
}

// A dialect is the way in which a CSV file is written.
type dialect struct {
	delimiter rune
	// decimal is a point or a comma; thousands is 0 or one of separators.
	decimal, thousands rune
	// open reports that no number has shown its decimal sign yet, so that the first one with a comma does. The
	// first rows of a stream may be whole numbers, as of a machine that is off.
	open    bool
	comment rune // 0 for none
	// start is the offset of the header, lines the number of lines above it, and above the
	// number of these that are neither sep= nor comments.
	start, lines, above int
	marked              bool // the header is in a comment
	remarks             bool // there are comments above the header
	units               bool // the row below the header has units
	trailing            bool // each row ends with a delimiter
	texts               bool // the row below the header has no number, and the next has
	returns             bool // lines end with a carriage return only
	// points watches columns while a point may be the decimal sign or separate thousands, nil otherwise.
	points  []pointed
	unnamed bool // rows have one more cell than the header
}

// plain reports whether numbers are written as in Go.
func (d *dialect) plain() bool { return d.decimal == '.' && d.thousands == 0 }

// String describes what is unusual in a dialect, "" if nothing is.
func (d *dialect) String() string {
	var out []string
	say := func(is bool, format string, args ...any) {
		if is {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	other := d.delimiter != ',' || d.decimal != '.'
	say(other, "delimiter %s", named(d.delimiter))
	say(other, "decimal sign %s", named(d.decimal))
	say(d.thousands != 0, "thousands separator %s", named(d.thousands))
	say(d.above == 1, "1 line above the header skipped")
	say(d.above > 1, "%d lines above the header skipped", d.above)
	say(d.marked, "header in a comment line")
	say(d.comment != 0, "comment lines (%c) skipped", d.comment)
	say(d.remarks && d.comment == 0 && !d.marked, "comment lines above the header skipped")
	say(d.units, "units row skipped")
	say(d.trailing, "an empty cell at the end of each row left out")
	say(d.returns, "line ends CR")
	return strings.Join(out, ", ")
}

// named returns a visible name for a character.
func named(r rune) string {
	switch r {
	case '\t':
		return "tab"
	case ' ':
		return "blank"
	case '\u00a0', '\u202f':
		return "no-break blank"
	}
	return fmt.Sprintf("%q", string(r))
}

// GobEncode implements gob.GobEncoder, since gob itself takes a pointer to false for nil.
func (c CSV) GobEncode() ([]byte, error) { return json.Marshal(c) }

// GobDecode implements gob.GobDecoder.
func (c *CSV) GobDecode(text []byte) error { return json.Unmarshal(text, c) }
