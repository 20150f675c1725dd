package bvae

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/networks/beta"
	"github.com/collabdict/collabdict/vae"
)

var shapes = []vae.Shape{{Name: "a", Rows: 2, Columns: 2}, {Name: "b", Rows: 1, Columns: 3}}

func example() checkpoint {
	c := checkpoint{Run: "run", Losses: []beta.Loss{{Squares: 3, Divergence: 0.5, Total: 8}}, values: []float32{1, -2, 0.1, 1e-30, 5, 6, 7}}
	c.Members = make([]beta.Standing, 2)
	c.Members[1].Discrepancy, c.Members[1].Weight.P = 0.1, 0.3
	return c
}

func TestCheckpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "below", "c.npz")
	if c, err := readCheckpoint(path, "run", shapes); c != nil || err != nil {
		t.Errorf("got %+v, %v of no file", c, err)
	}
	want := example()
	if err := want.write(path, shapes); err != nil {
		t.Fatal(err)
	}
	if got, err := readCheckpoint(path, "run", shapes); err != nil || !reflect.DeepEqual(*got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if c, err := readCheckpoint(path, "another", shapes); c != nil || err != nil {
		t.Errorf("got %+v, %v of another run", c, err)
	}
	if _, err := readCheckpoint(path, "run", []vae.Shape{{Name: "a", Rows: 4, Columns: 1}}); err == nil || !strings.Contains(err.Error(), "a: want 4 by 1 values, got shape [2 2]; delete the file") {
		t.Errorf("got %v", err)
	}
	if err := os.WriteFile(path, []byte("PK"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readCheckpoint(path, "run", shapes); err == nil || !strings.Contains(err.Error(), "delete the file") {
		t.Errorf("got %v", err)
	}
}

func FuzzCheckpoint(f *testing.F) {
	path := filepath.Join(f.TempDir(), "c.npz")
	c := example()
	if err := c.write(path, shapes); err != nil {
		f.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(b[:len(b)/2])
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := decodeCheckpoint(bytes.NewReader(b), int64(len(b)), shapes)
		if err == nil && len(c.values) != 7 {
			t.Fatalf("took %d values", len(c.values))
		}
	})
}
