package study

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"

	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/run/report"
)

func (t Table) write() error {
	return files.Write(t.File, 0o644, func(w io.Writer) error {
		c := csv.NewWriter(w)
		for i, row := range append([][]string{t.Header}, t.Rows...) {
			if len(row) != len(t.Header) {
				panic(fmt.Sprintf("table %s, row %d: %d columns, header %d", t.Name, i, len(row), len(t.Header)))
			}
			if err := c.Write(row); err != nil {
				return err
			}
		}
		c.Flush()
		return c.Error()
	})
}

// Summary is a mean over repeats.
type Summary struct {
	N        int
	Mean, SD float64 // standard deviation with N − 1; 0 for a single value
}

// Summarise returns the mean and the standard deviation of repeats. It leaves out NaN, which
// stands for an undefined value.
func Summarise(values []float64) Summary {
	var s Summary
	var sum, squares float64
	for _, v := range values {
		if !math.IsNaN(v) {
			s.N++
			sum += v
		}
	}
	s.Mean = sum / float64(s.N)
	for _, v := range values {
		if !math.IsNaN(v) {
			squares += (v - s.Mean) * (v - s.Mean)
		}
	}
	if s.N > 1 {
		s.SD = math.Sqrt(squares / float64(s.N-1))
	}
	return s
}

// Spread formats a mean with the standard deviation, if there is one.
func Spread(s Summary, digits int) string {
	if s.N < 2 {
		return Number(s.Mean, digits)
	}
	return Number(s.Mean, digits) + " ± " + Number(s.SD, digits)
}

// Number formats a value for a table, or returns "" if there is none.
func Number(v float64, digits int) string {
	if math.IsNaN(v) {
		return ""
	}
	return report.Fixed(v, digits)
}
