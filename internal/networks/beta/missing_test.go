package beta

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/networks"
)

// Missing cells do not count, and complete rows have the same losses as alone.
func TestLossOfMissingCells(t *testing.T) {
	learners, _ := inLockstep(t, small(Weighting{}), owns(1), 1)
	m := Trained{learners[0].model}
	x := tableOf(owns(2)[1].Rows)
	n, columns := x.Dims()
	holes := table{slices.Clone(x.values), columns}
	for i := 0; i < n; i += 3 {
		holes.values[i*columns+1], holes.values[i*columns+4] = math.NaN(), math.NaN()
	}
	for j := range columns {
		holes.values[3*columns+j] = math.NaN()
	}
	whole, err := m.Complete(mat.NewDense(n, columns, holes.values))
	if err != nil {
		t.Fatal(err)
	}
	scores := func(of table) (out []float64) {
		if err := m.EachScores(of, func(from int, scores []float64) { out = append(out, scores...) }); err != nil {
			t.Fatal(err)
		}
		return out
	}
	got, want := scores(holes), scores(x)
	var filled, squares []float64
	if err := m.Score(networks.Rows(whole), func(s Scores) { filled, squares = append(filled, s.Loss...), append(squares, s.Squares...) }); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		expected := want[i]
		switch {
		case i == 3:
			expected = filled[i]
		case i%3 == 0:
			of := squares[i*columns : (i+1)*columns]
			there := of[0] + of[2] + of[3] + of[5]
			expected = filled[i] - there - of[1] - of[4] + there*6/4
		}
		if math.Abs(got[i]-expected) > 1e-12*math.Abs(expected) || i%3 != 0 && got[i] != expected {
			t.Errorf("row %d: %g, want %g", i, got[i], expected)
		}
	}
	e, err := m.Explain(mat.NewDense(n, columns, holes.values))
	if err != nil || e.Parts.At(0, 1) != 0 || e.Parts.At(0, 0) == 0 || math.IsNaN(mat.Sum(e.Expected)) {
		t.Errorf("explained %v, %v", e, err)
	}
	if l, err := m.MeanLogLik(holes); err != nil || math.IsNaN(l) {
		t.Errorf("log-likelihood %g, %v", l, err)
	}
}
