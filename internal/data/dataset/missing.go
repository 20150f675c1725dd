package dataset

import (
	"fmt"
)

// Ways to treat missing cells of features.
const (
	RefuseMissing = "error"    // a missing cell is an error
	SkipMissing   = "skip"     // rows with missing cells are left out
	KeepMissing   = "marginal" // missing cells are NaN
)

// tolerates reports whether cells may be missing.
func (s *Spec) tolerates() bool { return s.Missing == SkipMissing || s.Missing == KeepMissing }

// absent reports whether a cell of a feature counts as missing. odd reports whether it is some
// other unusable text, which counts as missing only in rows to be scored.
func (s *Spec) absent(cell string) (absent, odd bool) {
	switch {
	case !s.tolerates():
		return false, false
	case isMissingNumber(cell):
		return true, false
	case s.Scored:
		_, msg := usable(cell)
		return msg != "", msg != ""
	}
	return false, false
}

// drops reports whether a row with this many missing cells is left out.
func (s *Spec) drops(missing, columns int) bool {
	switch {
	case missing == 0:
		return false
	case s.Missing == SkipMissing:
		return true
	}
	return missing == columns && !s.Scored // an empty row
}

// Gaps describes the missing cells in the rows read.
type Gaps struct {
	Rows    int // read
	Partial int // rows with a missing cell
	Dropped int // rows left out for it
	Empty   int // rows that [Scan] passed on although none of their cells is a number
	Columns []string
	Cells   []int // missing cells by column
	// Aside has a line for each folder with files that are left out, and for each file with keys that are no
	// columns.
	Aside []string
	// unusual notations of CSV files
	forms []form
	// Odd counts cells that are neither a number nor a mark of a missing value. First describes
	// the first of them, with its place.
	Odd   int
	First string
}

// form is the notation of a file.
type form struct{ path, form string }

// Forms returns a line for each unusual notation, with the CSV files in it.
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
		first := files[l][0]
		if n := len(files[l]) - 1; n > 0 {
			first += fmt.Sprintf(" and %d more", n)
		}
		lines[i] = first + ": CSV with " + l
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

// Add adds the counts of a later file.
func (g *Gaps) Add(o *Gaps) {
	g.Rows, g.Partial, g.Dropped, g.Odd = g.Rows+o.Rows, g.Partial+o.Partial, g.Dropped+o.Dropped, g.Odd+o.Odd
	g.Empty += o.Empty
	g.forms, g.Aside = append(g.forms, o.forms...), append(g.Aside, o.Aside...)
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

// String returns one line: rows with missing cells, their columns, and the treatment. It is
// empty if there are none.
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
	if g.Empty > 0 {
		text += fmt.Sprintf("; %d of them, with every cell missing, are not scored", g.Empty)
	}
	return text
}

// Oddities returns one line about cells that were neither a number nor a mark of a missing
// value, "" if there were none.
func (g *Gaps) Oddities() string {
	if g.Odd == 0 {
		return ""
	}
	return fmt.Sprintf("cells that are no numbers count as missing: %d, the first at %s", g.Odd, g.First)
}
