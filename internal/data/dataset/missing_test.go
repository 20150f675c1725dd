package dataset_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/partition"
	"github.com/collabdict/collabdict/internal/data/rows"
)

const holes = "a,b,site\nNA,1,x\n2,?,x\n3,4,y\n,,y\n5,n/a,y\nnull,NaN,x\n7,8,x\n"

func loadHoles(t *testing.T, content string, spec dataset.Spec) (*dataset.Dataset, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	spec.Data, spec.MinRows = []string{path}, 1
	return dataset.LoadOne(spec)
}

func shown(t *testing.T, d *dataset.Dataset) string {
	t.Helper()
	x, err := rows.Dense(d.Participants[0].Train)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(values(rows.InMemory(x)))
}

func TestMissingCells(t *testing.T) {
	for _, c := range []struct {
		spec       dataset.Spec
		rows, gaps string
	}{
		{dataset.Spec{Missing: dataset.SkipMissing}, "[[3 4] [7 8]]", "5 of 7 rows have missing cells, in the columns a (3), b (4): they are left out"},
		{dataset.Spec{Missing: dataset.KeepMissing}, "[[NaN 1] [2 NaN] [3 4] [5 NaN] [7 8]]", "5 of 7 rows have missing cells, in the columns a (3), b (4); 2 of them, with every cell missing, are left out"},
		{dataset.Spec{Missing: dataset.KeepMissing, Float32: true}, "[[NaN 1] [2 NaN] [3 4] [5 NaN] [7 8]]", ""},
		{dataset.Spec{Missing: dataset.KeepMissing, Scored: true}, "[[NaN 1] [2 NaN] [3 4] [NaN NaN] [5 NaN] [NaN NaN] [7 8]]", "5 of 7 rows have missing cells, in the columns a (3), b (4)"},
		{dataset.Spec{Missing: dataset.KeepMissing, Where: dataset.Condition{Column: "site", Value: "y"}}, "[[3 4] [5 NaN]]", "2 of 3 rows have missing cells, in the columns a (1), b (2); 1 of them, with every cell missing, are left out"},
	} {
		for _, memory := range []int64{0, 1} { // with 1, rows stay in their file
			c.spec.Memory = memory
			d, err := loadHoles(t, holes, c.spec)
			if err != nil {
				t.Fatal(err)
			}
			if c.spec.Where.Given() {
				d.Columns = nil
			} else if strings.Join(d.Columns, " ") != "a b" {
				t.Errorf("columns %v", d.Columns)
			}
			if got := shown(t, d); got != c.rows {
				t.Errorf("%+v: rows %s, want %s", c.spec, got, c.rows)
			}
			if got := d.Gaps.String(); c.gaps != "" && got != c.gaps {
				t.Errorf("%+v: got  %q\nwant %q", c.spec, got, c.gaps)
			}
		}
	}
}

// Rows of a stream can be read from any place, even if some rows are left out.
func TestMissingCellsInStreams(t *testing.T) {
	var b strings.Builder
	b.WriteString("a,b\n")
	for i := range 3000 {
		switch {
		case i%7 == 3:
			fmt.Fprintf(&b, "%d,\n", i)
		case i%11 == 5:
			b.WriteString(",NA\n")
		default:
			fmt.Fprintf(&b, "%d,%d\n", i, 2*i)
		}
	}
	for _, missing := range []string{dataset.SkipMissing, dataset.KeepMissing} {
		held, err := loadHoles(t, b.String(), dataset.Spec{Missing: missing})
		if err != nil {
			t.Fatal(err)
		}
		streamed, err := loadHoles(t, b.String(), dataset.Spec{Missing: missing, Memory: 1})
		if err != nil {
			t.Fatal(err)
		}
		x, y := held.Participants[0].Train, streamed.Participants[0].Train
		if !dataset.Streams(y) {
			t.Fatal("the rows are in memory")
		}
		n, _ := x.Dims()
		if got, _ := y.Dims(); got != n {
			t.Fatalf("%d rows, want %d", got, n)
		}
		for _, from := range []int{2000, 0, 1999, 700, n - 5} {
			p, q := make([]float64, 10), make([]float64, 10)
			if err := x.ReadRows(p, from); err != nil {
				t.Fatal(err)
			}
			if err := y.ReadRows(q, from); err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(p) != fmt.Sprint(q) {
				t.Errorf("%s, from row %d: %v, want %v", missing, from, q, p)
			}
		}
	}
}

