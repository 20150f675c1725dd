package rows_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/internal/data/rows"
)

// nearPlane returns rows near a plane. The last column is constant.
func nearPlane(n int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 3))
	x := mat.NewDense(n, 5, nil)
	for i := range n {
		u, v := 3*rng.NormFloat64(), rng.NormFloat64()
		x.SetRow(i, []float64{1 + u, -u + v, 1e-3 * v, 0.01 * rng.NormFloat64(), 7})
	}
	return x
}

func onto(t *testing.T, x *mat.Dense, k int) *rows.Projection {
	t.Helper()
	axes, err := columnstats.PrincipalAxes(t.Context(), collabdict.Solo{}, rows.InMemory(x), k)
	if err != nil {
		t.Fatal(err)
	}
	return rows.Onto(axes)
}

// Rows that are projected as they are read equal those projected at once.
func TestProjection(t *testing.T) {
	x := nearPlane(200, 1)
	p := onto(t, x, 3)
	z := p.Apply(x)
	if n, k := z.Dims(); n != 200 || k != 3 {
		t.Fatalf("%d by %d", n, k)
	}
	streamed := make([]float64, 2*3)
	if err := p.Rows(rows.InMemory(x)).ReadRows(streamed, 50); err != nil || !reflect.DeepEqual(streamed, z.RawMatrix().Data[150:156]) {
		t.Errorf("read %v, %v, want %v", streamed, err, z.RawMatrix().Data[150:156])
	}
}

// A scaled projection projects and then scales, and Back inverts it.
func TestScaledProjection(t *testing.T) {
	x := nearPlane(50, 2)
	p := onto(t, x, 3)
	s := rows.Scaling{Shift: []float64{2, -1, 0.5}, Scale: []float64{4, 0.25, 3}}
	q := p.Scaled(s)
	if want := s.Apply(p.Apply(x)); !mat.EqualApprox(q.Apply(x), want, 1e-12) {
		t.Errorf("got %v, want %v", q.Apply(x), want)
	}
	z := []float64{0.3, -2, 1}
	if back := q.Apply(mat.NewDense(1, 5, q.Back(z))).RawRowView(0); !floats.EqualApprox(back, z, 1e-10) {
		t.Errorf("%v came back as %v", z, back)
	}
	if p.Axes.At(0, 0) == q.Axes.At(0, 0) {
		t.Error("the first projection was changed")
	}
}
