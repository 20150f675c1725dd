package gmm

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/bounds"
)

func FuzzReadParameters(f *testing.F) {
	f.Add([]byte(`{"means":[[0,1]],"precisions":[[[2,0.5],[0.5,1]]],"weights":[1]}`))
	f.Add([]byte(`{"means":[[0],[1]],"precisions":[[[1]],[[1e308]]],"weights":[0.5,0.5]}`))
	f.Add([]byte(`{"means":[[]]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ReadParameters(bytes.NewReader(data))
		if err != nil {
			return
		}
		m, err := p.mixture()
		if err != nil {
			t.Fatalf("took parameters of no mixture: %v", err)
		}
		if v := m.LogDensity(m.Means().RawRowView(0)); math.IsNaN(v) {
			t.Fatalf("log density NaN at a mean")
		}
	})
}

func TestReadParametersErrors(t *testing.T) {
	for _, c := range [][2]string{
		{`[]`, "want a JSON object"},
		{`{}`, "means: want K by M values, got none"},
		{`{"means":[[0]],"precisions":[],"weights":[1]}`, "precisions: want 1 matrices, one per mean, got 0"},
		{`{"means":[[0,1],[2]],"precisions":[[],[]],"weights":[1]}`, "means: want 2 values in row 2, got 1"},
		{`{"means":[[0,1]],"precisions":[[[1,2],[3,9]]],"weights":[1]}`, "precisions: component 1: want a symmetric matrix"},
		{`{"means":[[0,1]],"precisions":[[[1,2],[2,1]]],"weights":[1]}`, "precisions: component 1: want a positive definite matrix"},
		{`{"means":[[0]],"precisions":[[[1]]],"weights":[0.5]}`, "weights: want a sum of 1, got 0.5"},
	} {
		if _, err := ReadParameters(strings.NewReader(c[0])); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: got error %v, want %q", c[0], err, c[1])
		}
	}
}

// Whatever the rows, parameters and weights are, the statistics keep within the
// bounds; the bound of the rows is at most twice their number.
func TestBoundsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, dim := rapid.IntRange(1, 30).Draw(t, "rows"), rapid.IntRange(1, 4).Draw(t, "columns")
		scale := math.Pow(10, rapid.Float64Range(-60, 60).Draw(t, "log scale"))
		value := rapid.OneOf(rapid.Float64Range(-1, 1), rapid.SampledFrom([]float64{0, 1, -1, 1e-90}))
		x := mat.NewDense(n, dim, rapid.SliceOfN(value, n*dim, n*dim).Draw(t, "values"))
		x.Scale(scale, x)
		agreed, err := bounds.Agree(context.Background(), collabdict.Solo{}, Matrix(x))
		if err != nil {
			t.Fatal(err)
		}
		b := limits{agreed}
		k := rapid.IntRange(1, 3).Draw(t, "components")
		means := mat.NewDense(k, dim, rapid.SliceOfN(value, k*dim, k*dim).Draw(t, "means"))
		means.Scale(scale, means)
		weights, precisions := make([]float64, k), make([]*mat.SymDense, k)
		for c := range k {
			weights[c] = 1 / float64(k)
			a := mat.NewDense(dim, dim, rapid.SliceOfN(rapid.Float64Range(-2, 2), dim*dim, dim*dim).Draw(t, "Λ"))
			precisions[c] = mat.NewSymDense(dim, nil)
			precisions[c].SymOuterK(1, a)
			for i := range dim {
				precisions[c].SetSym(i, i, precisions[c].At(i, i)+0.1)
			}
		}
		m, err := NewMixture(weights, means, precisions)
		if err != nil {
			t.Fatal(err)
		}
		s, _, err := m.eStep(newReader(Matrix(x)), nil, false)
		if err != nil {
			t.Fatal(err)
		}
		blocks := bounds.Append(b.moments(k), 1, b.logLik(m))
		if err := collabdict.CheckBlocks(append(s.pack(), s.logLik), blocks); err != nil {
			t.Fatal(err)
		}
		if limit := 2 * float64(n); b.Rows > limit {
			t.Fatalf("bound of %d rows is %g, want at most %g", n, b.Rows, limit)
		}
	})
}
