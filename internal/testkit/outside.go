package testkit

import (
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// outside is the environment variable with the folder of data, oracles and peers.
const outside = "COLLABDICT_OUTSIDE"

// OutsidePath returns the path of a file or folder of data that is not in the repository. It
// skips the test if that does not exist.
func OutsidePath(tb testing.TB, elem ...string) string {
	tb.Helper()
	name := filepath.Join(elem...)
	folder := os.Getenv(outside)
	if folder == "" {
		tb.Skipf("needs %s in the folder that %s names (make outside)", name, outside)
	}
	path := filepath.Join(folder, name)
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("%s: %v", outside, err)
	}
	return path
}

// OutsideUnpacked is like [OutsidePath], for a file whose name ends in .gz: it returns the path of an
// unpacked copy, which exists until the test ends.
func OutsideUnpacked(tb testing.TB, elem ...string) string {
	tb.Helper()
	path := OutsidePath(tb, elem...)
	unpacked := filepath.Join(tb.TempDir(), strings.TrimSuffix(filepath.Base(path), ".gz"))
	if err := unpack(path, unpacked); err != nil {
		tb.Fatal(err)
	}
	return unpacked
}

func unpack(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	unzipped, err := gzip.NewReader(in)
	if err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, unzipped)
	return errors.Join(err, out.Close())
}
