package em

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
)

// TotalRows counts the rows of the participants in the last total, which may differ from those of
// the start.
func TestTotalRowsAreThoseOfTheLastTotal(t *testing.T) {
	x := mat.NewDense(6, 1, []float64{0, 1, 2, 10, 11, 12})
	l, err := NewLearner(gmm.Matrix(x), Config{Components: 2})
	if err == nil {
		err = l.Start(t.Context(), collabdict.Solo{})
	}
	if err != nil {
		t.Fatal(err)
	}
	summand, err := l.LocalUpdate()
	if err != nil {
		t.Fatal(err)
	}
	total := summand.Values
	for i := range total {
		total[i] *= 3 // two more participants with the same rows
	}
	if _, err := l.Optimize(total, true); err != nil || l.TotalRows() != 18 {
		t.Errorf("%d rows, %v, want 18", l.TotalRows(), err)
	}
}
