package pipeline

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/rows"
)

// numbered rows have their numbers in the first column, and in the second a slow wave, or noise.
func numbered(n int, inTime bool) dataset.Participant {
	x := mat.NewDense(n, 2, nil)
	rng := rand.New(rand.NewPCG(1, 1))
	labels := make([]float64, n)
	for i := range n {
		v := rng.NormFloat64()
		first := rng.Float64()
		if inTime {
			v, first = math.Sin(float64(i)/20)+0.1*v, float64(i)
		}
		x.SetRow(i, []float64{first, v})
		labels[i] = float64(i)
	}
	return dataset.Participant{Columns: []string{"number", "wave"}, Train: rows.InMemory(x), TrainLabels: labels}
}

func TestRowsAreHeldOut(t *testing.T) {
	for _, inTime := range []bool{false, true} {
		k := example(t, "hold-out=0.2")
		p, held, _, err := k.split(numbered(400, inTime))
		if err != nil {
			t.Fatal(err)
		}
		n, _ := p.Train.Dims()
		out, _ := held.Dims()
		if n != 320 || out != 80 || len(p.TrainLabels) != 320 {
			t.Errorf("%d rows and %d labels, %d held out", n, len(p.TrainLabels), out)
		}
		gaps := 0
		for i := 1; i < n; i++ {
			if p.TrainLabels[i] != p.TrainLabels[i-1]+1 {
				gaps++
			}
		}
		if inTime && gaps != 3 || !inTime && gaps < 30 {
			t.Errorf("in time order %t: held out in %d places between rows", inTime, gaps)
		}
		again, _, _, _ := k.split(numbered(400, inTime))
		if !slices.Equal(again.TrainLabels, p.TrainLabels) {
			t.Error("other rows are held out the second time")
		}
	}
	if p, held, _, err := example(t, "hold-out=0.2").split(numbered(19, false)); err != nil || held != nil || len(p.TrainLabels) != 19 {
		t.Errorf("of few rows %v are held out, %v", held, err)
	}
	if k := example(t, "rho=1", "lambda=auto"); k.HoldOut != 0 {
		t.Errorf("with rho, a share of %g is held out", k.HoldOut)
	}
}

// Missing cells do not hide that rows are in time order.
func TestTimeOrderWithMissingCells(t *testing.T) {
	x := mat.NewDense(200, 2, nil)
	for i := range 200 {
		x.SetRow(i, []float64{math.Sin(float64(i) / 10), math.NaN()})
		if i%7 == 3 {
			x.SetRow(i, []float64{math.NaN(), 1})
		}
	}
	o, err := example(t, "order=auto").order(dataset.Participant{Name: "a", Columns: []string{"x", "y"}, Train: rows.InMemory(x)})
	if err != nil || o.Order != InTime {
		t.Errorf("got %+v, %v", o, err)
	}
}
