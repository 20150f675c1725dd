package dataset_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/rows"
)

// folder writes files, given as name and content in turn, and changes to their folder, so that
// messages show short paths.
func folder(t testing.TB, files ...string) {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(dir, files[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

func zipped(t testing.TB, content string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// values returns rows in memory as slices.
func values(of collabdict.Rows) [][]float64 {
	if of == nil {
		return nil
	}
	x := of.(rows.Matrix)
	n, _ := x.Dims()
	out := make([][]float64, n)
	for i := range out {
		out[i] = x.RawRowView(i)
	}
	return out
}

// A source is never silent for long, or as soon as it is.
var (
	never  = func() <-chan time.Time { return nil }
	atOnce = func() <-chan time.Time {
		c := make(chan time.Time)
		close(c)
		return c
	}
)

// uncarried takes the names of carried columns.
func uncarried([]string) error { return nil }
