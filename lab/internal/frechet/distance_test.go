package frechet

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
)

func symmetric(rows [][]float64) *mat.SymDense {
	s := mat.NewSymDense(len(rows), nil)
	for i, row := range rows {
		for j, v := range row {
			s.SetSym(i, j, v)
		}
	}
	return s
}

func distance(t interface{ Fatal(...any) }, p, q Normal) float64 {
	d, err := Distance(p, q)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestKnownDistances(t *testing.T) {
	var known struct {
		Cases []struct {
			Name         string
			Mean1, Mean2 []float64
			Cov1, Cov2   [][]float64
			Distance     float64
			Scipy        *float64
		}
	}
	b, err := os.ReadFile("testdata/distances.json")
	if err == nil {
		err = json.Unmarshal(b, &known)
	}
	if err != nil || len(known.Cases) != 7 {
		t.Fatal(err, len(known.Cases))
	}
	for _, c := range known.Cases {
		p, q := Normal{c.Mean1, symmetric(c.Cov1)}, Normal{c.Mean2, symmetric(c.Cov2)}
		got, back := distance(t, p, q), distance(t, q, p)
		if math.Abs(got-c.Distance) > 1e-12*c.Distance || math.Abs(back-c.Distance) > 1e-12*c.Distance {
			t.Errorf("%s: got %v and %v, want %v", c.Name, got, back, c.Distance)
		}
		if c.Scipy != nil && math.Abs(got-*c.Scipy) > 1e-9*c.Distance {
			t.Errorf("%s: got %v, by scipy %v", c.Name, got, *c.Scipy)
		}
	}
}

// The distance of a distribution from itself is zero relative to its variance, even if its rank is
// below the number of variables. The distance from a moved and scaled copy has its known value.
func TestDistanceToItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim, rank := rapid.IntRange(1, 30).Draw(t, "dim"), rapid.IntRange(1, 40).Draw(t, "rank")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		a := mat.NewDense(rank, dim, nil)
		a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
		p, moved := Normal{make([]float64, dim), mat.NewSymDense(dim, nil)}, Normal{make([]float64, dim), mat.NewSymDense(dim, nil)}
		p.Covariance.SymOuterK(1, a.T())
		moved.Mean[0] = 3
		moved.Covariance.ScaleSym(4, p.Covariance)
		trace := mat.Trace(p.Covariance)
		if d := distance(t, p, p); d > 1e-12*trace {
			t.Fatalf("to itself %g, of a variance of %g", d, trace)
		}
		if d, want := distance(t, p, moved), 9+trace; math.Abs(d-want) > 1e-12*want {
			t.Fatalf("moved and scaled %g, want %g", d, want)
		}
	})
}

func BenchmarkDistance(b *testing.B) {
	const dim = 512
	rng := rand.New(rand.NewPCG(1, 1))
	var p [2]Normal
	for i := range p {
		a := mat.NewDense(2*dim, dim, nil)
		a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
		p[i] = Normal{make([]float64, dim), mat.NewSymDense(dim, nil)}
		p[i].Covariance.SymOuterK(1, a.T())
	}
	for b.Loop() {
		distance(b, p[0], p[1])
	}
}
