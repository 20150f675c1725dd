package dataset_test

import (
	"errors"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// cellsOf reads rows as a pass does, in blocks.
func cellsOf(t *testing.T, of collabdict.Rows) (out []float64) {
	t.Helper()
	if err := lanes.EachRow(of, func(row []float64) { out = append(out, row...) }); err != nil {
		t.Fatal(err)
	}
	return out
}

// sameBits reports whether two lists of cells are the same, missing ones included.
func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// slowFiles returns files of 900 rows that are slow to read again.
func slowFiles(t *testing.T) map[string]string {
	csv, sites := many(900)
	ndjson := objects(t, sites)
	return map[string]string{
		"a.csv": csv, "a.csv.gz": zipped(t, csv), "a.ndjson": ndjson, "a.ndjson.gz": zipped(t, ndjson),
		"a-idx3-ubyte.gz": zipped(t, "\x00\x00\x08\x03\x00\x00\x03\x84\x00\x00\x00\x01\x00\x00\x00\x02"+strings.Repeat("\x05\x07\x09", 600)),
		"gaps.csv":        "x,y\n" + strings.Repeat("1,\n2,3\n,\nNA,4\n", 300),
	}
}

// After the first pass, nothing reads the source, so it may be gone. The copy has no name in the
// folder, and files of killed processes are removed.
func TestLaterPassesDoNotReadTheSource(t *testing.T) {
	for file, content := range slowFiles(t) {
		for name, more := range map[string]dataset.Spec{
			"all": {}, "where": {Where: condition("part=train"), TestWhere: condition("part=test"), Label: "label"}, "few": {Limit: 300}, "missing": {Missing: dataset.KeepMissing}, "windows": {Window: 7},
		} {
			if name == "where" && !strings.Contains(file, "csv") && !strings.Contains(file, "ndjson") || name == "where" && file == "gaps.csv" {
				continue
			}
			if file == "gaps.csv" {
				more.Missing = dataset.KeepMissing
			}
			more.Data = []string{file}
			folder(t, file, content, "kept/.rows-1.tmp", "of a process that was killed", "kept/rows.csv", "x\n1\n")
			want, err := dataset.LoadOne(more)
			if err != nil {
				t.Fatal(file, name, err)
			}
			more.Memory, more.Folder = 1, "kept"
			got, err := dataset.LoadOne(more)
			if err != nil {
				t.Fatal(file, name, err)
			}
			if got := inFolder(t, "kept"); !reflect.DeepEqual(got, []string{"rows.csv"}) {
				t.Errorf("%s, %s: the folder has %q", file, name, got)
			}
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			p, q := got.Participants[0], want.Participants[0]
			if !dataset.Streams(p.Train) || got.Uncopied != nil {
				t.Errorf("%s, %s: rows are %T, %v", file, name, p.Train, got.Uncopied)
			}
			for range 2 {
				if !sameBits(cellsOf(t, p.Train), cellsOf(t, q.Train)) || !sameBits(cellsOf(t, p.Test), cellsOf(t, q.Test)) {
					t.Errorf("%s, %s: other rows", file, name)
				}
			}
		}
	}
}

// Files of several formats share a copy, also with one that is quick to read.
func TestCopiesOfSeveralFiles(t *testing.T) {
	content := slowFiles(t)
	_, sites := many(900)
	folder(t, "a.csv", content["a.csv"], "b.csv.gz", content["a.csv.gz"], "c.parquet", parquetFile(t, sites), "d.ndjson", content["a.ndjson"])
	spec := dataset.Spec{Data: []string{"a.csv", "b.csv.gz", "c.parquet", "d.ndjson"}}
	want, err := dataset.LoadOne(spec)
	if err != nil {
		t.Fatal(err)
	}
	spec.Memory, spec.Folder = 1, "kept"
	got, err := dataset.LoadOne(spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"a.csv", "b.csv.gz", "d.ndjson"} {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	if !sameBits(cellsOf(t, got.Participants[0].Train), cellsOf(t, want.Participants[0].Train)) {
		t.Error("other rows")
	}
}

// Without room for a copy, a file that can be read from any row is read again, and others are an
// error that names the full disk. Nothing is left in the folder.
func TestNoRoomForACopy(t *testing.T) {
	dataset.Spare(t, math.MaxInt64)
	content := slowFiles(t)
	var named []string
	for name, text := range content {
		named = append(named, name, text)
	}
	folder(t, named...)
	for _, file := range []string{"a.csv", "a.ndjson"} {
		want, err := dataset.LoadOne(dataset.Spec{Data: []string{file}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := dataset.LoadOne(dataset.Spec{Data: []string{file}, Memory: 1, Folder: "kept"})
		if err != nil {
			t.Fatal(err)
		}
		if !files.IsFull(got.Uncopied) || !sameBits(cellsOf(t, got.Participants[0].Train), cellsOf(t, want.Participants[0].Train)) {
			t.Errorf("%s: %v, or other rows", file, got.Uncopied)
		}
	}
	for _, file := range []string{"a.csv.gz", "a.ndjson.gz", "a-idx3-ubyte.gz"} {
		_, err := dataset.LoadOne(dataset.Spec{Data: []string{file}, Memory: 1, Folder: "kept"})
		var typed *dataset.Error
		if !files.IsFull(err) || !errors.As(err, &typed) || typed.File != file {
			t.Errorf("%s: got %v", file, err)
		}
		if _, err := dataset.LoadOne(dataset.Spec{Data: []string{file}, Memory: 3 * 8 * 900, Folder: "kept"}); err != nil {
			t.Errorf("%s fits in memory: got %v", file, err)
		}
	}
	spec := dataset.Spec{Data: []string{"-"}, Memory: 1, Folder: "kept"}
	if err := spec.Forward(t.Context(), strings.NewReader(content["a.csv"]), never); err != nil {
		t.Fatal(err)
	}
	if _, err := dataset.LoadOne(spec); !files.IsFull(err) {
		t.Errorf("got %v", err)
	}
	if got := inFolder(t, "kept"); len(got) > 0 {
		t.Errorf("the folder has %q", got)
	}
}

// A folder in which nothing can be written is an error only for a source that is read once.
func TestFoldersOfCopiesThatCannotBe(t *testing.T) {
	csv, _ := many(900)
	folder(t, "a.csv", csv, "rows.csv", csv)
	spec := dataset.Spec{Data: []string{"a.csv"}, Memory: 1, Folder: "rows.csv"}
	d, err := dataset.LoadOne(spec)
	if err != nil || d.Uncopied == nil || len(cellsOf(t, d.Participants[0].Train)) != 2700 {
		t.Errorf("got %v", err)
	}
	spec = dataset.Spec{Data: []string{"-"}, Memory: 1, Folder: "rows.csv"}
	if err := spec.Forward(t.Context(), strings.NewReader(csv), never); err != nil {
		t.Fatal(err)
	}
	_, err = dataset.LoadOne(spec)
	var typed *dataset.Error
	if !errors.As(err, &typed) || !strings.HasPrefix(typed.Msg, "rows cannot be kept in rows.csv: ") {
		t.Errorf("got %v", err)
	}
}

func inFolder(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
