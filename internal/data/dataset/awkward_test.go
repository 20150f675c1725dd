package dataset_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
)

var update = flag.Bool("update", false, "write the files that hold what is expected")

// TestAwkwardFiles compares how each file is read, or its error, with testdata/awkward.txt. With
// -update, it writes the files and that text.
func TestAwkwardFiles(t *testing.T) {
	folder, err := filepath.Abs(filepath.Join("testdata", "awkward"))
	if err != nil {
		t.Fatal(err)
	}
	files, golden := awkwardFiles(t), folder+".txt"
	var text strings.Builder
	for _, f := range files {
		path := filepath.Join(folder, f.name+".csv")
		if *update {
			if err := os.WriteFile(path, []byte(f.content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != f.content {
			t.Fatalf("%s is not as the test makes it (go test -update): %v", path, err)
		}
	}
	if there, err := os.ReadDir(folder); err != nil || len(there) != len(files) {
		t.Errorf("want %d files in %s, got %d, %v", len(files), folder, len(there), err)
	}
	t.Chdir(folder)
	for _, f := range files {
		fmt.Fprintf(&text, "== %s.csv\n%s%s\n", f.name, excerpt(f.content), reading(t, f))
	}
	if *update {
		if err := os.WriteFile(golden, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != text.String() {
		got, want := strings.Split(text.String(), "\n"), strings.Split(string(want), "\n")
		for i, line := range got {
			if i >= len(want) || want[i] != line {
				t.Fatalf("line %d of %s (go test -update)\ngot  %s\nwant %s", i+1, golden, line, want[min(i, len(want)-1)])
			}
		}
		t.Fatal("testdata/awkward.txt has more lines than expected")
	}
}

// excerpt shows the first lines of a file.
func excerpt(content string) string {
	var b strings.Builder
	lines := strings.SplitAfter(content, "\n")
	for i, line := range lines[:min(4, len(lines))] {
		if line == "" {
			continue
		}
		shown := fmt.Sprintf("%q", line)
		if shown = shown[1 : len(shown)-1]; len(shown) > 60 {
			shown = shown[:60] + "…"
		}
		fmt.Fprintf(&b, "   | %s\n", strings.TrimSuffix(strings.ReplaceAll(shown, `\"`, `"`), `\n`))
		if i == 3 && len(lines) > 5 {
			fmt.Fprintf(&b, "   | …\n")
		}
	}
	return b.String()
}

// reading describes how a file is read. Rows in memory and rows read again from the file must
// agree.
func reading(t *testing.T, f awkward) string {
	t.Helper()
	var b strings.Builder
	spec := dataset.Spec{Data: []string{f.name + ".csv"}, CSV: f.set}
	if strings.HasPrefix(f.name, "missing") {
		spec.Missing = dataset.SkipMissing
	}
	d, err := dataset.LoadOne(spec)
	streamed := spec
	streamed.Memory, streamed.Folder = 1, t.TempDir()
	s, again := dataset.LoadOne(streamed)
	if err != nil {
		var typed *dataset.Error
		if !errors.As(err, &typed) || again == nil || again.Error() != err.Error() {
			t.Errorf("%s: got %v held, and %v from the file", f.name, err, again)
		}
		return fmt.Sprintf("error: %v\n", err)
	}
	x := d.Participants[0].Train.(rows.Matrix)
	if again == nil {
		sameRows(t, f.name, x, s)
	} else if f.name != "gzip" {
		t.Errorf("%s from the file: %v", f.name, again)
	}
	for _, line := range d.Gaps.Forms() {
		fmt.Fprintf(&b, "note: %s\n", line)
	}
	for _, c := range d.Ignored {
		fmt.Fprintf(&b, "note: %s is not a feature\n", c)
	}
	n, _ := x.Dims()
	fmt.Fprintf(&b, "%d rows of %s\n", n, strings.Join(d.Columns, " | "))
	for i := range min(2, n) {
		fmt.Fprintf(&b, "   %v\n", x.RawRowView(i))
	}
	return b.String()
}

// sameRows checks the rows of a file, read again from the last to the first.
func sameRows(t *testing.T, name string, x rows.Matrix, d *dataset.Dataset) {
	t.Helper()
	n, m := x.Dims()
	for i := n - 1; i >= 0; i-- {
		row := make([]float64, m)
		if err := d.Participants[0].Train.ReadRows(row, i); err != nil || !mat.Equal(mat.NewVecDense(m, row), mat.NewVecDense(m, x.RawRowView(i))) {
			t.Errorf("%s: row %d is %v from the file, %v, and %v in memory", name, i, row, err, x.RawRowView(i))
			return
		}
	}
}

// A row that is one quoted empty cell, below more rows than a dialect is recognised by, is an error.
func TestEmptyCellAmongTrailingDelimiters(t *testing.T) {
	folder(t, "f.csv", "a;b;\n"+strings.Repeat("1;2;\n", 200)+"\"\"\n")
	_, err := dataset.LoadOne(dataset.Spec{Data: []string{"f.csv"}})
	var fault *dataset.Error
	if !errors.As(err, &fault) || fault.Line != 202 {
		t.Fatalf("got %v, want an error in line 202", err)
	}
}
