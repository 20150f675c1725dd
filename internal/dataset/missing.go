package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// The ways to treat cells of features that are missing.
const (
	RefuseMissing = "error"    // they are errors
	SkipMissing   = "skip"     // their rows are left out
	KeepMissing   = "marginal" // they are NaN
)

// marks say that a cell is missing, in small letters or capitals.
var marks = []string{"", "?", "na", "n/a", "nan", "null", "none", "-", "n.a.", "#n/a", "#nv"}

// isMark reports whether a cell, without blanks around, says that it is missing.
func isMark(cell string) bool {
	return slices.ContainsFunc(marks, func(m string) bool { return strings.EqualFold(m, cell) })
}

// tolerates reports whether cells may be missing.
func (s *Spec) tolerates() bool { return s.Missing == SkipMissing || s.Missing == KeepMissing }

// absent reports whether a cell of a feature counts as missing, and whether it is something
// else that cannot be used: that counts only in rows that are scored.
func (s *Spec) absent(cell string) (absent, odd bool) {
	switch {
	case !s.tolerates():
		return false, false
	case isMark(cell):
		return true, false
	case s.Scored:
		_, msg := usable(cell)
		return msg != "", msg != ""
	}
	return false, false
}

// drops reports whether a row with some of so many cells missing is left out.
func (s *Spec) drops(missing, of int) bool {
	switch {
	case missing == 0:
		return false
	case s.Missing == SkipMissing:
		return true
	}
	return missing == of && !s.Scored // it says nothing
}

// Gaps says which cells were missing in the rows that were read.
type Gaps struct {
	Rows    int // read
	Partial int // of them with a cell missing
	Dropped int // of these, left out
	Columns []string
	Cells   []int // missing in each column
	// forms say how CSV files are written, where that is unusual.
	forms []form
	// Odd counts cells that are no number, and say not that they are missing either. First is
	// what is wrong with the first of them, and where.
	Odd   int
	First string
}

// form is how a file is written.
type form struct{ path, form string }

// Forms says in a line for each unusual way of writing which CSV files are written so.
func (g *Gaps) Forms() []string {
	var lines []string
	files := map[string][]string{}
	for _, f := range g.forms {
		if files[f.form] == nil {
			lines = append(lines, f.form)
		}
		files[f.form] = append(files[f.form], f.path)
	}
	for i, l := range lines {
		of := files[l][0]
		if n := len(files[l]) - 1; n > 0 {
			of += fmt.Sprintf(" and %d more", n)
		}
		lines[i] = of + ": CSV with " + l
	}
	return lines
}

// row counts a row.
func (g *Gaps) row(missing []bool, dropped bool) {
	g.Rows++
	any := false
	for j, m := range missing {
		if m {
			any = true
			g.Cells[j]++
		}
	}
	if any {
		g.Partial++
	}
	if dropped {
		g.Dropped++
	}
}

// add adds those of a later file.
func (g *Gaps) add(o *Gaps) {
	g.Rows, g.Partial, g.Dropped, g.Odd = g.Rows+o.Rows, g.Partial+o.Partial, g.Dropped+o.Dropped, g.Odd+o.Odd
	g.forms = append(g.forms, o.forms...)
	if g.Columns == nil {
		g.Columns, g.Cells = o.Columns, make([]int, len(o.Cells))
	}
	for j, n := range o.Cells {
		g.Cells[j] += n
	}
	if g.First == "" {
		g.First = o.First
	}
}

// String says in one line how many rows had missing cells, in which columns, and what became
// of them; it is empty if none had.
func (g *Gaps) String() string {
	if g.Partial == 0 {
		return ""
	}
	var in []string
	for j, n := range g.Cells {
		if n > 0 {
			in = append(in, fmt.Sprintf("%s (%d)", g.Columns[j], n))
		}
	}
	text := fmt.Sprintf("%d of %d rows have missing cells, in the columns %s", g.Partial, g.Rows, listed(in))
	switch g.Dropped {
	case 0:
	case g.Partial:
		text += ": they are left out"
	default:
		text += fmt.Sprintf("; %d of them, with every cell missing, are left out", g.Dropped)
	}
	return text
}

// Oddities says in one line what cells were no number and no mark of a missing one; it is
// empty if there were none.
func (g *Gaps) Oddities() string {
	if g.Odd == 0 {
		return ""
	}
	return fmt.Sprintf("cells that are no numbers count as missing: %d, the first at %s", g.Odd, g.First)
}

// cells reads the features of the present row where some may be missing, and reports whether
// it is left out.
func (sc *scanner) cells(at place) (dropped bool, err error) {
	missing := 0
	clear(sc.missing)
	for j, i := range sc.layout.features {
		column := sc.schema.features[j]
		cell := sc.rows.text(i)
		absent, odd := sc.spec.absent(cell)
		if odd {
			if sc.out.gaps.Odd++; sc.out.gaps.First == "" {
				_, err := sc.number(cell, at, column)
				known := *err.(*Error)
				known.Hint = ""
				sc.out.gaps.First = known.Error()
			}
		}
		if absent {
			sc.row[j], sc.missing[j] = math.NaN(), true
			missing++
			continue
		}
		if sc.row[j], err = sc.number(cell, at, column); err != nil {
			return false, err
		}
	}
	dropped = sc.spec.drops(missing, len(sc.row))
	sc.out.gaps.row(sc.missing, dropped)
	return dropped, sc.single(at)
}

// cells reads the features of the present row, which have been read before. keep is false if
// the row is left out, sound if it is not as it was.
func (c *cursor) cells(dst []float64) (keep, sound bool, err error) {
	s := c.stream.spec
	if sound, err = c.rows.numbers(dst); sound || err != nil {
		return true, sound, err
	}
	missing := 0
	for j, i := range c.stream.parts[c.part].layout.features {
		cell := c.rows.text(i)
		if absent, _ := s.absent(cell); absent {
			dst[j] = math.NaN()
			missing++
			continue
		}
		v, msg := usable(cell)
		if msg != "" {
			return false, false, nil
		}
		dst[j] = v
	}
	return !s.drops(missing, len(dst)), true, nil
}
