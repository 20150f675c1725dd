package scoring

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/model"
)

// A row that trained the model has its score as if left out, but by the shared model alone. If the model cannot
// leave rows out, it has the lower score of a row that is known.
func TestRowsThatTrained(t *testing.T) {
	const rows = 40
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(rows, 3, nil)
	for i := range rows {
		load := rng.NormFloat64()
		x.SetRow(i, []float64{load + 0.3*rng.NormFloat64(), load + 0.3*rng.NormFloat64(), load + 0.3*rng.NormFloat64()})
	}
	for _, leaves := range []bool{true, false} {
		m := sensorsOfOneLoad(t, 3, 0.3)
		nearest := local.NewNearest(x)
		left := make([]float64, rows)
		for i := range left {
			left[i] = 5 + rng.NormFloat64() // above those of the model itself
		}
		held := []float64{3, 4, 5}
		m.Local = &model.Local{Nearest: nearest, Held: len(held), Scores: [][]float64{held, held}}
		if leaves {
			m.Local.Scores = [][]float64{slices.Concat(left, held), slices.Concat(nearest.LeftOut(nil), held)}
		}
		for _, scores := range m.Local.Scores {
			m.Local.Calibrations = append(m.Local.Calibrations, local.Calibrate(scores))
		}
		for _, by := range []string{model.Shared, model.Alone, model.Blend} {
			if err := m.With(by); err != nil {
				t.Fatal(err)
			}
			given, err := m.Scores(m.Trained(mat.DenseCopyOf(x)))
			if err != nil {
				t.Fatal(err)
			}
			for _, surprises := range []bool{false, true} {
				s := New(m, local.Fixed(1), surprises)
				r, err := s.score(dataset.Block{X: x, Numbers: make([]int, rows), Empty: make([]bool, rows)})
				if err != nil {
					t.Fatal(err)
				}
				s.judge(r)
				want, leftOut := given, leaves && by != model.Shared
				if leftOut {
					want = m.Local.Own(by)[:rows]
				}
				if !slices.Equal(r.Scores, want) || slices.Contains(r.Known, false) || s.Known.LeavesOut() != leftOut {
					t.Errorf("%s, leaves %t: got %v, known %v, want %v", by, leaves, r.Scores, r.Known, want)
				}
				if !leftOut || r.Surprises == nil {
					continue
				}
				for j, of := range m.Ensemble().Members {
					scores := m.Local.Scores[len(m.Local.Scores)-len(m.Ensemble().Members)+j]
					if got := r.Surprises.At(7, j); got != of.OwnSurprise(scores[7]) {
						t.Errorf("%s: surprise %g at %s, want %g", by, got, of.Name, of.OwnSurprise(scores[7]))
					}
				}
			}
		}
	}
}
