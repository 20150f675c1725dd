package metrics

import (
	"math"
	"testing"
)

// Known answers: four rows of three classes; the last class has none.
func TestOfClasses(t *testing.T) {
	p := []float64{
		0.7, 0.2, 0.1,
		0.4, 0.5, 0.1,
		0.3, 0.6, 0.1,
		0.5, 0.5, 0,
	}
	c := OfClasses(p, 3, []int{0, 0, 1, 1})
	near := func(what string, got, want float64) {
		if !(math.Abs(got-want) < 1e-12) {
			t.Errorf("%s: got %g, want %g", what, got, want)
		}
	}
	near("accuracy", c.Accuracy, 0.5)
	near("cross-entropy", c.CrossEntropy, -(math.Log(0.7)+math.Log(0.4)+math.Log(0.6)+math.Log(0.5))/4)
	// Class 0: 0.7 and 0.4 against 0.3 and 0.5, 3 of 4 pairs; class 1: 0.6 and 0.5 against
	// 0.2 and 0.5, 3.5 of 4.
	near("AUC", c.AUC, (0.75+0.875)/2)
	near("recall of 0", c.Recall[0], 0.5)
	near("recall of 1", c.Recall[1], 0.5)
	if !math.IsNaN(c.Recall[2]) {
		t.Errorf("recall of 2: got %g", c.Recall[2])
	}
	c = OfClasses([]float64{1, 0}, 2, []int{1})
	if !math.IsNaN(c.AUC) || c.Accuracy != 0 || c.CrossEntropy != 52*math.Ln2 {
		t.Errorf("got %+v", c)
	}
}
