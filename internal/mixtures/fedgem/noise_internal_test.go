package fedgem

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
)

// Rows that agreed ranges scale to 0 to 1 lie in the ball about the middle of that range.
func TestTheBallFollowsFromAgreedRanges(t *testing.T) {
	a := Kind.New().(*Algorithm)
	if err := a.Options().Complete(); err != nil {
		t.Fatal(err)
	}
	a.Components, a.Epsilon, a.Delta = 2, 1, 1e-5
	if err := a.Prepare(algorithm.Coordinates{ScaledBy: algorithm.Agreed, UnitRange: true}); err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(3, 4, []float64{0, 1, 0, 1, 1, 1, 1, 1, 0.2, 0.4, 0.6, 0.8})
	c, err := a.config(t.Context(), collabdict.Solo{}, x, algorithm.Data{Source: rand.NewPCG(1, 1)}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if c.Noise.Radius != 1 { // the half diagonal
		t.Errorf("got a radius of %g, want 1", c.Noise.Radius)
	}
	if clipped := c.Noise.clip(x); !mat.EqualApprox(clipped, x, 1e-15) {
		t.Errorf("rows in the range were moved to %v", mat.Formatted(clipped))
	}
}

// One more row, wherever it is, changes the counts, the sums and the squared lengths of a step by
// vectors of length at most 1 each, in units of the radius.
func TestARowChangesSumsByItsSensitivity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const rows = 30
		dim, k := rapid.IntRange(1, 4).Draw(t, "columns"), rapid.IntRange(1, 4).Draw(t, "components")
		n := Noise{Loss: 1e30, Radius: 5, Middle: rapid.Float64Range(-9, 9).Draw(t, "middle"), Source: rand.NewPCG(1, 1)}
		values := rapid.SliceOfN(rapid.Float64Range(-9, 9), (rows+1)*dim, (rows+1)*dim).Draw(t, "values")
		x := mat.NewDense(rows+1, dim, values)
		for _, length := range changes(t, n, x, k) {
			if length > 1+1e-9 {
				t.Fatalf("a row changes sums by %g units", length)
			}
		}
	})
}

// Over random neighbours, rows far out nearly reach the bound. So the noise is no larger than
// necessary, whatever the middle is.
func TestNeighboursComeNearTheSensitivity(t *testing.T) {
	for _, middle := range []float64{0, 0.5, -7} {
		rng, most := rand.New(rand.NewPCG(3, 1)), 0.0
		n := Noise{Loss: 1e30, Radius: 0.5 * math.Sqrt(3), Middle: middle, Source: rand.NewPCG(1, 1)}
		for range 100 {
			x := mat.NewDense(2+rng.IntN(40), 3, nil)
			x.Apply(func(int, int, float64) float64 {
				return middle + math.Round(rng.Float64()) - 0.5 + 0.3*rng.NormFloat64()
			}, x)
			square := 0.0
			for _, length := range changes(t, n, x, 1+rng.IntN(4)) {
				square += length * length
			}
			most = max(most, math.Sqrt(square/3))
		}
		if most > 1+1e-9 || most < 0.98 {
			t.Errorf("middle %g: a row changes all sums by up to %.4f of the bound, want nearly 1", middle, most)
		}
	}
}

// changes returns the lengths of the changes that the last row of x makes to the counts, the
// sums and the squared lengths of a step, in units of the radius.
func changes(t rapid.TB, n Noise, x *mat.Dense, k int) [3]float64 {
	t.Helper()
	rows, dim := x.Dims()
	with := stepSums(t, n, x, k)
	without := stepSums(t, n, mat.DenseCopyOf(x.Slice(0, rows-1, 0, dim)), k)
	square := [3]float64{2: math.Pow((with.square-without.square)/(n.Radius*n.Radius), 2)}
	for i := range k {
		count := with.counts[i] - without.counts[i]
		square[0] += count * count
		for j := range dim {
			d := (with.first.At(i, j) - without.first.At(i, j)) / n.Radius
			square[1] += d * d
		}
	}
	for i, v := range square {
		square[i] = math.Sqrt(v)
	}
	return square
}

// stepSums returns the sums of a step from the start.
func stepSums(t rapid.TB, n Noise, x *mat.Dense, k int) sums {
	t.Helper()
	l := &local{config: Config{Components: k, Noise: &n}, x: x}
	l.account = l.config.account()
	if err := l.noisyStart(); err != nil {
		t.Fatal(err)
	}
	s, err := n.sums(l.mix, l.x)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
