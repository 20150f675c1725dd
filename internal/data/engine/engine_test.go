package engine

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
)

// This program is an engine if the variable has one of these values.
const (
	behaviour = "COLLABDICT_TEST_ENGINE"
	honest    = "honest"
	ends      = "ends"   // after it has read
	fewer     = "fewer"  // returns results of too few lanes
	others    = "others" // reads other columns

	lastWords = "no slots are free" // of one that ends
)

func TestMain(m *testing.M) {
	if how := os.Getenv(behaviour); how != "" {
		if err := Serve(&files{how: how}, os.Stdin, os.Stdout, func() {}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// files is an engine for files of this machine.
type files struct {
	how  string
	rows lanes.Rows
}

func (f *files) Read(r Reading) (*Read, error) {
	spec, err := r.Spec(r.Data[0])
	if err != nil {
		return nil, err
	}
	d, err := dataset.LoadOne(spec)
	if err != nil {
		return nil, err
	}
	if f.how == others {
		d.Columns = []string{"other"}
	}
	if r.First {
		return &Read{Columns: d.Columns}, nil
	}
	f.rows = d.Participants[0].Train
	n, _ := f.rows.Dims()
	return &Read{Columns: d.Columns, Rows: n, Begins: []int{0}, Digest: []byte{1}}, nil
}

func (f *files) Run(j Job) ([][]byte, error) {
	if f.how == ends {
		fmt.Fprintf(os.Stderr, "%s\nat line 7\n", lastWords)
		os.Exit(3)
	}
	made, err := lanes.Make(f.rows, j.Steps)
	if err != nil {
		return nil, err
	}
	var all []int
	for i := range j.Lanes {
		all = append(all, i)
	}
	if f.how == fewer {
		all = all[1:]
	}
	return lanes.Run(made, j.Name, j.Args, all)
}

func file(t *testing.T) string {
	var b strings.Builder
	b.WriteString("x,y,fault\n")
	for i := range 700 {
		fmt.Fprintf(&b, "%d,%d,%d\n", i%17, i%5, i/690)
	}
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func load(t *testing.T, how string, spec dataset.Spec) (*dataset.Dataset, error) {
	t.Helper()
	t.Setenv(behaviour, how)
	return Load(t.Context(), []string{os.Args[0]}, spec)
}

// Rows of an engine have the statistics and the values of the same rows here. Rows with known faults do
// not train.
func TestLoad(t *testing.T) {
	spec := dataset.Spec{Data: []string{file(t)}, Name: "plant", Label: "fault", Normal: true, Anomalies: true, Columns: []string{"y", "x"}}
	far, err := load(t, honest, spec)
	if err != nil {
		t.Fatal(err)
	}
	here, err := dataset.LoadOne(spec)
	if err != nil {
		t.Fatal(err)
	}
	a, b := far.Participants[0].Train, here.Participants[0].Train
	n, dim := a.Dims()
	if wantN, wantDim := b.Dims(); n != wantN || dim != wantDim || n != 690 {
		t.Fatalf("got %d by %d, want %d by %d", n, dim, wantN, wantDim)
	}
	got, want := make([]float64, 5*dim), make([]float64, 5*dim)
	if err := errors.Join(a.ReadRows(got, 254), b.ReadRows(want, 254)); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	first, median, third, err := columnstats.OwnQuartiles(a)
	if err != nil {
		t.Fatal(err)
	}
	wantFirst, wantMedian, wantThird, err := columnstats.OwnQuartiles(b)
	if err != nil || !slices.Equal(slices.Concat(first, median, third), slices.Concat(wantFirst, wantMedian, wantThird)) {
		t.Errorf("got %v, %v, %v, want %v, %v, %v", first, median, third, wantFirst, wantMedian, wantThird)
	}
}

// Windows have the columns of windows of the same rows here.
func TestWindows(t *testing.T) {
	spec := dataset.Spec{Data: []string{file(t)}, Name: "plant", Window: 3}
	far, err := load(t, honest, spec)
	if err != nil {
		t.Fatal(err)
	}
	here, err := dataset.LoadOne(spec)
	if err != nil {
		t.Fatal(err)
	}
	a, b := far.Participants[0], here.Participants[0]
	if !slices.Equal(far.Columns, here.Columns) || !slices.Equal(a.Columns, b.Columns) {
		t.Errorf("got %q and %q, want %q", far.Columns, a.Columns, b.Columns)
	}
	n, dim := a.Train.Dims()
	if wantN, wantDim := b.Train.Dims(); n != wantN || dim != wantDim {
		t.Fatalf("got %d by %d, want %d by %d", n, dim, wantN, wantDim)
	}
	got, want := make([]float64, n*dim), make([]float64, n*dim)
	if err := errors.Join(a.Train.ReadRows(got, 0), b.Train.ReadRows(want, 0)); err != nil || !slices.Equal(got, want) {
		t.Errorf("values differ, %v", err)
	}
}

// The columns are known without reading all rows.
func TestColumns(t *testing.T) {
	spec := dataset.Spec{Data: []string{file(t)}, Name: "plant"}
	t.Setenv(behaviour, honest)
	if got, err := Columns(t.Context(), []string{os.Args[0]}, spec); err != nil || !slices.Equal(got, []string{"x", "y", "fault"}) {
		t.Errorf("got %q, %v", got, err)
	}
	t.Setenv(behaviour, others)
	spec.Columns = []string{"x", "y"}
	if _, err := Columns(t.Context(), []string{os.Args[0]}, spec); err == nil {
		t.Error("other columns were accepted")
	}
}

// The reason of an engine that ends has the first line that it printed since the request.
func TestAnEngineEnds(t *testing.T) {
	d, err := load(t, ends, dataset.Spec{Data: []string{file(t)}, Name: "plant"})
	if err != nil {
		t.Fatal(err)
	}
	_, _, _, err = columnstats.OwnExtremes(d.Participants[0].Train)
	if failed, ok := errors.AsType[*Error](err); !ok || failed.Engine != os.Args[0] || !strings.HasSuffix(failed.Reason, ": "+lastWords) {
		t.Errorf("got %v", err)
	}
}

// waiting is an engine whose jobs last until there are no more requests.
type waiting struct {
	refusing
	began, ended chan struct{}
}

func (w waiting) Run(Job) ([][]byte, error) {
	close(w.began)
	<-w.ended
	return nil, nil
}

// An engine learns in the midst of a job that its node has ended, and then answers nobody.
func TestTheNodeEnds(t *testing.T) {
	w := waiting{began: make(chan struct{}), ended: make(chan struct{})}
	in, node := io.Pipe()
	go func() {
		_ = gob.NewEncoder(node).Encode(request{Job: &Job{Name: "moments", Lanes: 1}})
		<-w.began
		_ = node.Close()
	}()
	var out bytes.Buffer
	if err := Serve(w, in, &out, func() { close(w.ended) }); err != nil || out.Len() > 0 {
		t.Errorf("%d bytes were answered, %v", out.Len(), err)
	}
}

// Faults of an engine, and what an engine cannot read, are errors.
func TestFaults(t *testing.T) {
	spec := dataset.Spec{Data: []string{file(t)}, Name: "plant", Columns: []string{"x", "y"}}
	if _, err := load(t, others, spec); err == nil {
		t.Error("an engine with other columns was accepted")
	}
	missing := spec
	missing.Data = []string{filepath.Join(t.TempDir(), "none.csv")}
	if _, err := load(t, honest, missing); err == nil {
		t.Error("an engine has read a file that is missing")
	}
	timed := spec
	timed.Time = "x"
	if _, err := load(t, honest, timed); err == nil {
		t.Error("a column of times was ignored")
	}
	for _, some := range []dataset.Spec{{Where: dataset.Condition{Column: "y", Value: "1"}}, {Label: "fault", Normal: true, Anomalies: true}, {Missing: dataset.SkipMissing}} {
		for _, w := range []int{3, -1} {
			some.Data, some.Name, some.Columns, some.Window = spec.Data, spec.Name, spec.Columns, w
			if _, err := load(t, honest, some); err == nil {
				t.Errorf("windows over rows that are left out were made: %+v", some)
			}
		}
	}
	if _, err := Load(t.Context(), []string{filepath.Join(t.TempDir(), "none")}, spec); err == nil {
		t.Error("a program that is missing was started")
	}
	for _, how := range []string{ends, fewer} {
		d, err := load(t, how, spec)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // also after the end
			if _, _, _, err := columnstats.OwnExtremes(d.Participants[0].Train); err == nil {
				t.Errorf("%s: no error", how)
			}
		}
	}
}

// Requests say that there is no row of units, though the first row looks like one.
func TestNoUnitsRow(t *testing.T) {
	path, no := filepath.Join(t.TempDir(), "rows.csv"), false
	if err := os.WriteFile(path, []byte("x,y\nm,kW\n1,2\n3,4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	spec := dataset.Spec{Data: []string{path}, Name: "plant", Columns: []string{"x"}}
	spec.CSV.UnitsRow = &no
	if d, err := load(t, honest, spec); err == nil {
		n, _ := d.Participants[0].Train.Dims()
		t.Errorf("got %d rows, want an error about the first", n)
	}
}

// Whatever bytes come, Serve answers or ends.
func FuzzServe(f *testing.F) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(request{Job: &Job{Name: "moments", Lanes: 1}}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("x"))
	f.Fuzz(func(_ *testing.T, in []byte) {
		var out bytes.Buffer
		_ = Serve(refusing{}, bytes.NewReader(in), &out, func() {})
	})
}

type refusing struct{}

func (refusing) Read(Reading) (*Read, error) { return nil, errors.New("no") }
func (refusing) Run(Job) ([][]byte, error)   { return nil, errors.New("no") }
