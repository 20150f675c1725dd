package export

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/internal/onnx/onnxtest"
	"github.com/collabdict/collabdict/internal/pca"
	"github.com/collabdict/collabdict/vae/multitask"
	"gonum.org/v1/gonum/mat"
)

// describe gives a model columns far from 0 and of unlike scales, and if axes is above 0
// principal axes.
func describe(kind model.Kind, columns, axes int) *model.Model {
	m := &model.Model{Manifest: model.Manifest{Kind: kind, Standardise: "own", Threshold: 2.5, FalseAlarm: 0.01, Digest: "abc"}}
	m.Scaling = dataset.Unscaled(columns)
	for j := range columns {
		m.Manifest.Columns = append(m.Manifest.Columns, fmt.Sprintf("column %d", j+1))
		m.Scaling.Shift[j] = 10*float64(j) - 20
		m.Scaling.Scale[j] = math.Pow(10, float64(j%5-2))
	}
	if axes > 0 {
		rng := rand.New(rand.NewPCG(5, 6))
		m.Projection = &pca.Projection{Mean: make([]float64, columns), Axes: mat.NewDense(axes, columns, nil)}
		var q mat.QR
		random := mat.NewDense(columns, columns, nil)
		for i := range columns {
			m.Projection.Mean[i] = rng.NormFloat64() / 3
			for j := range columns {
				random.Set(i, j, rng.NormFloat64())
			}
		}
		q.Factorize(random)
		var orthogonal mat.Dense
		q.QTo(&orthogonal)
		for a := range axes {
			for j := range columns {
				m.Projection.Axes.Set(a, j, orthogonal.At(a, j)*float64(a+1))
			}
		}
	}
	return m
}

// autoEncoderOf returns a model of mtvae whose encoder makes codes of all scales.
func autoEncoderOf(columns, axes int) *model.Model {
	m := describe(model.MTVAE, columns, axes)
	dim := columns
	if axes > 0 {
		dim = axes
	}
	a := multitask.NewModel(dim, multitask.Config{Latent: 3, Hidden: []int{9, 7}, Seed: 4})
	for _, p := range [][]float32{a.Encoder.Shared.Values, a.Decoder.Shared.Values} {
		for i := range p {
			p[i] *= 2
		}
	}
	m.Scorer = model.AutoEncoder{Model: a}
	return m
}

// rowsOf returns rows as a file gives them to the graph, in single precision; one is far out.
func rowsOf(m *model.Model, n int) (single []float32, x *mat.Dense) {
	columns := len(m.Manifest.Columns)
	rng := rand.New(rand.NewPCG(7, 8))
	x = mat.NewDense(n, columns, nil)
	for i := range n {
		for j := range columns {
			v := float32(m.Scaling.Shift[j] + m.Scaling.Scale[j]*rng.NormFloat64()*(1+100*float64(i/(n-1))))
			single = append(single, v)
			x.Set(i, j, float64(v))
		}
	}
	return single, x
}

// decoded returns what a file says, and the same as a model that computes.
func decoded(t *testing.T, m *model.Model) (*File, *onnxtest.Model) {
	t.Helper()
	f, err := ONNX(m)
	if err != nil {
		t.Fatal(err)
	}
	of, err := onnxtest.Decode(f.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return f, of
}

// run computes the outputs for rows.
func run(t *testing.T, of *onnxtest.Model, single []float32) map[string]onnxtest.Tensor {
	t.Helper()
	columns := of.Inputs[0].Dims[1].(int)
	out, err := of.Run(map[string]onnxtest.Tensor{"rows": onnxtest.Floats(single, len(single)/columns, columns)})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// alike compares values, relative to the largest of them or 1.
func alike[T float32 | float64](t *testing.T, what string, got onnxtest.Tensor, want []T) {
	t.Helper()
	if len(got.Values) != len(want) {
		t.Fatalf("%s: got %d values of shape %v, want %d", what, len(got.Values), got.Dims, len(want))
	}
	for i, w := range want {
		if w := float64(w); !(math.Abs(got.Values[i]-w) <= 1e-5*math.Max(1, math.Abs(w))) {
			t.Errorf("%s: value %d is %.9g, want %.9g", what, i, got.Values[i], w)
		}
	}
}
