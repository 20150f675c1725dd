package partial

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

type memory struct{ *mat.Dense }

func (m memory) ReadRows(x []float64, from int) error {
	_, dim := m.Dims()
	copy(x, m.RawMatrix().Data[from*dim:][:len(x)])
	return nil
}

var missing = math.NaN()

// The conditional distribution is that of the regression on the cells that are there.
func TestConditional(t *testing.T) {
	covariance := mat.NewSymDense(3, []float64{2, 0.6, -0.3, 0.6, 1, 0.2, -0.3, 0.2, 0.5})
	var inverse mat.Dense
	if err := inverse.Inverse(covariance); err != nil {
		t.Fatal(err)
	}
	c := NewConditional(inverse.RawMatrix().Data, 3, []int{1})
	d := []float64{1.5, 0, -2}
	c.Fill(d)
	// Σ_oo⁻¹ of the columns 0 and 2, by hand.
	det := 2*0.5 - 0.09
	a, b := (0.6*0.5+0.2*0.3)/det, (0.2*2+0.6*0.3)/det
	if want := a*1.5 + b*-2; math.Abs(d[1]-want) > 1e-12 {
		t.Errorf("mean %g, want %g", d[1], want)
	}
	variance := 1 - a*0.6 - b*0.2
	if got := c.Covariance()[0]; math.Abs(got-variance) > 1e-12 {
		t.Errorf("variance %g, want %g", got, variance)
	}
	if want := 0.5 * math.Log(2*math.Pi*math.E*variance); math.Abs(c.Entropy()-want) > 1e-12 {
		t.Errorf("entropy %g, want %g", c.Entropy(), want)
	}
}

// Means and covariances of completed rows are about those of rows without gaps,
// also where what is missing depends on what is there.
func TestCompleteKeepsMoments(t *testing.T) {
	const n = 4000
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := mat.NewDense(n, 3, nil), mat.NewDense(n, 3, nil)
	for i := range n {
		a := rng.NormFloat64()
		x.SetRow(i, []float64{1e6 + 10*a, 0.8*a + 0.6*rng.NormFloat64(), 7})
		y.SetRow(i, x.RawRowView(i))
		if a > 0.5 {
			y.Set(i, 1, missing)
		}
		if i%5 == 0 {
			y.Set(i, 2, missing)
		}
	}
	rows, lacking, err := Complete(memory{y})
	if err != nil {
		t.Fatal(err)
	}
	if want := n / 5; len(lacking) <= want || !slices.IsSorted(lacking) || lacking[0] != 0 {
		t.Errorf("%d rows lack cells, want more than %d", len(lacking), want)
	}
	z := mat.NewDense(n, 3, nil)
	if err := rows.ReadRows(z.RawMatrix().Data, 0); err != nil {
		t.Fatal(err)
	}
	moments := func(m *mat.Dense) (mean, square, product float64) {
		for i := range n {
			v, a := m.At(i, 1), (m.At(i, 0)-1e6)/10
			mean, square, product = mean+v/n, square+v*v/n, product+v*a/n
		}
		return mean, square, product
	}
	mean, square, product := moments(z)
	wantMean, wantSquare, wantProduct := moments(x)
	if math.Abs(mean-wantMean) > 0.05 || math.Abs(square-wantSquare) > 0.1 || math.Abs(product-wantProduct) > 0.1 {
		t.Errorf("got %.3f, %.3f, %.3f, want %.3f, %.3f, %.3f", mean, square, product, wantMean, wantSquare, wantProduct)
	}
	for i := range n {
		if z.At(i, 0) != x.At(i, 0) || z.At(i, 2) != 7 || !math.IsNaN(y.At(i, 1)) && z.At(i, 1) != x.At(i, 1) {
			t.Fatalf("row %d: got %v of %v", i, z.RawRowView(i), y.RawRowView(i))
		}
	}
	again := make([]float64, 30)
	if err := rows.ReadRows(again, 1000); err != nil || !slices.Equal(again, z.RawMatrix().Data[3000:3030]) {
		t.Errorf("other values at another reading; %v", err)
	}
}

func TestCompleteOfNothingMissing(t *testing.T) {
	x := memory{mat.NewDense(2, 2, []float64{1, 2, 3, 4})}
	if got, lacking, err := Complete(x); err != nil || got != any(x) || lacking != nil {
		t.Errorf("got %v, %v", got, err)
	}
	var empty *EmptyError
	if _, _, err := Complete(memory{mat.NewDense(2, 2, []float64{1, missing, 3, missing})}); !errors.As(err, &empty) || empty.Column != 1 {
		t.Errorf("got %v", err)
	}
	one, _, err := Complete(memory{mat.NewDense(2, 2, []float64{1, missing, missing, 3})})
	if err != nil {
		t.Fatal(err)
	}
	z := make([]float64, 4)
	if err := one.ReadRows(z, 0); err != nil || !slices.Equal(z, []float64{1, 3, 1, 3}) {
		t.Errorf("got %v, %v", z, err)
	}
}
