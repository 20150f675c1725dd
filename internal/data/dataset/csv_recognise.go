package dataset

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// number of rows by which a dialect is recognised
	recognisedRows = 100
	// most lines above a header that is recognised
	mostAbove = 40
)

// delimiters are the delimiters recognised; of two that fit equally, the first wins.
var delimiters = []rune{',', ';', '\t', '|'}

// A record is a row with the line it begins on, from 1.
type record struct {
	cells []string
	line  int
}

// recognise determines a CSV file's dialect from its first bytes, which are the entire file if
// whole is true. Equal bytes give equal dialects. An error does not name the file yet.
func recognise(head []byte, whole bool, set CSV) (dialect, *Error) {
	d := dialect{decimal: '.', delimiter: ','}
	if err := alien(head); err != nil {
		return d, err
	}
	if bytes.HasPrefix(head, []byte("\ufeff")) {
		d.start = len("\ufeff")
	}
	if d.returns = bytes.IndexByte(head, '\n') < 0 && bytes.IndexByte(bytes.TrimSuffix(head, []byte{'\r'}), '\r') >= 0; d.returns {
		head = bytes.ReplaceAll(head, []byte{'\r'}, []byte{'\n'})
	}
	among := delimiters
	if r, n := sepLine(head[d.start:]); n > 0 {
		among = []rune{r}
		d.start, d.lines = d.start+n, 1
	}
	if set.Delimiter != "" {
		among = []rune{first(set.Delimiter)}
	}
	rest := head[d.start:]
	for range set.Skip {
		_, after, _ := bytes.Cut(rest, []byte{'\n'})
		rest = after
		d.lines, d.above = d.lines+1, d.above+1
	}
	d.start = len(head) - len(rest)
	d.comment = first(set.Comment)
	hashes := set.Comment == "" && hasComment(rest)
	if hashes {
		d.comment = '#'
	}
	s, err := choose(rest, whole, among, d.comment, set)
	if hashes && err == nil && s.hasRows(rest) {
		d.comment = 0
		s, err = choose(rest, whole, among, 0, set)
	}
	if err != nil {
		err.Line += d.lines
		return d, err
	}
	d.delimiter, d.trailing, d.unnamed = s.delimiter, s.trailing, s.unnamed()
	if len(s.rows) > 0 {
		d.above += s.header // rows above the header, without comments
		line := s.rows[0].line
		if hashes && d.comment != 0 {
			d.remarks = hasComment(rest[:lineAt(rest, line)])
			if marked := s.marked(rest); marked > 0 {
				line, d.marked, d.above = marked, true, 0
				s.rows = append([]record{{}}, s.rows...)
			}
			if !hasComment(rest[lineAt(rest, line+1):]) {
				d.comment = 0
			}
		}
		d.start, d.lines = d.start+lineAt(rest, line), d.lines+line-1
		if d.marked {
			d.start += len("#")
		}
		s.rows = s.rows[1:]
	}
	if d.units = hasUnits(s.rows); set.UnitsRow != nil {
		d.units = *set.UnitsRow
	}
	d.texts = len(s.rows) > 1 && !slices.ContainsFunc(s.rows[0].cells, isNumeric) && slices.ContainsFunc(s.rows[1].cells, isNumeric)
	if d.units && len(s.rows) > 0 {
		s.rows = s.rows[1:]
	}
	if d.delimiter != ',' && set.Decimal == "" && set.Thousands == "" {
		d.points = pointedColumns(s.rows)
	}
	d.decimal, d.thousands = signs(s.rows, d.delimiter, first(set.Decimal))
	if set.Thousands != "" {
		d.thousands = first(set.Thousands)
		if set.Decimal == "" && d.thousands == d.decimal {
			d.decimal = '.' + ',' - d.thousands
		}
	}
	if !d.plain() {
		d.points = nil
	}
	d.open = d.plain() && d.delimiter != ',' && set.Decimal == "" && set.Thousands == "" && !slices.ContainsFunc(s.rows, showsSign)
	return d, nil
}

// showsSign reports whether a cell of a row has a decimal sign.
func showsSign(r record) bool {
	return slices.ContainsFunc(r.cells, func(cell string) bool { return fraction.MatchString(signed(strings.TrimSpace(cell))) })
}

// hasComment reports whether a line starts like a comment.
func hasComment(b []byte) bool {
	return bytes.HasPrefix(b, []byte{'#'}) || bytes.Contains(b, []byte("\n#"))
}

