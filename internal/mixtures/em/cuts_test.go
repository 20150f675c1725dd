package em

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/testkit"
)

// Cuts find clusters that lie apart, given the moments of their rows in a few mixed groups. The same
// moments give the same bits.
func TestCutsFindClusters(t *testing.T) {
	centres := testkit.Dense([][]float64{{0, 0, 0}, {9, 0, 1}, {0, 9, 2}, {9, 9, 3}})
	x := mat.NewDense(400, 3, nil)
	rng := rand.New(rand.NewPCG(3, 3))
	for i := range 400 {
		for j := range 3 {
			x.Set(i, j, centres.At(i%4, j)+0.5*rng.NormFloat64())
		}
	}
	r := passes.NewReader(gmm.Matrix(x))
	groups, err := passes.HardMoments(r, func(int) func(x []float64) []int { // two clusters each
		return func(x []float64) (of []int) {
			for ; len(x) > 0; x = x[3:] {
				if x[0] < 4.5 {
					of = append(of, 0)
				} else {
					of = append(of, 1)
				}
			}
			return of
		}
	}, mat.NewDense(2, 3, nil), true)
	if err != nil {
		t.Fatal(err)
	}
	found := cuts(groups, []int{4, 2}, rand.New(rand.NewPCG(1, 1)))
	again := cuts(groups, []int{4, 2}, rand.New(rand.NewPCG(1, 1)))
	if len(found) != 2 || !mat.Equal(found[4].centres, again[4].centres) || !mat.Equal(found[2].centres, again[2].centres) {
		t.Fatal("the same moments give other centres")
	}
	for i, n := range gmm.Nearest(centres, found[4].centres) {
		if d := math.Sqrt(passes.SquaredDistance(found[4].centres.RawRowView(n), centres.RawRowView(i))); d > 2 {
			t.Errorf("no centre is nearer to cluster %d than %.2g", i, d)
		}
	}
}

