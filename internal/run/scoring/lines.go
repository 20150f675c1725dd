package scoring

import (
	"slices"
	"strconv"
)

// Columns are those that each line has after the carried ones: the score, and whether it is an anomaly.
var Columns = []string{"score", "anomaly"}

// Header returns the names of the columns of lines: the number of the row, the carried columns, then own ones. A
// carried column with the name of another one gets a prefix.
func Header(carried, own []string) []string {
	head := []string{"row"}
	for _, name := range carried {
		if name == head[0] || slices.Contains(own, name) {
			name = "input_" + name
		}
		head = append(head, name)
	}
	return append(head, own...)
}

// AppendLine appends the cells of row i: its number, the carried ones, and those of [Columns], which are empty for
// a row without a number.
func (r *Rows) AppendLine(line []string, i int) []string {
	line = append(append(line, strconv.Itoa(r.Numbers[i])), r.Carried[i]...)
	if r.Empty[i] {
		return append(line, make([]string, len(Columns))...)
	}
	return append(line, Decimal(r.Scores[i]), string(r.Verdicts[i]))
}

// Decimal formats a score, exactly enough to compare it.
func Decimal(v float64) string { return strconv.FormatFloat(v, 'g', 8, 64) }
