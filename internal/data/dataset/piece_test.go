package dataset_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/collabdict/collabdict/internal/data/dataset"
)

// scanned has what a scan passes on: for each row, its number, its carried cells and its values.
func scanned(t *testing.T, spec dataset.Spec) (out []string) {
	t.Helper()
	_, err := dataset.Scan(spec, func([]string) error { return nil }, func(b dataset.Block) error {
		for i, number := range b.Numbers {
			out = append(out, fmt.Sprint(number, b.Carried[i], b.X.RawRowView(i)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sparse returns a file of the same size with some ranges of the bytes only.
func sparse(t *testing.T, path string, keep ...dataset.Bytes) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]byte, len(text))
	for _, b := range keep {
		copy(out[b.First:b.End], text[b.First:b.End])
	}
	to := filepath.Join(t.TempDir(), filepath.Base(path))
	if err := os.WriteFile(to, out, 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}

// The rows of the pieces of a file are those of the file: its first rows say how all are written, though a piece may
// look as if it were written otherwise.
func TestPiecesOfCSV(t *testing.T) {
	files := map[string]string{
		"plain":    "time,x,y\n1,2,3\n\n4,5,6\n7,8,9\n",
		"points":   "time;x;y\n1;0.5;2.25\n2;1.125;3.5\n3;1.234;5.678\n4;2.345;6.789\n",
		"commas":   "sep=;\r\ntime;x;y\r\n1;0,5;2,25\r\n2;7;8\r\n3;1,234;5,678\r\n",
		"groups":   "time;x;y\n1;1.234,5;2,25\n2;1.234;5.678\n3;2.345;6.789\n",
		"units":    "time,x,y\ns,mm,kW\n1,2,3\n4,5,6\n",
		"preamble": "made by a logger\nat noon\ntime,x,y\n1,2,3\n4,5,6\n7,8,9\n",
		"missing":  "time,x,y\n1,,3\n2,down,6\n3,8,\n",
		"no end":   "time,x,y\n1,2,3\n4,5,6",
	}
	for name, text := range files {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "rows.csv")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			spec := dataset.Spec{Data: []string{path}, Columns: []string{"x", "y"}, Missing: dataset.KeepMissing, Scored: true, Window: 3}
			want := scanned(t, spec)
			var lines []int64
			for i, c := range text {
				if c == '\n' {
					lines = append(lines, int64(i)+1)
				}
			}
			lines = append(lines, int64(len(text)))
			for step := 1; step <= len(lines); step++ {
				var got []string
				first, series := int64(0), dataset.Series{}
				for i, end := range lines {
					if (i+1)%step != 0 && i+1 < len(lines) {
						continue
					}
					of := spec
					of.Piece, of.Series = &dataset.Bytes{First: first, End: end}, &series
					got = append(got, scanned(t, of)...)
					first = end
				}
				if !slices.Equal(got, want) {
					t.Errorf("pieces of %d lines: got %q, want %q", step, got, want)
				}
			}
		})
	}
}

// Rows of row groups are those of the file, and need its footer only besides.
func TestPiecesOfParquet(t *testing.T) {
	type row struct {
		Time string   `parquet:"time"`
		X    float64  `parquet:"x,dict"`
		Y    *float64 `parquet:"y,optional"`
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, parquet.PageBufferSize(300))
	for g, n := range []int{70, 1, 400, 35} {
		for i := range n {
			y := float64(i) * 0.5
			r := row{fmt.Sprintf("%d-%d", g, i), float64(i % 7), &y}
			if i%5 == 0 {
				r.Y = nil
			}
			if _, err := w.Write([]row{r}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "rows.parquet")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	groups, err := dataset.RowGroups(path)
	if err != nil || len(groups) != 4 {
		t.Fatal(groups, err)
	}
	spec := dataset.Spec{Data: []string{path}, Columns: []string{"y", "x"}, Missing: dataset.KeepMissing, Scored: true, Window: 5}
	want := scanned(t, spec)
	size := int64(b.Len())
	for _, pieces := range [][]int{{0, 1, 2, 3, 4}, {0, 2, 4}, {0, 3, 4}} {
		var got []string
		var series dataset.Series
		for i, g := range pieces[1:] {
			of := spec
			of.Piece, of.Series = &dataset.Bytes{First: groups[pieces[i]].First, End: groups[g-1].End}, &series
			of.Data = []string{sparse(t, path, dataset.Bytes{End: 4}, *of.Piece, dataset.Bytes{First: groups[3].End, End: size})}
			got = append(got, scanned(t, of)...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("pieces %v: got %q, want %q", pieces, got, want)
		}
	}
}

// A piece need not have rows that meet a condition, nor columns that others carry.
func TestAPieceIsNotAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte("state,x\noff,1\noff,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	spec := dataset.Spec{Data: []string{path}, Name: "rows", Columns: []string{"x"}, Piece: &dataset.Bytes{End: math.MaxInt64}, Where: dataset.Condition{Column: "state", Value: "on"}}
	d, err := dataset.LoadOne(spec)
	if err != nil || len(d.Participants) != 1 || d.Participants[0].Train != nil {
		t.Error(d, err)
	}
	spec.Where, spec.Carry = dataset.Condition{}, []string{"note", "state"}
	if got := scanned(t, spec); !slices.Equal(got, []string{"1 [ off] [1]", "2 [ off] [2]"}) {
		t.Errorf("got %q", got)
	}
}

// Files whose lines cannot be found are read as a whole only.
func TestNoPieces(t *testing.T) {
	for name, text := range map[string]string{
		"rows.csv":    "x,y\r1,2\r3,4\r",
		"latin.csv":   "x,T\xe4\n1,2\n3,4\n",
		"rows.ndjson": `{"x":1}` + "\n" + `{"x":2}` + "\n",
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		spec := dataset.Spec{Data: []string{path}, Columns: []string{"x"}, Scored: true, Piece: &dataset.Bytes{End: 8}}
		_, err := dataset.Scan(spec, func([]string) error { return nil }, func(dataset.Block) error { return nil })
		if !errors.Is(err, dataset.ErrPiece) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v", name, err)
		}
		spec.Piece.End = int64(len(text))
		if _, err := dataset.Scan(spec, func([]string) error { return nil }, func(dataset.Block) error { return nil }); err != nil {
			t.Errorf("%s as a whole: %v", name, err)
		}
	}
}
