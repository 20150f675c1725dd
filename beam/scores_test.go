package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/engine"
)

// cli runs the program for nodes with arguments, and returns what it prints.
func cli(t testing.TB, args ...string) string {
	t.Helper()
	path := filepath.Join(filepath.Dir(program), "collabdict")
	build.Do(func() {
		c := exec.Command("go", "build", "-o", path, "./cmd/collabdict")
		c.Dir = ".."
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	})
	var problems bytes.Buffer
	c := exec.CommandContext(t.Context(), path, args...)
	c.Stderr = &problems
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &problems)
	}
	return string(out)
}

var build sync.Once

// reading is a row of a plant. Some cells are missing.
type reading struct {
	At    string   `parquet:"at"`
	Temp  *float64 `parquet:"temp,optional"`
	Flow  *float64 `parquet:"flow,optional"`
	Power *float64 `parquet:"power,optional"`
}

func readings(n int, gaps float64, seed uint64) (all []reading) {
	random := rand.New(rand.NewPCG(seed, 1))
	for i := range n {
		r, u := reading{At: fmt.Sprintf("2026-03-%02dT%02d:%02d:00Z", 1+i/1440, i/60%24, i%60)}, float64(random.IntN(3))
		cells := []**float64{&r.Temp, &r.Flow, &r.Power}
		for j, v := range []float64{20 + 10*u, 5 - u, 100 + 7*u} {
			if v += random.NormFloat64(); random.Float64() >= gaps {
				*cells[j] = &v
			}
		}
		all = append(all, r)
	}
	return all
}

