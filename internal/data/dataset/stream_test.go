package dataset_test

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
)

// many returns n rows like sites, as CSV and as rows of Parquet. The CSV also has blank lines, and
// cells of several lines.
func many(n int) (string, []sited) {
	var csv strings.Builder
	csv.WriteString("\ufefftemp,site,flow,label,part\r\n")
	var rows []sited
	for i := range n {
		r := sited{float64(i) / 8, []string{"no\nrth", "south"}[i/5%2], int32(i), int8(i % 2), []string{"train", "test", "old"}[i*i%17%3]}
		rows = append(rows, r)
		fmt.Fprintf(&csv, "%v,\"%s\",%d,%d,%s\n", r.Temp, r.Site, r.Flow, r.Label, r.Part)
		if i%100 == 7 {
			csv.WriteString("\n\n")
		}
	}
	return csv.String(), rows
}

// all reads rows in several ranges at a time, started in a drawn order.
func all(t *rapid.T, rows collabdict.Rows) []float64 {
	if rows == nil {
		return nil
	}
	n, m := rows.Dims()
	x := make([]float64, n*m)
	ranges := rapid.IntRange(1, 5).Draw(t, "ranges")
	step := rapid.IntRange(1, 400).Draw(t, "rows at a time")
	errs := make([]error, ranges)
	var wait sync.WaitGroup
	for _, r := range rapid.Permutation([]int{0, 1, 2, 3, 4}).Draw(t, "order") {
		if r >= ranges {
			continue
		}
		wait.Go(func() {
			end := (r + 1) * n / ranges
			for at := r * n / ranges; at < end; at += step {
				if err := rows.ReadRows(x[at*m:min(end, at+step)*m], at); err != nil {
					errs[r] = err
				}
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// TestStreamsAreAsMemory checks that rows read from files or their copies, in any order and by
// several readers, equal those in memory.
func TestStreamsAreAsMemory(t *testing.T) {
	csv, sites := many(1500)
	more, _ := many(300)
	folder(
		t,
		"a.csv", csv, "b.csv", more,
		"a.parquet", parquetFile(t, sites, parquet.MaxRowsPerRowGroup(700), parquet.PageBufferSize(256)),
		"b.parquet", withoutIndex(t, parquetFile(t, sites[:300], parquet.DataPageVersion(1), parquet.PageBufferSize(100))), "a.npy", records(sites), "a.ndjson", objects(t, sites),
	)
	rapid.Check(t, func(t *rapid.T) {
		spec := dataset.Spec{
			Data:  rapid.SampledFrom([][]string{{"a.csv"}, {"a.csv", "b.csv"}, {"a.parquet"}, {"a.parquet", "b.parquet"}, {"a.npy"}, {"a.ndjson"}, {"b.csv", "a.ndjson"}, {"b.csv", "a.npy", "a.parquet"}}).Draw(t, "data"),
			Label: rapid.SampledFrom([]string{"", "label", "site"}).Draw(t, "label"),
			Limit: rapid.SampledFrom([]int{0, 1, 256, 1000, 1200}).Draw(t, "limit"),
		}
		if rapid.Bool().Draw(t, "where") {
			spec.Where = condition("part=train")
		}
		if rapid.Bool().Draw(t, "test where") {
			spec.TestWhere = condition("part=test")
		}
		want, err := dataset.LoadOne(spec)
		if err != nil {
			t.Fatal(err)
		}
		values := 2 * len(want.Participants[0].Columns) * 2000
		spec.Memory = int64(rapid.SampledFrom([]int{1, 8 * values}).Draw(t, "memory"))
		spec.Folder = rapid.SampledFrom([]string{"", "kept"}).Draw(t, "folder")
		got, err := dataset.LoadOne(spec)
		if err != nil {
			t.Fatal(err)
		}
		p, q := &got.Participants[0], &want.Participants[0]
		if _, held := p.Train.(rows.Matrix); held != (spec.Memory > 1) {
			t.Fatalf("rows are held: %t, with %d bytes of memory", held, spec.Memory)
		}
		if (p.Test == p.Train) != (q.Test == q.Train) {
			t.Fatal("test rows are those that train, or they are not")
		}
		if !reflect.DeepEqual(all(t, p.Train), all(t, q.Train)) || !reflect.DeepEqual(all(t, p.Test), all(t, q.Test)) {
			t.Fatal("other rows")
		}
		p.Train, p.Test, q.Train, q.Test = nil, nil, nil, nil
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	})
}

// Without a folder for a copy, the rows of a compressed file must fit in memory.
func TestCompressedCSVMustFit(t *testing.T) {
	csv, _ := many(1500)
	folder(t, "a.csv.gz", zipped(t, csv))
	spec := dataset.Spec{Data: []string{"a.csv.gz"}, Ignore: []string{"site", "part"}, Memory: 3 * 8 * 1500}
	d, err := dataset.LoadOne(spec)
	if err != nil || len(values(d.Participants[0].Train)) != 1500 {
		t.Fatalf("got %v", err)
	}
	spec.Memory--
	_, err = dataset.LoadOne(spec)
	wantError(t, err, `a.csv.gz: 4500 values take more memory than the 35999 bytes of --memory, and cannot be copied to "": more bytes than a spool keeps in memory; allow more --memory, convert it to Parquet, or free space`)
}

// TestFaultsAreFoundBeforehand checks that loading reports faults in rows that are read only later.
func TestFaultsAreFoundBeforehand(t *testing.T) {
	csv, rows := many(800)
	rows[700].Temp = 1e61
	folder(t, "a.csv", csv+"1,x,2,3\n", "a.parquet", parquetFile(t, rows))
	for file, want := range map[string]string{
		"a.csv":     `a.csv:1218: want 5 cells as in the header, got 4; fix the row`,
		"a.parquet": `a.parquet: row 701: column "temp": want a number of at most 1e+60 in size, got 1e+61; fix the cell, or leave the column out with --ignore temp`,
	} {
		_, err := dataset.LoadOne(dataset.Spec{Data: []string{file}, Memory: 1})
		wantError(t, err, want)
	}
}

// TestFilesMustNotChange checks that reading fails after a file was written to, touched or
// replaced.
func TestFilesMustNotChange(t *testing.T) {
	csv, rows := many(3000)
	forms := map[string]string{"a.csv": csv, "a.parquet": parquetFile(t, rows, parquet.PageBufferSize(256)), "a.npy": records(rows), "a.ndjson": objects(t, rows)}
	for file, content := range forms {
		for name, change := range map[string]func() error{
			"written to": func() error { return os.WriteFile(file, []byte(content+" "), 0o600) },
			"touched":    func() error { return os.Chtimes(file, time.Time{}, time.Unix(1e9, 0)) },
			"replaced": func() error {
				if err := os.WriteFile("new", []byte(content), 0o600); err != nil {
					return err
				}
				return os.Rename("new", file)
			},
		} {
			folder(t, file, content)
			d, err := dataset.LoadOne(dataset.Spec{Data: []string{file}, Memory: 1})
			if err != nil {
				t.Fatal(err)
			}
			train := d.Participants[0].Train
			x := make([]float64, 3)
			if name != "replaced" { // an open file is still the old one
				err = train.ReadRows(x, 0)
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := change(); err != nil {
				t.Fatal(err)
			}
			err = train.ReadRows(x, 2900)
			if want := file + `: the file changed while it was in use; start again, and leave it as it is until the end`; err == nil || err.Error() != want {
				t.Errorf("%s, %s: got %v", file, name, err)
			}
		}
	}
}

func TestFloat32(t *testing.T) {
	csv, sites := many(900)
	folder(t, "a.csv", csv, "a.parquet", parquetFile(t, sites))
	for _, file := range []string{"a.csv", "a.parquet"} {
		for _, memory := range []int64{0, 4 * 900 * 3} {
			d, err := dataset.LoadOne(dataset.Spec{Data: []string{file}, Float32: true, Memory: memory})
			if err != nil {
				t.Fatal(err)
			}
			single, ok := d.Participants[0].Train.(*rows.Single)
			if !ok {
				t.Fatalf("%T", d.Participants[0].Train)
			}
			x := make([]float64, 6)
			if err := single.ReadRows(x, 898); err != nil || !reflect.DeepEqual(x, []float64{898. / 8, 898, 0, 899. / 8, 899, 1}) {
				t.Errorf("got %v, %v", x, err)
			}
		}
	}
}

func TestFloat32HasRoom(t *testing.T) {
	_, rows := many(900)
	rows[700].Temp = 1e39
	folder(t, "a.csv", "x,y\n1,3.4e38\n2,-1e39\n", "a.parquet", parquetFile(t, rows))
	for file, want := range map[string]string{
		"a.csv":     `a.csv:3: column "y": want a number of at most 3.4e+38 in size in single precision, got -1e+39; leave out --float32`,
		"a.parquet": `a.parquet: row 701: column "temp": want a number of at most 3.4e+38 in size in single precision, got 1e+39; leave out --float32`,
	} {
		for _, memory := range []int64{0, 1} {
			_, err := dataset.LoadOne(dataset.Spec{Data: []string{file}, Float32: true, Memory: memory})
			wantError(t, err, want)
		}
	}
}

// LoadAll leaves rows in their files if all rows together exceed Memory, and gives the same rows in
// either case.
func TestLoadAllLeavesRowsInTheirFiles(t *testing.T) {
	folder(t, "a.csv", "x,y\n1,2\n3,4\n5,6\n", "b.csv", "x,y\n7,8\n9,10\n", "z/c.csv.gz", zipped(t, "x,y\n1,1\n"))
	for memory, streamed := range map[int64]bool{0: false, 1 << 20: false, 8: true} {
		d, err := dataset.LoadAll(dataset.Spec{Data: []string{"a.csv", "b.csv"}, Memory: memory})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []*mat.Dense{mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6}), mat.NewDense(2, 2, []float64{7, 8, 9, 10})} {
			p := d.Participants[i]
			if _, held := p.Train.(rows.Matrix); held == streamed {
				t.Errorf("memory %d: rows are %T", memory, p.Train)
			}
			if got, err := rows.Dense(p.Train); err != nil || !mat.Equal(got, want) {
				t.Errorf("memory %d: %s has %v, %v", memory, p.Name, got, err)
			}
		}
	}
	d, err := dataset.LoadAll(dataset.Spec{Data: []string{"a.csv", "z"}, Memory: 1})
	if err != nil || len(d.Participants) != 2 {
		t.Fatal(d, err)
	}
	if _, ok := d.Participants[1].Train.(rows.Matrix); !ok {
		t.Errorf("rows of a compressed file are %T", d.Participants[1].Train)
	}
}
