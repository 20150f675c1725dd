package multitask

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Missing cells do not count, and complete rows have the same scores as alone.
func TestScoresOfMissingCells(t *testing.T) {
	const n, columns = 2*scoreRows + 9, 4
	m := Trained{NewModel(columns, Config{Latent: 2, Hidden: []int{5}, Seed: 4})}
	x := mat.NewDense(n, columns, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = float64(i%37)/8 - 2
	}
	holes := mat.DenseCopyOf(x)
	for i := 0; i < n; i += 3 {
		holes.Set(i, i%columns, math.NaN())
	}
	holes.SetRow(3, []float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()})
	whole, err := m.Complete(holes)
	if err != nil {
		t.Fatal(err)
	}
	var got, want, filled Scores
	collect := func(to *Scores, z *mat.Dense) {
		err := m.each(matrix{z}, func(s Scores) {
			to.Anomaly, to.LogLik, to.Contributions = append(to.Anomaly, s.Anomaly...), append(to.LogLik, s.LogLik...), append(to.Contributions, s.Contributions...)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	collect(&got, holes)
	collect(&want, x)
	collect(&filled, whole)
	for i := range n {
		missing := -1
		if i%3 == 0 {
			missing = i % columns
		}
		switch {
		case i == 3:
			if got.Anomaly[i] != filled.Anomaly[i] {
				t.Errorf("all missing: %g, want %g", got.Anomaly[i], filled.Anomaly[i])
			}
			continue
		case missing < 0:
			if got.Anomaly[i] != want.Anomaly[i] || got.LogLik[i] != want.LogLik[i] {
				t.Errorf("row %d: %g, want %g", i, got.Anomaly[i], want.Anomaly[i])
			}
			continue
		}
		if math.IsNaN(got.Anomaly[i]) || math.IsNaN(got.LogLik[i]) || got.Anomaly[i] == filled.Anomaly[i] {
			t.Errorf("row %d: %g, filled in %g", i, got.Anomaly[i], filled.Anomaly[i])
		}
		for j := range columns {
			v, of := got.Contributions[i*columns+j], filled.Contributions[i*columns+j]
			if j == missing && v != 0 || j != missing && v != of {
				t.Errorf("row %d, column %d: %g, filled in %g", i, j, v, of)
			}
		}
	}
	e, err := m.Explain(holes)
	if err != nil || e.Parts.At(0, 0) != 0 || math.IsNaN(mat.Sum(e.Expected)) {
		t.Errorf("explained %v, %v", e, err)
	}
}
