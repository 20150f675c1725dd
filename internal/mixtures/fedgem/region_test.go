package fedgem

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
)

// mixed returns rows of two overlapping clusters, with at least two columns.
func mixed(rows, dim int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 7))
	x := mat.NewDense(rows, dim, nil)
	for i := range rows {
		for j := range dim {
			x.Set(i, j, rng.NormFloat64()*float64(1+j)+float64(2*(i%2)))
		}
	}
	return x
}

// On the border of a region, the expected log-likelihood of the complete data equals that at
// the previous centre; it is larger inside and smaller outside.
func TestRegionsEndWhereTheLikelihoodFalls(t *testing.T) {
	for _, full := range []bool{false, true} {
		l, err := newLocal(mixed(80, 3, 1), Config{Components: 2, BurnIn: 2, Full: full, LocalSteps: 2}.withDefaults())
		if err != nil {
			t.Fatal(err)
		}
		regions, err := l.round()
		if err != nil {
			t.Fatal(err)
		}
		resp := l.mix.Responsibilities(l.x)
		for k, r := range regions {
			precision := l.mix.Precision(k)
			expected := func(centre []float64) (sum float64) {
				for i := range resp.RawMatrix().Rows {
					d := mat.NewVecDense(3, nil)
					d.SubVec(l.x.RowView(i), mat.NewVecDense(3, centre))
					sum -= resp.At(i, k) * mat.Inner(d, precision, d) / 2
				}
				return sum
			}
			before := expected(l.mix.Means().RawRowView(k))
			rng := rand.New(rand.NewPCG(9, uint64(k)))
			for range 20 {
				d := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
				at := func(share float64) float64 {
					to := make([]float64, 3)
					length := l.distance(k, d, make([]float64, 3))
					floats.AddScaledTo(to, r.centre, share*r.radius/length, d)
					return expected(to)
				}
				if on := at(1); math.Abs(on-before) > 1e-10*math.Abs(before) || !(at(0.9) > before) || !(at(1.1) < before) {
					t.Fatalf("full %t, component %d: %g on the border, %g before", full, k, on, before)
				}
			}
		}
	}
}

// Wherever other members pull a centre, no participant's likelihood falls.
func TestPullNeverLowersTheLikelihood(t *testing.T) {
	for _, full := range []bool{false, true} {
		l, err := newLocal(mixed(80, 3, 2), Config{Components: 3, BurnIn: 1, Full: full}.withDefaults())
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(4, 4))
		for range 20 {
			before := floats.Sum(l.mix.LogDensities(nil, l.x))
			regions, err := l.round()
			if err != nil {
				t.Fatal(err)
			}
			targets := make([][]float64, len(regions))
			for k := range targets {
				targets[k] = []float64{9 * rng.NormFloat64(), 9 * rng.NormFloat64(), 9 * rng.NormFloat64()}
			}
			l.pull(regions, targets)
			if after := floats.Sum(l.mix.LogDensities(nil, l.x)); after < before-1e-12 {
				t.Fatalf("full %t: %g fell to %g", full, before, after)
			}
		}
	}
}

// ellipse returns a region in the plane with half axes a and b, turned by an angle.
func ellipse(x, y, a, b, angle float64) region {
	c, s := math.Cos(angle), math.Sin(angle)
	off := c * s * (a*a - b*b)
	return region{rows: 9, centre: []float64{x, y}, radius: 1, shape: []float64{c*c*a*a + s*s*b*b, off, off, s*s*a*a + c*c*b*b}}
}

func meet(a, b region) bool {
	_, may := near(a.centre, b.centre, a.reach()+b.reach())
	return may && a.meets(b)
}

