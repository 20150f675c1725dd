package export

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/onnxtest"
)

// known is a file, with inputs and the outputs that the model itself computes from them.
type known struct {
	file    []byte
	in, out map[string]onnxtest.Tensor
}

// Files compute the same outputs as their models. If COLLABDICT_ONNX names a folder, the files are
// written to it, for other runtimes.
func TestFilesComputeWhatModelsDo(t *testing.T) {
	testkit.SkipRaced(t)
	for name, k := range knownFiles(t) {
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

// onnxruntime computes the same outputs from the files. COLLABDICT_ONNXRUNTIME names a folder with
// onnxruntime-node in its node_modules: npm install onnxruntime-node.
func TestFilesInONNXRuntime(t *testing.T) {
	modules := os.Getenv("COLLABDICT_ONNXRUNTIME")
	node, err := exec.LookPath("node")
	if modules == "" || err != nil {
		t.Skip("SKIPPED: want node, and the environment variable COLLABDICT_ONNXRUNTIME with the name of a folder that has onnxruntime-node in node_modules; scripts/onnx.sh installs it")
	}
	dir := t.TempDir()
	for name, k := range knownFiles(t) {
		k.write(t, filepath.Join(dir, name))
	}
	run := exec.Command(node, filepath.Join("..", "..", "scripts", "onnx", "run.js"), dir)
	run.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(modules, "node_modules"))
	out, err := run.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}

func knownFiles(t *testing.T) map[string]known {
	return map[string]known{
		"mtvae":      knownAutoEncoder(t, 6, 0),
		"mtvae-pca":  knownAutoEncoder(t, 6, 4),
		"mtvae-wide": knownAutoEncoder(t, 70, 0),
		"bvae":       knownBetaVAE(t, 0, false),
		"bvae-cgau":  knownBetaVAE(t, 0, true),
		"bvae-pca":   knownBetaVAE(t, 4, false),
		"cgau":       knownClassifier(t),
		"mtvae-file": asExported(t, 6),

		"mixture-full":      knownMixture(t, mixtureOf(t, gmm.Full, 6, 0), false),
		"mixture-full-own":  knownMixture(t, mixtureOf(t, gmm.Full, 6, 0), true),
		"mixture-expected":  knownMixture(t, expected(mixtureOf(t, gmm.Full, 6, 0)), true),
		"mixture-diag":      knownMixture(t, mixtureOf(t, gmm.Diag, 6, 0), false),
		"mixture-spherical": knownMixture(t, mixtureOf(t, gmm.Spherical, 6, 0), false),
		"mixture-pca":       knownMixture(t, mixtureOf(t, gmm.Full, 6, 4), true),
		"mixture-wide":      knownMixture(t, mixtureOf(t, gmm.Full, 40, 0), true),
		"release-full":      knownRelease(t, releasableMixture(t, gmm.Full, 0)),
		"release-diag":      knownRelease(t, releasableMixture(t, gmm.Diag, 0)),
		"release-pca":       knownRelease(t, global(releasableMixture(t, gmm.Full, 4))),
	}
}

// asExported returns a file as exported, which has its own draws.
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

// distance returns the largest error of a value, relative to the value or to the median size of all
// values, whichever is larger.
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

// write writes the file, and a second file beside it with the inputs and outputs.
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
