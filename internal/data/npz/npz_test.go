package npz_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/internal/data/npz"
	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
)

// write returns the bytes of an archive.
func write(t testing.TB, members func(w *npz.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	w := npz.NewWriter(&b)
	if err := members(w); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(t testing.TB, b []byte) *npz.Archive {
	t.Helper()
	a, err := npz.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func example(w *npz.Writer) error {
	return errors.Join(
		npz.Put(w, "means", npz.Array[float64]{Shape: []int{2, 3}, Data: []float64{1, -2, 0.5, math.Pi, 0, 1e300}}),
		npz.Put(w, "count", npz.Array[int64]{Shape: []int{2}, Data: []int64{-1, 1 << 62}}),
		npz.Put(w, "mask", npz.Array[uint8]{Shape: []int{1, 2, 2}, Data: []uint8{0, 1, 255, 7}}),
		npz.Put(w, "one", npz.Array[float64]{Data: []float64{42}}),
		w.File("manifest.json", []byte(`{"version":1}`)),
	)
}

// TestBytes pins the format: the header that NumPy itself writes for these
// shapes, at a multiple of 64, then the little-endian values.
func TestBytes(t *testing.T) {
	content, err := open(t, write(t, example)).File("means.npy")
	if err != nil {
		t.Fatal(err)
	}
	head := "\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"
	head += strings.Repeat(" ", 128-len(head)-1) + "\n"
	data := "\x00\x00\x00\x00\x00\x00\xf0\x3f" + "\x00\x00\x00\x00\x00\x00\x00\xc0"
	if got := string(content); len(got) != 128+6*8 || !strings.HasPrefix(got, head+data) {
		t.Errorf("got %q, want it to begin with %q", got, head+data)
	}
	for name, want := range map[string]string{"count": "'<i8', 'fortran_order': False, 'shape': (2,), }", "mask": "'|u1', 'fortran_order': False, 'shape': (1, 2, 2), }", "one": "'shape': (), }"} {
		content, err := open(t, write(t, example)).File(name + ".npy")
		if err != nil || !strings.Contains(string(content), want) {
			t.Errorf("%s: got %q (%v), want %q in it", name, content, err, want)
		}
	}
}

func TestSameBytesTwice(t *testing.T) {
	if !bytes.Equal(write(t, example), write(t, example)) {
		t.Error("the same members gave different bytes")
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(0, 4), 0, 4).Draw(t, "shape")
		n := 1
		for _, d := range shape {
			n *= d
		}
		floats := rapid.SliceOfN(rapid.Float64(), n, n).Draw(t, "floats")
		ints := rapid.SliceOfN(rapid.Int64(), n, n).Draw(t, "ints")
		small := rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "bytes")
		var b bytes.Buffer
		w := npz.NewWriter(&b)
		err := errors.Join(
			npz.Put(w, "f", npz.Array[float64]{Shape: shape, Data: floats}),
			npz.Put(w, "i", npz.Array[int64]{Shape: shape, Data: ints}),
			npz.Put(w, "u", npz.Array[uint8]{Shape: shape, Data: small}),
			w.File("notes.txt", small), w.Close())
		if err != nil {
			t.Fatal(err)
		}
		a, err := npz.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		same(t, a, "f", shape, floats)
		same(t, a, "i", shape, ints)
		same(t, a, "u", shape, small)
		if got, err := a.File("notes.txt"); err != nil || !bytes.Equal(got, small) {
			t.Fatalf("plain file: got %q, %v", got, err)
		}
	})
}

func same[T npz.Number](t *rapid.T, a *npz.Archive, name string, shape []int, data []T) {
	got, err := npz.Get[T](a, name)
	if err != nil || !slices.Equal(got.Shape, shape) || fmt.Sprint(got.Data) != fmt.Sprint(data) {
		t.Fatalf("%s: got %v, %v, want shape %v of %v", name, got, err, shape, data)
	}
}

func TestNamesKeepTheirOrder(t *testing.T) {
	want := []string{"means.npy", "count.npy", "mask.npy", "one.npy", "manifest.json"}
	if got := open(t, write(t, example)).Names(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWriterRefuses(t *testing.T) {
	w := npz.NewWriter(&bytes.Buffer{})
	if err := w.File("a", nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "", "..", "x/y", "fake.npy"} {
		if err := w.File(name, nil); err == nil {
			t.Errorf("file name %q was taken", name)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a shape that does not match its data was taken")
		}
	}()
	_ = npz.Put(w, "b", npz.Array[uint8]{Shape: []int{3}, Data: make([]uint8, 2)})
}

// TestNumPy opens the file with NumPy, if it is installed.
func TestNumPy(t *testing.T) {
	if exec.Command("python3", "-c", "import numpy").Run() != nil {
		t.Skip("no python3 with numpy on this machine")
	}
	path := filepath.Join(t.TempDir(), "model.npz")
	if err := os.WriteFile(path, write(t, example), 0o600); err != nil {
		t.Fatal(err)
	}
	script := `
import sys, math, numpy as np
z = np.load(sys.argv[1], allow_pickle=False)
assert z["means"].tolist() == [[1, -2, 0.5], [math.pi, 0, 1e300]], z["means"]
assert z["count"].dtype == np.int64 and z["count"].tolist() == [-1, 2**62]
assert z["mask"].shape == (1, 2, 2) and z["mask"].dtype == np.uint8
assert z["one"].shape == () and float(z["one"]) == 42
assert z["manifest.json"] == b'{"version":1}'
`
	if out, err := exec.Command("python3", "-c", script, path).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