// recognise determines how the file is written.
func (t *csvFile) recognise(from *bufio.Reader, set CSV) (dialect, error) {
	head, err := from.Peek(bufferSize)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, errIdle) {
		return dialect{}, readError(t.path, t.zipped, err)
	}
	if errors.Is(err, errIdle) {
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	form, bad := recognise(head, err != nil, set)
	if bad != nil {
		bad.File = t.path
		return form, bad
	}
	return form, nil
}

// sepLine returns the delimiter named by a first line sep=; and the length of that line.
func sepLine(b []byte) (rune, int) {
	line, _, _ := bytes.Cut(b, []byte{'\n'})
	text, ok := strings.CutPrefix(strings.Trim(strings.TrimRight(string(line), "\r"), `"`), "sep=")
	if r := []rune(text); ok && len(r) == 1 && usableDelimiter(r[0]) {
		return r[0], min(len(line)+1, len(b))
	}
	return 0, 0
}

func usableDelimiter(r rune) bool {
	return r != '"' && r != '\r' && r != '\n' && r != '#' && r != 0 && utf8.ValidRune(r) && r != utf8.RuneError
}

// first returns the first character, or 0.
func first(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}

// lineAt returns the offset of a line, counted from 1.
func lineAt(b []byte, line int) int {
	offset := 0
	for ; line > 1; line-- {
		i := bytes.IndexByte(b[offset:], '\n')
		if i < 0 {
			return len(b)
		}
		offset += i + 1
	}
	return offset
}

// A shape is the result of splitting the first rows by a delimiter.
type shape struct {
	delimiter rune
	header    int      // number of rows above the header
	rows      []record // rows from the header on
	width     int
	trailing  bool
	numbers   float64 // share of cells below the header that are numbers
}

// choose returns the shape of the delimiter that fits best: all rows have as many cells as the
// header, and most cells are numbers.
func choose(b []byte, whole bool, among []rune, comment rune, set CSV) (shape, *Error) {
	var best, named *shape
	for _, r := range among {
		if len(among) > 1 && r != ',' && !bytes.ContainsRune(b, r) {
			continue
		}
		all := records(b, whole, r, comment)
		s := shape{delimiter: r, rows: all}
		if s.fit(all, set.Skip == 0) {
			if best == nil || s.numbers > best.numbers {
				best = &s
			}
		} else if s.width > 1 && named == nil {
			named = &s
		}
	}
	switch {
	case best != nil:
		return *best, nil
	case named != nil:
		return *named, nil
	}
	s := shape{delimiter: among[0], rows: records(b, whole, among[0], comment)}
	if len(among) == 1 {
		return s, nil
	}
	return s, unfit(b, whole, comment, s.rows)
}

// records returns the first rows. The last one may be incomplete and is dropped, unless whole
// is true.
func records(b []byte, whole bool, delimiter, comment rune) []record {
	r := csv.NewReader(bytes.NewReader(b))
	r.Comma, r.Comment, r.FieldsPerRecord, r.LazyQuotes = delimiter, comment, -1, true
	var out []record
	for len(out) < recognisedRows {
		cells, err := r.Read()
		if err != nil {
			if !whole && len(out) > 1 {
				out = out[:len(out)-1]
			}
			break
		}
		if (len(cells) == 1 && cells[0] != "" || delimiter == '\t') && strings.TrimSpace(strings.Join(cells, "")) == "" {
			continue // a blank line
		}
		line, _ := r.FieldPos(0)
		out = append(out, record{cells, line})
	}
	return out
}

// fit finds the header, and reports whether all rows below it have the same number of cells.
func (s *shape) fit(all []record, search bool) bool {
	if len(all) == 0 {
		return false
	}
	s.width = len(all[0].cells)
	if first := all[0].cells; !s.even(all) || len(unpadded(first)) < len(first) {
		for h := 1; ; h++ {
			if !search || h > mostAbove || len(all)-h < 3 {
				if s.even(all) {
					break
				}
				s.width, s.trailing = len(all[0].cells), false
				return false
			}
			narrow := !slices.ContainsFunc(all[:h], func(r record) bool { return len(unpadded(r.cells)) >= len(all[h].cells) })
			below := all[h+1:]
			if hasUnits(below) {
				below = below[1:]
			}
			if narrow && areNames(all[h].cells) && len(below) > 0 && slices.ContainsFunc(below[0].cells, isNumeric) && s.even(all[h:]) {
				s.header, s.rows = h, all[h:]
				break
			}
		}
	}
	cells, numbers := 0, 0
	for _, r := range s.rows[1:] {
		for _, c := range r.cells {
			cells, numbers = cells+1, numbers+one(isNumeric(strings.TrimSpace(c)))
		}
	}
	s.numbers = float64(numbers) / float64(max(1, cells))
	return true
}

