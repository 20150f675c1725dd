package fedgen

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/privacy"
)

// No row in the cube changes a kind of sums by more than its scale, whatever its
// responsibilities are. A corner in one component only changes them by exactly that.
func TestSensitivity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim, k := rapid.IntRange(1, 5).Draw(t, "columns"), rapid.IntRange(1, 4).Draw(t, "components")
		form := gmm.Covariance(rapid.IntRange(0, 2).Draw(t, "form"))
		value := rapid.OneOf(rapid.Float64Range(-1, 1), rapid.SampledFrom([]float64{-1, 1}))
		row := mat.NewDense(1, dim, rapid.SliceOfN(value, dim, dim).Draw(t, "row"))
		r := mat.NewDense(1, k, nil)
		left := 1.0
		for c := range k {
			share := rapid.Float64Range(0, 1).Draw(t, "share")
			if c == k-1 {
				share = 1
			}
			r.Set(0, c, left*share)
			left -= left * share
		}
		e := &privateEM{z: row, sigma: 0x1p-60, model: unitStart(k, dim, form, [32]byte{}), noise: rand.NewPCG(1, 1)}
		corner := true
		for _, v := range row.RawRowView(0) {
			corner = corner && math.Abs(v) == 1
		}
		check(t, e, r, corner && mat.Max(r) == 1)
	})
}

func check(t *rapid.T, e *privateEM, r *mat.Dense, most bool) {
	dim := e.model.Dim()
	var n, first, second float64
	for _, s := range e.sums(r) {
		n += s.n * s.n
		for _, v := range s.first {
			first += v * v
		}
		for at, v := range s.second {
			if e.model.Form != gmm.Full || at/dim <= at%dim {
				second += v * v
			}
		}
	}
	scale1, scale2 := e.scales()
	for _, length := range []float64{math.Sqrt(n), math.Sqrt(first) / scale1, math.Sqrt(second) / scale2} {
		if length > 1+1e-12 || most && length < 1-1e-12 {
			t.Fatalf("a row changes sums by %g units (the most: %t)", length, most)
		}
	}
}

// Rows that agreed ranges scale to 0 to 1 get no more noise than that range needs.
func TestNoiseFollowsFromAgreedRanges(t *testing.T) {
	a := &Algorithm{Components: 2, Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}}
	if err := a.Prepare(algorithm.Coordinates{ScaledBy: algorithm.Agreed, UnitRange: true}); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 1))
	x := mat.NewDense(200, 2, nil)
	x.Apply(func(int, int, float64) float64 { return rng.Float64() }, x)
	got, spent, err := a.private(x, algorithm.Data{Source: rand.NewPCG(1, 1)}, Config{EM: gmm.EM{Form: gmm.Diag}})
	if err != nil {
		t.Fatal(err)
	}
	unit := Privacy{Epsilon: 1, Delta: 1e-5, Low: []float64{0, 0}, High: []float64{1, 1}}
	want, _, err := Private(x, 2, gmm.Diag, unit, [32]byte{}, rand.NewPCG(1, 1))
	if err != nil || !reflect.DeepEqual(got, want) || math.Abs(float64(spent/a.Loss())-1) > 1e-12 {
		t.Errorf("got %+v for a loss of %g, want the contribution of rows from 0 to 1, %+v, for %g (%v)", got, spent, want, a.Loss(), err)
	}
}

// Over random neighbours the vector of all sums changes by at most √3 units, and by nearly
// that. So the noise is no larger than necessary, whatever the range is.
func TestNeighboursComeNearTheSensitivity(t *testing.T) {
	type drawn struct {
		components int
		form       gmm.Covariance
		seed       byte
	}
	starts := map[drawn]Moments{} // finding one takes longer than a step
	for _, low := range []float64{-1, 0, 20} {
		p := Privacy{Low: []float64{low, low, low}, High: []float64{low + 1, low + 1, low + 1}}
		for _, form := range []gmm.Covariance{gmm.Full, gmm.Diag, gmm.Spherical} {
			rng, most := rand.New(rand.NewPCG(3, 1)), 0.0
			for range 60 {
				x := mat.NewDense(2+rng.IntN(40), 3, nil)
				x.Apply(func(int, int, float64) float64 { return low + math.Round(rng.Float64()) + 0.3*rng.NormFloat64() }, x)
				rows, _ := x.Dims()
				d := drawn{1 + rng.IntN(4), form, byte(rng.IntN(8))}
				if _, found := starts[d]; !found {
					starts[d] = unitStart(d.components, 3, form, [32]byte{d.seed})
				}
				most = max(most, change(t, p, starts[d].copied(), x, x.Slice(0, rows-1, 0, 3).(*mat.Dense)))
			}
			if most > math.Sqrt(3)*(1+1e-6) || most < 0.98*math.Sqrt(3) {
				t.Errorf("from %g, %v: a row changes sums by up to %.4f units, want nearly √3", low, form, most)
			}
		}
	}
}

// change returns the length of the difference between neighbouring rows in the sums of a step.
func change(t *testing.T, p Privacy, model Moments, x, y *mat.Dense) float64 {
	t.Helper()
	m, err := model.Mixture()
	if err != nil {
		t.Fatal(err)
	}
	e := &privateEM{sigma: 0x1p-30, model: model, noise: rand.NewPCG(1, 1)}
	sums := func(x *mat.Dense) []noisy {
		e.z = p.unit(x)
		return e.sums(m.Responsibilities(e.z))
	}
	a, b := sums(x), sums(y)
	scale1, scale2 := e.scales()
	square := 0.0
	for k := range a {
		square += math.Pow(a[k].n-b[k].n, 2)
		for i := range a[k].first {
			square += math.Pow((a[k].first[i]-b[k].first[i])/scale1, 2)
		}
		for at := range a[k].second {
			if model.Form != gmm.Full || at/3 <= at%3 {
				square += math.Pow((a[k].second[at]-b[k].second[at])/scale2, 2)
			}
		}
	}
	return math.Sqrt(square)
}
