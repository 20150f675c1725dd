package participant

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/dataset"
)

// Who goes on with a run has the noise that it has shown already, for the same rows;
// another run has other noise.
func TestNoiseIsOneOfARun(t *testing.T) {
	dir := t.TempDir()
	rows := dataset.InMemory(mat.NewDense(2, 2, []float64{1, 2, 3, 4}))
	draw := func(run byte) uint64 {
		t.Helper()
		s, err := noise(dir, [32]byte{run}, rows, []float64{0, 1})
		if err != nil {
			t.Fatal(err)
		}
		return s.Uint64()
	}
	first := draw(1)
	if draw(1) != first {
		t.Error("other noise in the same run")
	}
	if info, err := os.Stat(filepath.Join(dir, noiseFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key's file: %v, %v", info, err)
	}
	if draw(2) == first || draw(1) == first {
		t.Error("the same noise in another run")
	}
	labels := []float64{0, 1}
	for _, values := range [][]float64{{1, 2, 3, 5}, {3, 4, 1, 2}, {1, 2}} {
		other := dataset.InMemory(mat.NewDense(len(values)/2, 2, values))
		if _, err := noise(dir, [32]byte{1}, other, labels[:len(values)/2]); err == nil || !strings.Contains(err.Error(), "rows") {
			t.Errorf("the same noise on rows %v: %v", values, err)
		}
		if _, err := noise(t.TempDir(), [32]byte{1}, other, labels[:len(values)/2]); err != nil {
			t.Error(err)
		}
	}
	if _, err := noise(dir, [32]byte{1}, rows, []float64{1, 1}); err == nil || !strings.Contains(err.Error(), "classes") {
		t.Errorf("the same noise on other classes: %v", err)
	}
	draw(1)
}
