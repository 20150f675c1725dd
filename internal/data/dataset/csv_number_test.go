package dataset_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/data/dataset"
)

// A point that may separate thousands is refused in its column, wherever the cells are, unless another
// number shows that it is the decimal sign.
func TestUnclearPoints(t *testing.T) {
	const many = 150 // more rows than decide the dialect
	wholes, fractions := strings.Repeat("264;3\n", many), strings.Repeat("1.264;3\n", many)
	for _, c := range []struct {
		rows string
		line int // of the error, 0 for none
	}{
		{"264;3\n1.002;4\n", 2},
		{"1.002;4\n264;3\n", 2},
		{"-264;3\n+1.002;4\n", 2},
		{wholes + "1.002;4\n", many + 2},
		{fractions + "264;4\n", many + 2},
		{"264;3\n1.002;4.5\n", 0},
		{"264;3\n1.002;4\n0.250;4\n", 0},
		{"264;3\n1.002;4\n1264;4\n", 0}, // thousands have no separator
		{"0;3\n1.002;4\n", 0},
		{"1.264;3\n1.002;4\n", 0},
	} {
		folder(t, "a.csv", "flow;press\n"+c.rows, "a.csv.gz", zipped(t, "flow;press\n"+c.rows))
		for _, file := range []string{"a.csv", "a.csv.gz"} {
			_, err := dataset.LoadOne(dataset.Spec{Data: []string{file}})
			var fault *dataset.Error
			if c.line == 0 && err != nil || c.line > 0 && (!errors.As(err, &fault) || fault.Line != c.line || fault.Column != "flow") {
				t.Errorf("%s with %.40q: got %v, want an error in line %d", file, c.rows, err, c.line)
			}
			for _, spec := range []dataset.Spec{{Ignore: []string{"flow"}}, {CSV: dataset.CSV{Decimal: "."}}, {CSV: dataset.CSV{Thousands: "."}}} {
				spec.Data = []string{file}
				if _, err := dataset.LoadOne(spec); err != nil && !strings.Contains(c.rows, ".5") && !strings.Contains(c.rows, "0.") {
					t.Errorf("%s with %.40q and %+v: %v", file, c.rows, spec.CSV, err)
				}
			}
		}
		p, err := new(dataset.Spec).Profile("a.csv")
		if err != nil {
			t.Fatal(err)
		}
		if found := slices.ContainsFunc(p.Findings, func(f dataset.Finding) bool { return f.Kind == "decimal" }); found != (c.line > 0) {
			t.Errorf("check of %.40q: got %+v", c.rows, p.Findings)
		}
	}
}

// A minus may stand at the end, and brackets mean one, as accountants write it.
func TestNegativeNumbers(t *testing.T) {
	for cell, want := range map[string]float64{
		"11,830-": -11.83, "1.002,5-": -1002.5, "(1,03)": -1.03, "(1.002,5)": -1002.5, "-7,5": -7.5, "7-": -7,
	} {
		folder(t, "a.csv", fmt.Sprintf("x;y\n1,5;2\n%s;3\n", cell), "b.csv", fmt.Sprintf("x,y\n1.5,2\n%s,3\n", strings.ReplaceAll(strings.ReplaceAll(cell, ".", ""), ",", ".")))
		for _, file := range []string{"a.csv", "b.csv"} {
			d, err := dataset.LoadOne(dataset.Spec{Data: []string{file}})
			if err != nil {
				t.Errorf("%s: %s: %v", file, cell, err)
				continue
			}
			if x := valuesOf(t, d.Participants[0], false); x[len(x)-1] != want {
				t.Errorf("%s: %s is read as %g", file, cell, x[len(x)-1])
			}
		}
	}
	for _, cell := range []string{"A-", "()", "(A)", "--1", "(-1)", "-"} {
		folder(t, "a.csv", fmt.Sprintf("x,y\n1.5,2\n%s,3\n", cell))
		if _, err := dataset.LoadOne(dataset.Spec{Data: []string{"a.csv"}}); err == nil {
			t.Errorf("%q was read as a number", cell)
		}
	}
}