// writeCSV writes rows as CSV with a further column, unless that has no name.
func writeCSV(t testing.TB, path string, rows []reading, further string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("at,temp,flow,power")
	if further != "" {
		b.WriteString("," + further)
	}
	for i, r := range rows {
		fmt.Fprintf(&b, "\n%s", r.At)
		for _, v := range []*float64{r.Temp, r.Flow, r.Power} {
			b.WriteString(",")
			if v != nil {
				fmt.Fprintf(&b, "%.4f", *v)
			}
		}
		if further != "" {
			fmt.Fprintf(&b, `,"a, b%d"`, i)
		}
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// learned returns the folder of a member with a model.
func learned(t testing.TB, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i, name := range []string{"a.csv", "b.csv", "c.csv"} {
		writeCSV(t, filepath.Join(dir, name), readings(300, 0, uint64(i)), "")
	}
	out := filepath.Join(dir, "result")
	cli(t, append([]string{"sim", filepath.Join(dir, "*.csv"), "--model", "ggm", "--components", "2", "--rounds", "4", "--lambda", "0.1", "--out", out}, flags...)...)
	return filepath.Join(out, "a")
}

// scores writes scores, by flags and then addresses. Its error has what the program printed.
func scores(t testing.TB, temp, member, output string, args ...string) error {
	t.Helper()
	at := slices.IndexFunc(args, func(a string) bool { return strings.Contains(a, "://") })
	all := append([]string{"score", "--temp", temp}, args[:at]...)
	all = append(append(all, member, output), args[at:]...)
	text, err := exec.CommandContext(t.Context(), program, all...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, text)
	}
	return nil
}

// joined returns the parts in a folder one after the other.
func joined(t testing.TB, dir string) string {
	t.Helper()
	parts, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for i, path := range parts {
		if want := fmt.Sprintf("part-%08d.csv", i); filepath.Base(path) != want {
			t.Fatalf("got %s, want %s", path, want)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: got %v, %v", path, info.Mode(), err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// The parts joined are what collabdict score writes: for several files with different columns, one file, and row
// groups; whole and in pieces, with windows that go on in the next piece, and by a threshold beside the model.
func TestScores(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "days"), 0o700); err != nil {
		t.Fatal(err)
	}
	for i, further := range []string{"", "note", ""} {
		writeCSV(t, filepath.Join(dir, "days", fmt.Sprintf("day-%d.csv", i)), readings(900+200*i, 0.05, uint64(i)), further)
	}
	writeCSV(t, filepath.Join(dir, "one.csv"), readings(1500, 0.05, 7), "note")
	var b bytes.Buffer
	if err := parquet.Write(&b, readings(3000, 0.05, 9), parquet.MaxRowsPerRowGroup(700), parquet.PageBufferSize(900)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "rows.parquet"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{nil, {"--window", "4"}} {
		member := learned(t, flags...)
		if flags != nil {
			if err := os.WriteFile(filepath.Join(member, "alarms.yaml"), []byte("threshold: 2.5\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, data := range []string{"days/", "one.csv", "rows.parquet"} {
			want := cli(t, "score", member, filepath.Join(dir, data))
			sizes := []string{"15"}
			if data == "days/" {
				sizes = append(sizes, "60000")
			}
			for _, kB := range sizes {
				output := filepath.Join(t.TempDir(), "scores")
				if err := scores(t, "file://"+t.TempDir(), member, "file://"+output, "--split-kb", kB, "file://"+filepath.Join(dir, data)+strings.Repeat("/", strings.Count(data, "/"))); err != nil {
					t.Fatal(err)
				}
				if got := joined(t, output); got != want {
					t.Errorf("%v, %s in pieces of %s kB: got %.2000q, want %.2000q", flags, data, kB, got, want)
				}
			}
		}
	}
}

// Scores of a bucket are the same though the server is often too busy.
func TestScoresOfABucket(t *testing.T) {
	member, dir, output := learned(t), t.TempDir(), filepath.Join(t.TempDir(), "scores")
	for i := range 2 {
		writeCSV(t, filepath.Join(dir, fmt.Sprintf("day-%d.csv", i)), readings(400, 0.05, uint64(i)), "")
	}
	var requests atomic.Int64
	address, query := bucket(t, dir, func(w http.ResponseWriter, _ *http.Request) bool {
		if requests.Add(1)%9 > 0 {
			return false
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	})
	if err := scores(t, address+"tmp/"+query, member, "file://"+output, "--split-kb", "9", address+"rows/"+query); err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(cli(t, "score", member, dir), dir+"/", address+"rows/")
	if got := joined(t, output); got != want {
		t.Errorf("got %.2000q, want %.2000q", got, want)
	}
}

// An object that changes after its rows have been counted is named, and has no part.
func TestAnObjectChangesBeforeItIsScored(t *testing.T) {
	member, dir := learned(t), t.TempDir()
	writeCSV(t, filepath.Join(dir, "day.csv"), readings(50, 0, 1), "")
	var counted, parts atomic.Bool
	address, query := bucket(t, dir, func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/result-"):
			counted.Store(true)
		case r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/part-"):
			parts.Store(true)
		case r.Method == http.MethodHead && strings.HasSuffix(r.URL.Path, ".csv") && counted.Load():
			w.Header().Set("Content-Length", "7")
			w.Header().Set("ETag", `"another"`)
			w.WriteHeader(http.StatusOK)
			return true
		}
		return false
	})
	err := scores(t, address+"tmp"+query, member, address+"scores"+query, address+"rows/"+query)
	if err == nil || !strings.Contains(err.Error(), "s3://plant/rows/day.csv has changed") || strings.Contains(err.Error(), "secret-of-the-test") {
		t.Errorf("got %v", err)
	}
	if !counted.Load() || parts.Load() {
		t.Errorf("counted: %v, written: %v", counted.Load(), parts.Load())
	}
}

// Scores do not go to a folder with objects, and rows without a column of the model are named.
func TestScoresRefused(t *testing.T) {
	member, dir := learned(t), t.TempDir()
	writeCSV(t, filepath.Join(dir, "day-0.csv"), readings(50, 0, 1), "")
	if err := os.WriteFile(filepath.Join(dir, "day-1.csv"), []byte("at,temp,flow\n1,2,3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	temp, output := "file://"+t.TempDir(), filepath.Join(t.TempDir(), "scores")
	if err := scores(t, temp, member, "file://"+output, "file://"+dir+"/day-1.csv"); err == nil || !strings.Contains(err.Error(), "day-1.csv") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(output); err == nil {
		t.Error("there are scores")
	}
	// A fault that a worker finds is the only line printed.
	if err := scores(t, temp, member, "file://"+output, "file://"+dir+"/"); err == nil || !strings.Contains(err.Error(), "day-1.csv") || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("got %v", err)
	}
	for i := range 2 { // the second time, the first has left scores
		if err := scores(t, temp, member, "file://"+output, "file://"+dir+"/day-0.csv"); (err == nil) != (i == 0) {
			t.Errorf("got %v", err)
		}
	}
}

// Rows of a piece are read as the beginning of their object says, and a piece need not have rows that train.
func TestPiecesAreReadAlike(t *testing.T) {
	var b strings.Builder
	b.WriteString("state;x;y\n")
	for i := range 400 {
		fmt.Fprintf(&b, "on;1.%03d,5;%d,25\n", 100+i, i%7)
	}
	for i := range 2000 { // alone, these would be fractions
		fmt.Fprintf(&b, "%s;1.%03d;2.%03d\n", []string{"on", "off"}[i/1000], 100+i%800, 200+i%500)
	}
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	spec := dataset.Spec{Data: []string{path}, Name: "rows", Columns: []string{"x", "y"}, Where: dataset.Condition{Column: "state", Value: "on"}}
	here, err := dataset.LoadOne(spec)
	if err != nil {
		t.Fatal(err)
	}
	spec.Data[0] = "file://" + path
	far, err := engine.Load(t.Context(), []string{program, "--temp", "file://" + t.TempDir(), "--split-kb", "8"}, spec)
	if err != nil {
		t.Fatal(err)
	}
	var values [2][]float64
	for i, d := range []*dataset.Dataset{here, far} {
		n, dim := d.Participants[0].Train.Dims()
		values[i] = make([]float64, n*dim)
		if err := d.Participants[0].Train.ReadRows(values[i], 0); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(values[0], values[1]) {
		t.Errorf("got %d values, want %d, which differ", len(values[1]), len(values[0]))
	}
}
