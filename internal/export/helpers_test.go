package export

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/networks/multitask"
	"github.com/collabdict/collabdict/internal/testkit/onnxtest"
	"github.com/collabdict/collabdict/model"
)

// describe returns a model whose columns are far from 0 and have different scales. If axes is above
// 0, the model has this number of principal axes.
func describe(kind string, columns, axes int) *model.Model {
	m := &model.Model{Manifest: model.Manifest{Kind: kind, Standardise: "own", Threshold: 2.5, FalseAlarm: 0.01, Digest: "abc"}}
	m.Scaling = rows.Unscaled(columns)
	for j := range columns {
		m.Manifest.Columns = append(m.Manifest.Columns, fmt.Sprintf("column %d", j+1))
		m.Scaling.Shift[j] = 10*float64(j) - 20
		m.Scaling.Scale[j] = math.Pow(10, float64(j%5-2))
	}
	if axes > 0 {
		rng := rand.New(rand.NewPCG(5, 6))
		m.Projection = &rows.Projection{Mean: make([]float64, columns), Axes: mat.NewDense(axes, columns, nil)}
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
	m := describe("mtvae", columns, axes)
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
	m.Learned = multitask.Trained{Model: a}
	return m
}

// rowsOf returns rows in single precision, as a graph takes them; the last row is far out.
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

func exported(t *testing.T, m *model.Model) *File {
	t.Helper()
	f, err := ONNX(m)
	if err != nil {
		t.Fatal(err)
	}
	if own := slices.ContainsFunc(f.Contents, func(e Entry) bool { return e.Of == Own }); own != f.Private {
		t.Errorf("a file with the contents %v: private %t, want %t", f.Contents, f.Private, own)
	}
	return f
}

func decoded(t *testing.T, file []byte) *onnxtest.Model {
	t.Helper()
	of, err := onnxtest.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	return of
}

// tensor returns values in single precision, as all outputs are.
func tensor[T float32 | float64](values []T, dims ...int) onnxtest.Tensor {
	var single []float32
	for _, v := range values {
		single = append(single, float32(v))
	}
	return onnxtest.Floats(single, dims...)
}
