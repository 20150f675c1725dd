package model

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/vae/multitask"
	"gonum.org/v1/gonum/mat"
)

func autoEncoder(t testing.TB) *Model {
	t.Helper()
	m := example(t)
	m.Manifest.Kind = MTVAE
	m.Manifest.Hyper.Latent, m.Manifest.Hyper.Hidden = 1, []int{3, 4}
	m.Scorer = AutoEncoder{multitask.NewModel(2, multitask.Config{Latent: 1, Hidden: []int{3, 4}, Seed: 5})}
	return m
}

func TestAutoEncodersAreRead(t *testing.T) {
	isReadBack(t, autoEncoder(t), multitask.DefaultDraws, map[string][]int{
		"encoder.0.weight": {2, 4}, "encoder.2.bias": {2}, "decoder.0.weight": {1, 3}, "decoder.1.bias": {4}, "decoder.2.weight": {4, 4},
	})
}

// Contributions say which column is far off, and are parts of a score, whose other parts
// are no larger than ln σ. The lower bound is one.
func TestAutoEncodersExplain(t *testing.T) {
	a := autoEncoder(t).Scorer.(AutoEncoder)
	z := mat.NewDense(100, 2, nil)
	for i := range 100 {
		z.SetRow(i, []float64{float64(i) / 10, -1})
	}
	by, err := a.Explain(z)
	if err != nil {
		t.Fatal(err)
	}
	if n, columns := by.Dims(); n != 100 || columns != 2 || !(by.At(99, 0) > by.At(0, 0)) || !(by.At(99, 0) > by.At(99, 1)) {
		t.Errorf("contributions %v and %v", by.RawRowView(0), by.RawRowView(99))
	}
	total := 0.0
	if err := a.EachScores(gmm.Matrix(z), func(from int, scores []float64) {
		for i, s := range scores {
			if !(s-by.At(from+i, 0)-by.At(from+i, 1) < 10) {
				t.Errorf("row %d: score %g, contributions %v", from+i, s, by.RawRowView(from+i))
			}
			total += s
		}
	}); err != nil {
		t.Fatal(err)
	}
	if mean, err := a.MeanLogLik(gmm.Matrix(z)); err != nil || !(mean >= -total/100) {
		t.Errorf("mean log-likelihood %g, %v; it is at least minus the mean score %g less the divergence", mean, err, total/100)
	}
}

// Codes and rows keep their places.
func TestAutoEncodersCode(t *testing.T) {
	a := autoEncoder(t).Scorer.(Coder)
	z := mat.NewDense(300, 2, nil)
	for i := range 300 {
		z.SetRow(i, []float64{float64(i) / 10, -1})
	}
	codes, err := a.Encode(z)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := a.Decode(codes)
	if err != nil {
		t.Fatal(err)
	}
	if n, d := codes.Dims(); n != 300 || d != a.Latent() {
		t.Errorf("codes are %d by %d", n, d)
	}
	if n, columns := rows.Dims(); n != 300 || columns != 2 {
		t.Errorf("rows are %d by %d", n, columns)
	}
	last, err := a.Encode(z.Slice(299, 300, 0, 2).(*mat.Dense))
	if err != nil || last.At(0, 0) != codes.At(299, 0) || last.At(0, 0) == codes.At(0, 0) {
		t.Errorf("code of the last row %v, among others %g (%v)", last, codes.At(299, 0), err)
	}
}

func TestFilesThatAreNoAutoEncoder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.npz")
	for want, change := range map[string]func(*Model){
		"latent: want at least 1, got 0":                                 func(m *Model) { m.Manifest.Hyper.Latent = 0 },
		"hidden: want at least 1 unit in layer 1, got -3":                func(m *Model) { m.Manifest.Hyper.Hidden = []int{-3} },
		"encoder.0.weight: want shape [2 1000000000], got [2 4]":         func(m *Model) { m.Manifest.Hyper.Hidden[1] = 1e9 },
		"encoder.2.weight: want shape [3 8], got [3 2]":                  func(m *Model) { m.Manifest.Hyper.Latent = 4 },
		"encoder.1.weight: want shape [4 2], got [4 3]":                  func(m *Model) { m.Manifest.Hyper.Hidden = m.Manifest.Hyper.Hidden[1:] },
		"decoder.1.bias: want finite weights in single precision, got +": func(m *Model) { a := m.Scorer.(AutoEncoder).Decoder.Shared; a.Values[20] = float32(math.Inf(1)) },
	} {
		m := autoEncoder(t)
		change(m)
		if err := Write(path, m); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