// unpadded returns cells without empty ones at the end: spreadsheets fill up lines above a header.
func unpadded(cells []string) []string {
	for len(cells) > 0 && strings.TrimSpace(cells[len(cells)-1]) == "" {
		cells = cells[:len(cells)-1]
	}
	return cells
}

// even reports whether all rows have the same number of cells, at least two, apart from an
// empty one at the end.
func (s *shape) even(all []record) bool {
	head, rows := all[0].cells, all[1:]
	width := len(head)
	if len(rows) > 0 {
		width = len(rows[0].cells)
	}
	ended := width > 1
	for _, r := range rows {
		if len(r.cells) != width {
			return false
		}
		ended = ended && strings.TrimSpace(r.cells[width-1]) == ""
	}
	s.trailing = ended && (width == len(head)+1 || width == len(head) && strings.TrimSpace(head[width-1]) == "")
	s.width = width - one(s.trailing)
	return width > 1 && (s.trailing || width == len(head))
}

// unnamed reports whether all rows have one cell more than the header.
func (s *shape) unnamed() bool {
	return len(s.rows) > 1 && !s.trailing && !slices.ContainsFunc(s.rows[1:], func(r record) bool { return len(r.cells) != len(s.rows[0].cells)+1 })
}

// areNames reports whether cells could be a header: distinct texts.
func areNames(cells []string) bool {
	seen := map[string]bool{}
	for _, c := range cells {
		c = strings.TrimSpace(c)
		if c == "" || isNumeric(c) || seen[c] {
			return false
		}
		seen[c] = true
	}
	return true
}

// hasRows reports whether a line below the header starts like a comment but has the cells of a
// row: then it is a row.
func (s *shape) hasRows(b []byte) bool {
	if len(s.rows) == 0 || s.width < 2 {
		return false
	}
	seen := 0
	for i, line := range bytes.Split(b, []byte{'\n'}) {
		if i+1 <= s.rows[0].line || !bytes.HasPrefix(line, []byte{'#'}) {
			continue
		}
		if r := records(line, true, s.delimiter, 0); len(r) > 0 && len(r[0].cells) == s.width {
			return true
		}
		if seen++; seen == recognisedRows {
			break
		}
	}
	return false
}

// marked returns the line of a header inside the last comment above the numbers, or 0.
func (s *shape) marked(b []byte) int {
	row := s.rows[0]
	if s.header > 0 || s.width < 2 || !slices.ContainsFunc(row.cells, isNumeric) {
		return 0
	}
	lines := bytes.Split(b[:lineAt(b, row.line)], []byte{'\n'})
	for i, line := range slices.Backward(lines) {
		if text, ok := bytes.CutPrefix(line, []byte{'#'}); ok {
			r := records(text, true, s.delimiter, 0)
			if len(r) == 1 && len(r[0].cells) == len(row.cells) && areNames(r[0].cells) {
				return i + 1
			}
			return 0
		}
	}
	return 0
}

// unfit returns the error for rows that no delimiter fits although one seems to be used.
func unfit(b []byte, whole bool, comment rune, lines []record) *Error {
	for _, r := range delimiters {
		all := records(b, whole, r, comment)
		wide := slices.IndexFunc(all, func(r record) bool { return len(r.cells) > 1 })
		if wide < 1 || 2*(len(all)-wide) < len(all) {
			continue
		}
		row := all[wide]
		if r == ',' && len(row.cells) == 2 && wide == 1 && fraction.MatchString(strings.Join(row.cells, ",")) {
			return &Error{Line: row.line, Msg: fmt.Sprintf("want one cell as in the header, got %q", strings.Join(row.cells, ",")), Hint: `if the comma is the decimal sign, say in node.yaml csv: {delimiter: ";", decimal: ","}, or write points`}
		}
		return &Error{
			Line: row.line, Msg: fmt.Sprintf("want a header in line 1, got a line with fewer cells than this one has (%d)", len(row.cells)),
			Hint: fmt.Sprintf("remove the lines above the header, or say how many there are in node.yaml, csv: {skip: %d}", row.line-1),
		}
	}
	if len(lines) > 1 {
		if n := len(strings.Fields(lines[0].cells[0])); n > 1 && n == len(strings.Fields(lines[1].cells[0])) && !isNumeric(lines[1].cells[0]) && isNumeric(strings.Fields(lines[1].cells[0])[0]) {
			return &Error{Line: lines[0].line, Msg: "want cells separated by commas, semicolons, tabs or bars, got blanks", Hint: "save the file with commas between cells"}
		}
	}
	return nil
}
