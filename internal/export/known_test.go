package export

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/collabdict/collabdict/internal/onnx/onnxtest"
	"github.com/collabdict/collabdict/vae/beta"
)

// known is a file with inputs, and with what the model itself makes of them.
type known struct {
	file    []byte
	in, out map[string]onnxtest.Tensor
}

// Files compute what their models do. With COLLABDICT_ONNX, the name of a folder, they are
// written to it, for other runtimes.
func TestFilesComputeWhatModelsDo(t *testing.T) {
	for name, k := range map[string]known{
		"mtvae":      knownAutoEncoder(t, 6, 0),
		"mtvae-pca":  knownAutoEncoder(t, 6, 4),
		"mtvae-wide": knownAutoEncoder(t, 70, 0),
		"bvae":       knownBetaVAE(t, 0, beta.Unconditioned),
		"bvae-cgau":  knownBetaVAE(t, 0, beta.CGAU),
		"bvae-pca":   knownBetaVAE(t, 4, beta.Unconditioned),
		"cgau":       knownClassifier(t),
		"mtvae-file": asExported(t, 6),
	} {
		got, err := decoded(t, k.file).Run(k.in)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for output, want := range k.out {
			if e := distance(got[output], want); !(e <= 1e-5) {
				t.Errorf("%s: %s has an error of %.2g, want at most 1e-5", name, output, e)
			}
		}
		if dir := os.Getenv("COLLABDICT_ONNX"); dir != "" {
			k.write(t, filepath.Join(dir, name))
		}
	}
}

// asExported returns a file as it is handed on, with its own draws.
func asExported(t *testing.T, columns int) known {
	m := autoEncoderOf(columns, 0)
	single, _ := rowsOf(m, 20)
	k := known{file: exported(t, m).Bytes, in: map[string]onnxtest.Tensor{"rows": onnxtest.Floats(single, 20, columns)}}
	var err error
	if k.out, err = decoded(t, k.file).Run(k.in); err != nil {
		t.Fatal(err)
	}
	return k
}

// distance returns the largest error of a value, relative to itself or to the median size
// of all.
func distance(got, want onnxtest.Tensor) (most float64) {
	if !slices.Equal(got.Dims, want.Dims) || got.Type != want.Type {
		return math.Inf(1)
	}
	var sizes []float64
	for _, w := range want.Values {
		sizes = append(sizes, math.Abs(w))
	}
	slices.Sort(sizes)
	median := sizes[len(sizes)/2]
	for i, w := range want.Values {
		most = max(most, math.Abs(got.Values[i]-w)/max(math.Abs(w), median))
	}
	return most
}

// write writes the file, and inputs and outputs beside it.
func (k known) write(t *testing.T, path string) {
	t.Helper()
	values, err := json.Marshal(map[string]any{"inputs": k.in, "outputs": k.out})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{path + ".onnx": k.file, path + ".json": values} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
