package gmm

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func FuzzReadParameters(f *testing.F) {
	f.Add([]byte(`{"means":[[0,1]],"precisions":[[[2,0.5],[0.5,1]]],"weights":[1]}`))
	f.Add([]byte(`{"means":[[0],[1]],"precisions":[[[1]],[[1e308]]],"weights":[0.5,0.5]}`))
	f.Add([]byte(`{"means":[[0,1]],"precisions":[[2,3]],"weights":[1]}`))
	f.Add([]byte(`{"means":[[]]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ReadParameters(bytes.NewReader(data))
		if err != nil {
			return
		}
		m, err := p.Mixture()
		if err != nil {
			t.Fatalf("accepted parameters that no mixture has: %v", err)
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
		{`{"means":[[0,1]],"precisions":[[1,2,3]],"weights":[1]}`, "precisions: component 1: want 2 values of a diagonal, got 3"},
		{`{"means":[[0,1]],"precisions":[[1,-2]],"weights":[1]}`, "precisions: component 1: want a positive definite matrix"},
		{`{"means":[[0,1]],"precisions":["1"],"weights":[1]}`, "precisions: component 1: want the 2 rows of a matrix, or the 2 values of its diagonal"},
		{`{"means":[[0]],"precisions":[[[1]]],"weights":[0.5]}`, "weights: want a sum of 1, got 0.5"},
	} {
		if _, err := ReadParameters(strings.NewReader(c[0])); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: got error %v, want %q", c[0], err, c[1])
		}
	}
}

// Precisions are matrices, or their diagonals.
func TestReadParametersOfDiagonals(t *testing.T) {
	p, err := ReadParameters(strings.NewReader(`{"means":[[0,1]],"precisions":[[2,3]],"weights":[1]}`))
	if err != nil || !mat.Equal(p.Precisions[0], mat.NewSymDense(2, []float64{2, 0, 0, 3})) {
		t.Errorf("got %+v, %v", p, err)
	}
}
