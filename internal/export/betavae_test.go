package export

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/npz"
	"github.com/collabdict/collabdict/internal/networks/beta"
	"github.com/collabdict/collabdict/internal/testkit/onnxtest"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/vae"
)

// A release of a β-VAE has both networks, and β, which scores need.
func TestReleaseOfABetaVAE(t *testing.T) {
	m := betaVAEOf(6, 0, false)
	m.Manifest.Hyper = model.Hyper{"beta": json.Number("0.5")}
	f, err := NPZ(m)
	if err != nil {
		t.Fatal(err)
	}
	a, err := npz.Open(bytes.NewReader(f.Bytes), int64(len(f.Bytes)))
	if err != nil {
		t.Fatal(err)
	}
	for name, shape := range map[string][]int{"encoder.0.weight": {6, 9}, "encoder.2.bias": {6}, "decoder.2.weight": {9, 6}, "decoder.0.bias": {7}} {
		if got, err := npz.Get[float64](a, name); err != nil || !slices.Equal(got.Shape, shape) {
			t.Errorf("%s: got shape %v (%v), want %v", name, got.Shape, err, shape)
		}
	}
	if text, err := a.File("manifest.json"); err != nil || !bytes.Contains(text, []byte(`"beta": 0.5`)) {
		t.Errorf("got %s (%v), want a beta of 0.5 in it", text, err)
	}
}

// Scores have no threshold if conditions are 0, because no participant has these conditions.
func TestThresholdIsOfOwnConditions(t *testing.T) {
	owner, nobody := betaVAEOf(6, 0, true), betaVAEOf(6, 0, true)
	clear(nobody.Conditions())
	for _, of := range []struct {
		m    *model.Model
		want bool
	}{{owner, true}, {nobody, false}, {betaVAEOf(6, 0, false), true}} {
		f := exported(t, of.m)
		listed := slices.ContainsFunc(f.Contents, func(e Entry) bool { return e.Name == "threshold, false_alarm" })
		if in := bytes.Contains(f.Bytes, []byte("threshold")); in != of.want || listed != of.want {
			t.Errorf("threshold in the file: %t, listed: %t, want %t", in, listed, of.want)
		}
	}
}

func betaVAEOf(columns, axes int, condition bool) *model.Model {
	m := describe("bvae", columns, axes)
	dim := columns
	if axes > 0 {
		dim = axes
	}
	b := beta.Trained{Model: beta.NewModel(beta.Config{Inputs: dim, Latent: 3, Hidden: []int{9, 7}, Beta: 0.5, Conditioned: condition, Seed: 4})}
	for i := range b.Parameters().Values {
		b.Parameters().Values[i] *= 2
	}
	vae.Normals(b.Conditions().Values, rand.NewPCG(1, 2))
	if m.Learned = b; condition {
		m.Learned = beta.Conditioned{Trained: b}
	}
	return m
}

// knownBetaVAE returns a file of a bvae model, with rows and the model's outputs for them.
func knownBetaVAE(t *testing.T, axes int, condition bool) known {
	const columns = 6
	m := betaVAEOf(columns, axes, condition)
	b, _ := betaVAE(m)
	single, x := rowsOf(m, 20)
	z := m.Trained(mat.DenseCopyOf(x))
	scores, err := m.Scores(z)
	if err != nil {
		t.Fatal(err)
	}
	encoder, _ := b.Networks()
	h, err := encoder.Forward(singles(z), nil)
	if err != nil {
		t.Fatal(err)
	}
	q := vae.NewGaussian(3, vae.ExpScale)
	q.Set(h)
	codes, err := b.Encode(z)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := b.Decode(codes)
	if err != nil {
		t.Fatal(err)
	}
	return known{
		file: exported(t, m).Bytes,
		in:   map[string]onnxtest.Tensor{"rows": onnxtest.Floats(single, 20, columns)},
		out: map[string]onnxtest.Tensor{
			"latent_mean": tensor(q.Mean, 20, 3), "latent_sd": tensor(q.Scale, 20, 3),
			"reconstruction_mean": tensor(m.InUnits(rows).RawMatrix().Data, 20, columns), "score": tensor(scores, 20),
		},
	}
}
