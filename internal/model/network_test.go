package model

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/collabdict/collabdict/internal/npz"
	"gonum.org/v1/gonum/mat"
)

// isReadBack fails the test unless a network of two columns is read back from its file,
// with so many draws a score, the same bytes when it is written again, and these arrays.
func isReadBack(t *testing.T, m *Model, draws int, arrays map[string][]int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.npz")
	if err := Write(path, m); err != nil {
		t.Fatal(err)
	}
	first, _ := os.ReadFile(path)
	got, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	rows := mat.NewDense(3, 2, []float64{10, 20, 12, 21, 9, 19})
	if !reflect.DeepEqual(score(got, rows), score(m, rows)) || !reflect.DeepEqual(got.Manifest, m.Manifest) {
		t.Error("the model that is read is another")
	}
	if got.Mixture() != nil || got.Components() != 0 || got.Draws() != draws {
		t.Errorf("mixture %v, %d components, %d draws", got.Mixture(), got.Components(), got.Draws())
	}
	if err := Write(path, got); err != nil {
		t.Fatal(err)
	}
	if again, _ := os.ReadFile(path); !bytes.Equal(first, again) {
		t.Error("writing it again gives other bytes")
	}
	a, err := npz.Open(bytes.NewReader(first), int64(len(first)))
	if err != nil {
		t.Fatal(err)
	}
	for name, shape := range arrays {
		if _, err := array(a, name, shape...); err != nil {
			t.Error(err)
		}
	}
}
