package dataset_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
)

// Infinities of older C libraries are scored as the most anomalous, and refused in training.
func TestInfinitiesOfOldLibraries(t *testing.T) {
	for _, text := range []string{"x,y\n1.5,2\n-1.#INF,3\n1.#inf,4\n", "x;y\n1,5;2\n-1.#INF;3\n1,#inf;4\n"} {
		folder(t, "a.csv", text)
		var fault *dataset.Error
		if _, err := dataset.LoadOne(dataset.Spec{Data: []string{"a.csv"}, Missing: dataset.SkipMissing}); !errors.As(err, &fault) || fault.Line != 3 || fault.Column != "x" {
			t.Errorf("training got %v", err)
		}
		d, err := dataset.LoadOne(dataset.Spec{Data: []string{"a.csv"}, Columns: []string{"x"}, Missing: dataset.KeepMissing, Scored: true})
		if err != nil {
			t.Fatal(err)
		}
		x, err := rows.Dense(d.Participants[0].Train)
		if err != nil || !slices.Equal(x.RawMatrix().Data, []float64{1.5, -1e60, 1e60}) {
			t.Errorf("got %v, %v", x, err)
		}
	}
}

// Marks of missing values of databases and people count as missing.
func TestMarksOfMissingValues(t *testing.T) {
	marks := []string{`\N`, "<null>", "(null)", ".", "k.A.", "**", "***", "unknown", "Unknown"}
	folder(t, "a.csv", "x,y\n1,2\n3,2\n"+strings.Join(marks, ",5\n")+",5\n")
	d, err := dataset.LoadOne(dataset.Spec{Data: []string{"a.csv"}, Missing: dataset.KeepMissing})
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range values(d.Participants[0].Train) {
		if math.IsNaN(row[0]) != (i > 1) {
			t.Errorf("row %d: got %v", i+1, row)
		}
	}
	if n := d.Gaps.Cells[0]; n != len(marks) {
		t.Errorf("got %d missing cells", n)
	}
}

// Numbers with units are no features, and a check says why.
func TestNumbersWithUnits(t *testing.T) {
	for cell, want := range map[string]bool{"12 bar": true, "20.5 °C": true, "3,1 m/s": true, "7mm": true, "red": false, "12 of 30": false, "v2": false, "2024-05-17": false} {
		folder(t, "a.csv", "x;y\n"+strings.Repeat(cell+";2\n", 5), "b.csv", "x;y\n"+strings.Repeat(cell+";"+cell+"\n", 5))
		p, err := new(dataset.Spec).Profile("a.csv")
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(p.Findings, func(f dataset.Finding) bool { return f.Column == "x" && f.Kind == "unit" }); got != want {
			t.Errorf("%s: got %+v", cell, p.Findings)
		}
		var fault *dataset.Error
		if _, err := new(dataset.Spec).Profile("b.csv"); !errors.As(err, &fault) || fault.Column == "x" != want {
			t.Errorf("%s alone: got %v", cell, err)
		}
	}
}

// Times since 1970 are dates, in seconds or milliseconds.
func TestUnixTimes(t *testing.T) {
	for cell, want := range map[string]string{"1715932800": "2024-05-17 08:00:00", "1715932800000": "2024-05-17 08:00:00", "12": ""} {
		if got := dataset.UnixTime("ts", cell); got != (want != "") {
			t.Errorf("%s: got %t", cell, got)
		}
		clock := dataset.Clock{Unix: true}
		if got := clock.Text(cell); want != "" && got != want {
			t.Errorf("%s: got %s, want %s", cell, got, want)
		}
	}
	if dataset.UnixTime("power", "1715932800") {
		t.Error("a power is a time")
	}
}
