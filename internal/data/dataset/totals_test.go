package dataset_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/data/dataset"
)

// A line of sums or other figures is refused in training, and found by a check. It is no fault in rows to be
// scored, nor is a row with such a word in a column of words.
func TestTotals(t *testing.T) {
	rows := func(first func(i int) string) (text string, a, b float64) {
		for i := range 30 {
			x, y := float64(i*i%11)+0.125, float64(i%7)
			a, b = a+x, b+y
			text += fmt.Sprintf("%s%g,%g\n", first(i), x, y)
		}
		return text, a, b
	}
	timed := func(i int) string { return fmt.Sprintf("10:%02d,", i) }
	for _, c := range []struct {
		head  string
		first func(int) string
		last  string // with the sums in place of A and B
		total bool
	}{
		{"at,x,y\n", timed, "Total,A,B\n", true},
		{"at,x,y\n", timed, "Summe:,A,B\n", true},
		{"at,x,y\n", timed, "Moyenne,5,3\n", true},
		{"at,x,y\n", timed, "Sum (of all),5,3\n", true},
		{"at,x,y\n", timed, "Min,5,3\nMax,5,3\n", true},
		{"at,x,y\n", timed, ",A,B\n", true},
		{"x,y\n", func(int) string { return "" }, "A,B\n", true},
		{"x,y\n", func(int) string { return "" }, "A,3\n", false},
		{"who,x,y\n", func(i int) string { return []string{"Anna,", "Max,"}[i%2] }, "Max,5,3\n", false},
		{"age,x,y\n", func(i int) string { return fmt.Sprintf("%d min,", i) }, "30 min,5,3\n", false},
	} {
		text, a, b := rows(c.first)
		last := strings.NewReplacer("A,", fmt.Sprintf("%.2f,", a), "B", fmt.Sprintf("%.2f", b)).Replace(c.last)
		folder(t, "a.csv", c.head+text+last)
		spec := dataset.Spec{Data: []string{"a.csv"}}
		var fault *dataset.Error
		if _, err := dataset.LoadOne(spec); errors.As(err, &fault) != c.total || c.total && fault.Line != 32 {
			t.Errorf("%q: got %v", last, err)
		}
		p, err := spec.Profile("a.csv")
		if err != nil || slices.ContainsFunc(p.Findings, func(f dataset.Finding) bool { return f.Kind == "totals" }) != c.total {
			t.Errorf("%q: got %+v, %v", last, p, err)
		}
		spec.Columns, spec.Missing, spec.Scored = []string{"x", "y"}, dataset.KeepMissing, true
		if _, err := dataset.LoadOne(spec); err != nil {
			t.Errorf("%q: scoring got %v", last, err)
		}
	}
	folder(t, "a.csv", "x,y\n"+strings.Repeat("0,0\n", 28)+"5,0\n5,0\n")
	if _, err := dataset.LoadOne(dataset.Spec{Data: []string{"a.csv"}}); err != nil {
		t.Errorf("rows of 0: got %v", err)
	}
}