// Learners that share solutions get the same cuts, and their sources go on from the same place, but
// the points are drawn once.
func TestCutsAreShared(t *testing.T) {
	r := passes.NewReader(gmm.Matrix(testkit.Patterns(100, 4, 3, 1)))
	moments, err := r.SoftMoments(1, make([]float64, 4), 1, nil, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	var shared Solutions
	var before float64
	for i, s := range []*Solutions{nil, &shared, &shared} {
		src := rand.NewPCG(1, 2)
		first := s.cuts(moments, []int{2, 5}, src)
		second := s.cuts(moments, []int{2, 5}, src)
		got := first[5].square + second[2].square + second[5].centres.At(4, 3) + float64(src.Uint64()%1024)
		if i > 0 && got != before {
			t.Errorf("the cuts of learner %d, or what it draws next, differ from those of the one before", i)
		}
		if before = got; first[5].square == second[5].square {
			t.Error("a second draw has the same points")
		}
	}
	again := rand.NewPCG(1, 2)
	few := testing.AllocsPerRun(1, func() { *again = *rand.NewPCG(1, 2); shared.cuts(moments, []int{2, 5}, again) })
	if few > 20 {
		t.Errorf("cuts that another learner has made take %g allocations", few)
	}
}

// Moments of hardly any rows, and rows of one value, have centres as well.
func TestCutsOfFewRows(t *testing.T) {
	few := passes.NewMoments(3, 2, true)
	few.N = []float64{0.5, 0.2, 0.1}
	for _, s := range []*passes.Moments{few, passes.NewMoments(3, 2, true)} {
		s.N[0] = math.Max(s.N[0], 0.5)
		centres := cuts(s, []int{5}, rand.New(rand.NewPCG(1, 1)))[5].centres
		for i := range 5 {
			for j := range 2 {
				if v := centres.At(i, j); v-v != 0 {
					t.Errorf("centre %d is at %g", i, v)
				}
			}
		}
	}
}

// Centres settle at the means of their nearest points, at the squared distance of a part's points from
// its mean. One without points stays.
func TestCentresSettle(t *testing.T) {
	points := [][]float64{{0, 0}, {0, 2}, {9, 0}, {9, 2}}
	p := settle(points, testkit.Dense([][]float64{{4, 0}, {5, 0}, {50, 50}}))
	testkit.NearAll(t, "centres", p.centres.RawMatrix().Data, []float64{0, 1, 9, 1, 50, 50}, 1e-12)
	testkit.Near(t, "mean squared distance", p.square, 1, 1e-12)
}

// lloyd is the algorithm of settle without bounds.
func lloyd(points [][]float64, centres *mat.Dense) partition {
	k, dim := centres.Dims()
	p := partition{centres: centres}
	for range settling {
		counts, sums, squares := make([]float64, k), mat.NewDense(k, dim, nil), 0.0
		for _, x := range points {
			at, least := 0, math.Inf(1)
			for i := range k {
				if d := passes.SquaredDistance(x, centres.RawRowView(i)); d < least {
					at, least = i, d
				}
			}
			counts[at]++
			floats.Add(sums.RawRowView(at), x)
			squares += least
		}
		for i, n := range counts {
			if n > 0 {
				floats.ScaleTo(centres.RawRowView(i), 1/n, sums.RawRowView(i))
			}
		}
		p.square = squares / float64(len(points))
	}
	return p
}

// Bounds of distances change no bit, whether points lie in clusters or not, or on top of each other.
func TestBoundsSettleLikeLloyd(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for trial := range 200 {
		n, dim, k := 1+rng.IntN(300), 1+rng.IntN(12), 1+rng.IntN(9)
		apart := float64(trial % 5)
		points := make([][]float64, n)
		for i := range points {
			points[i] = make([]float64, dim)
			for j := range dim {
				points[i][j] = rng.NormFloat64() + apart*float64(i%k)
				if trial%3 == 0 {
					points[i][j] = math.Round(points[i][j]) // many are equally far from two centres
				}
			}
		}
		first := mat.NewDense(k, dim, nil)
		for i := range k {
			first.SetRow(i, points[rng.IntN(n)])
		}
		got, want := settle(points, mat.DenseCopyOf(first)), lloyd(points, mat.DenseCopyOf(first))
		if got.square != want.square || !mat.Equal(got.centres, want.centres) {
			t.Fatalf("trial %d: %d points of %d columns, %d centres: got a mean square of %g, want %g", trial, n, dim, k, got.square, want.square)
		}
	}
}

// A principal component is that of the largest eigenvalue, also if the column of largest variance
// has no part in it.
func TestPrincipal(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	random := mat.NewDense(9, 6, nil)
	for i := range 9 {
		for j := range 6 {
			random.Set(i, j, rng.NormFloat64()*float64(j+1))
		}
	}
	alone := mat.NewSymDense(6, nil)
	alone.SymOuterK(1, random.T())
	apart := mat.NewSymDense(5, nil)
	for i := range 4 {
		for j := range 4 {
			apart.SetSym(i, j, 0.9)
		}
		apart.SetSym(i, i, 1)
	}
	apart.SetSym(4, 4, 2)
	for _, s := range []*mat.SymDense{alone, apart, mat.NewSymDense(3, []float64{4, -2, 0, -2, 1, 0, 0, 0, 0})} {
		got := principal(s)
		var e mat.EigenSym
		if !e.Factorize(s, true) {
			t.Fatal("no eigenvalues")
		}
		var vectors mat.Dense
		e.VectorsTo(&vectors)
		want := mat.Col(nil, s.SymmetricDim()-1, &vectors)
		if along := math.Abs(floats.Dot(got, want)) / floats.Norm(got, 2); along < 1-1e-6 {
			t.Errorf("%v: got %v, want %v", mat.Formatted(s), got, want)
		}
		testkit.Near(t, "eigenvalue", floats.Norm(got, 2), floats.Max(e.Values(nil)), 1e-6)
		if floats.Max(got) < -floats.Min(got) {
			t.Errorf("the largest entry of %v is negative", got)
		}
	}
	if got := principal(mat.NewSymDense(2, nil)); floats.Norm(got, 2) != 0 {
		t.Errorf("got %v for no variance", got)
	}
}

// Drawn rows have the mean and the covariance of the given moments, with columns that are equal and
// one that is constant; noise that makes the moments indefinite does not make them wider.
func TestDrawnRowsHaveTheMoments(t *testing.T) {
	s := passes.NewMoments(1, 4, true)
	s.N[0] = 10
	copy(s.First, []float64{10, 10, 0, 20})
	for at, v := range map[int]float64{0: 50, 1: 50, 5: 50, 10: 90, 3: 20, 7: 20, 15: 40} {
		s.Second[at] = v
	}
	const draws = 20000
	x := newNormal(s).draw(draws, rand.New(rand.NewPCG(2, 2)))
	for i, want := range []float64{1, 1, 0, 2} {
		column := mat.Col(nil, i, x)
		testkit.Near(t, "mean", floats.Sum(column)/draws, want, 0.1)
		for j, covariance := range [][]float64{{4, 4, 0, 0}, {4, 4, 0, 0}, {0, 0, 9, 0}, {0, 0, 0, 0}}[i] {
			testkit.Near(t, "product", floats.Dot(column, mat.Col(nil, j, x))/draws, covariance+want*[]float64{1, 1, 0, 2}[j], 0.4)
		}
	}
	s.Second[1], s.Second[5] = 80, 10+1e-9
	for i, largest := range []float64{5, 1e-4} {
		column := mat.Col(nil, i, newNormal(s).draw(draws, rand.New(rand.NewPCG(2, 2))))
		floats.AddConst(-1, column)
		if square := floats.Dot(column, column) / draws; square > largest {
			t.Errorf("column %d has variance %g", i, square)
		}
	}
}