// Text in place of a number is an error in training, and a missing cell in rows that are scored. A
// number that is too large is scored as the largest one.
func TestOddCells(t *testing.T) {
	const table = "a,b\n1,2\n3,broken\n4,1e99\n"
	_, err := loadHoles(t, table, dataset.Spec{Missing: dataset.KeepMissing})
	if err == nil || !strings.Contains(err.Error(), `:3: column "b": want a number, got "broken"`) {
		t.Errorf("training: %v", err)
	}
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := os.WriteFile(path, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	read := 0
	gaps, err := dataset.Scan(dataset.Spec{Data: []string{path}, Columns: []string{"b", "a"}, Missing: dataset.KeepMissing, Scored: true}, uncarried, func(b dataset.Block) error {
		x := b.X
		read, _ = x.Dims()
		if !math.IsNaN(x.At(1, 0)) || x.At(2, 0) != 1e60 || x.At(1, 1) != 3 {
			t.Errorf("got %v", mat.Formatted(x))
		}
		return nil
	})
	if err != nil || read != 3 {
		t.Fatal(read, err)
	}
	if want := `cells that are no numbers count as missing: 1, the first at ` + path + `:3: column "b": want a number, got "broken"`; gaps.Oddities() != want {
		t.Errorf("got %q, want %q", gaps.Oddities(), want)
	}
}

// A column of rows to be scored in which all cells have units is an error. Marks of missing cells, and words, are
// what a recorder writes.
func TestUnreadableColumns(t *testing.T) {
	for _, c := range []struct {
		cell  string
		rows  int
		error bool
	}{
		{"7.5 °C", 1, true},
		{"7.5 °C", 60, true},
		{"-12 bar", 60, true},
		{"down", 60, false},
		{"ERR 17", 60, false},
		{"NA", 60, false},
		{"No Data", 60, false},
		{"", 60, false},
	} {
		text := "a,b\n" + strings.Repeat("1,"+c.cell+"\n", c.rows)
		folder(t, "f.csv", text, "f.csv.gz", zipped(t, text))
		for _, file := range []string{"f.csv", "f.csv.gz"} {
			_, err := dataset.Scan(dataset.Spec{Data: []string{file}, Columns: []string{"a", "b"}, Missing: dataset.KeepMissing, Scored: true}, uncarried, func(dataset.Block) error { return nil })
			var fault *dataset.Error
			if c.error != errors.As(err, &fault) || c.error && (fault.Column != "b" || fault.Line != 2 || fault.Got != c.cell) {
				t.Errorf("%d rows with %q: got %v", c.rows, c.cell, err)
			}
		}
		_, err := dataset.LoadOne(dataset.Spec{Data: []string{"f.csv"}, Columns: []string{"a", "b"}, Missing: dataset.KeepMissing, Scored: true})
		if c.error != (err != nil) {
			t.Errorf("%d rows with %q: loaded with %v", c.rows, c.cell, err)
		}
	}
}

func TestColumnsWithoutCells(t *testing.T) {
	_, err := loadHoles(t, "a,b\n1,\n2,NA\n", dataset.Spec{Missing: dataset.KeepMissing})
	if err == nil || !strings.Contains(err.Error(), `column "b": all cells are missing; leave the column out with --ignore b`) {
		t.Errorf("got %v", err)
	}
}

func TestMissingCellsAreNotAlike(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := os.WriteFile(path, []byte("a,b,class\n1,2,x\n2,NA,x\n3,4,y\n5,6,y\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	split, err := partition.Parse("pca-kmeans:clients=2,shuffle=0,label=class")
	if err != nil {
		t.Fatal(err)
	}
	_, err = dataset.LoadAll(dataset.Spec{Data: []string{path}, Split: split, Label: "class", Missing: dataset.KeepMissing})
	if err == nil || !strings.Contains(err.Error(), "rows with missing cells cannot be dealt by how alike they are") {
		t.Errorf("got %v", err)
	}
}