// The test for common points of ellipsoids agrees with a fine grid of points on their borders.
func TestEllipsoidsMeet(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	inside := func(r region, p []float64) bool {
		d := []float64{p[0] - r.centre[0], p[1] - r.centre[1]}
		return inverseForm(append([]float64(nil), r.shape...), d) <= r.radius*r.radius
	}
	seen := map[bool]int{}
	for range 500 {
		angle := 3 * rng.Float64()
		a := ellipse(0, 0, 0.2+rng.Float64(), 0.2+rng.Float64(), angle)
		b := ellipse(2*rng.Float64(), rng.Float64(), 0.2+rng.Float64(), 0.2+rng.Float64(), 2*angle)
		want := inside(a, b.centre) || inside(b, a.centre)
		var chol mat.Cholesky
		chol.Factorize(mat.NewSymDense(2, a.shape))
		var l mat.TriDense
		chol.LTo(&l)
		for i := range 2000 {
			u := float64(i) * 2 * math.Pi / 2000
			p := mat.NewVecDense(2, []float64{math.Cos(u), math.Sin(u)})
			p.MulVec(&l, p)
			want = want || inside(b, p.RawVector().Data)
		}
		got, back := meet(a, b), meet(b, a)
		seen[got]++
		if got != back || got != want {
			t.Fatalf("%v and %v: got %t and %t, want %t", a, b, got, back, want)
		}
	}
	if seen[true] < 50 || seen[false] < 50 {
		t.Errorf("want both cases, got %v", seen)
	}
}

// Balls meet exactly if the ellipsoids whose shape is the identity meet.
func TestBallsAreEllipsoids(t *testing.T) {
	for _, c := range []struct {
		distance, r, o float64
		want           bool
	}{{1, 0.4, 0.5999, false}, {1, 0.4, 0.6001, true}, {1, 2, 0, true}, {0, 0, 0, true}, {1e-9, 0, 0, false}} {
		ball := func(x, radius float64) region { return region{rows: 2, centre: []float64{x, 1}, radius: radius} }
		round := func(x, radius float64) region {
			r := ball(x, radius)
			r.shape = []float64{1, 0, 0, 1}
			return r
		}
		balls := meet(ball(0, c.r), ball(c.distance, c.o))
		ellipsoids := meet(round(0, c.r), round(c.distance, c.o))
		if balls != c.want || ellipsoids != c.want {
			t.Errorf("%+v: got %t as balls, %t as ellipsoids", c, balls, ellipsoids)
		}
	}
}

// Regions join through other regions, unless they have one owner and stay apart. Regions
// without rows are in no super-cluster.
func TestSuperClusters(t *testing.T) {
	at := func(x, radius, rows float64) region { return region{rows: rows, centre: []float64{x}, radius: radius} }
	regions := []region{at(0, 0.5, 1), at(9, 0.5, 2), at(1, 0.6, 3), at(5, 100, 0), at(2.05, 0.5, 1)}
	owner := []int{0, 0, 1, 1, 0}
	of, count := joined(links(regions), regions, owner, true)
	if want := []int{0, 1, 0, -1, 0}; !reflect.DeepEqual(of, want) || count != 2 {
		t.Errorf("got %v of %d, want %v", of, count, want)
	}
	if got := centres(regions, of, count); got[0][0] != (0+3*1+2.05)/5 || got[1][0] != 9 {
		t.Errorf("got centres %v", got)
	}
	of, count = joined(links(regions), regions, owner, false)
	if want := []int{0, 1, 0, -1, 2}; !reflect.DeepEqual(of, want) || count != 3 {
		t.Errorf("apart: got %v of %d, want %v", of, count, want)
	}
}

// Spherical clusters have no anisotropy, however few their rows are. The anisotropy of long
// clusters is that of their covariance.
func TestAnisotropy(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, c := range []struct {
		rows, dim                int
		scale, smallest, largest float64
	}{{30, 10, 1, 1, 1.3}, {1000, 5, 1, 1, 1.1}, {1000, 5, 3, 25. / 13, 50. / 13}} {
		x := mat.NewDense(c.rows, c.dim, nil)
		for i := range c.rows {
			for j := range c.dim {
				x.Set(i, j, rng.NormFloat64())
			}
			x.Set(i, 0, x.At(i, 0)*c.scale)
		}
		one, err := gmm.NewDiagMixture(gmm.Spherical, []float64{1}, mat.NewDense(1, c.dim, nil), mat.NewDense(1, c.dim, slicesOf(1, c.dim)))
		if err != nil {
			t.Fatal(err)
		}
		if got := anisotropy(x, one, mat.NewDense(1, c.dim, nil)); got < c.smallest || got > c.largest {
			t.Errorf("%+v: got %g", c, got)
		}
	}
}

func slicesOf(v float64, n int) []float64 {
	out := make([]float64, n)
	floats.AddConst(v, out)
	return out
}
