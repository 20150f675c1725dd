package testkit

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"testing"
)

// OpenTestdata returns the content of a gzipped file under the package's testdata.
func OpenTestdata(t testing.TB, name string) io.Reader {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return z
}

// ReadJSON decodes a gzipped file under the package's testdata.
func ReadJSON(t testing.TB, name string, to any) {
	t.Helper()
	if err := json.NewDecoder(OpenTestdata(t, name)).Decode(to); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
