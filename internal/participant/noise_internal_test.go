package participant

import (
	"os"
	"path/filepath"
	"testing"
)

// Who goes on with a run has the noise that it has shown already; another run has
// other noise.
func TestNoiseIsOneOfARun(t *testing.T) {
	dir := t.TempDir()
	draw := func(run byte) uint64 {
		t.Helper()
		s, err := noise(dir, [32]byte{run})
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
}
