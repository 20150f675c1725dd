package local

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/testkit"
)

func normals(rng *rand.Rand, n, dim int) *mat.Dense {
	x := mat.NewDense(n, dim, nil)
	for i := range n {
		for j := range dim {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	return x
}

// A share p of similar rows has a surprise of at least −ln p, within the sampling error.
func TestSurpriseHasItsTail(t *testing.T) {
	const draws = 40_000
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{19, 199} {
		for _, p := range []float64{0.05, 0.2, 0.5} {
			above := 0
			for range draws / n {
				own := make([]float64, n)
				for i := range own {
					own[i] = rng.ExpFloat64()
				}
				c := Calibrate(own)
				for range n {
					if c.Surprise(rng.ExpFloat64()) >= -math.Log(p)-1e-12 {
						above++
					}
				}
			}
			// Rows of one calibration are not independent: their share has the variance p(1−p)/n
			// from the rows, and as much again from the calibration.
			got := float64(above) / float64(draws/n*n)
			limit := 4 * math.Sqrt(2*p*(1-p)/draws)
			if math.Abs(got-p) > limit {
				t.Errorf("%d own rows: a share of %.4f is as surprising as %g, want %g ± %.4f", n, got, p, p, limit)
			}
		}
	}
}

func TestSurpriseByHand(t *testing.T) {
	c := Calibrate([]float64{4, 1, 2, 3}) // excess: the upper 2 over 2, mean 1.5
	for score, want := range map[float64]float64{
		0: 0, 1: 0, 1.5: math.Log(5. / 4), 4: math.Log(5. / 2), 4.5: math.Log(5) + math.Log(1+0.5/1.5), 7: math.Log(5) + math.Log(3),
	} {
		if got := c.Surprise(score); math.Abs(got-want) > 1e-12 {
			t.Errorf("%g: surprise %g, want %g", score, got, want)
		}
	}
	if math.Signbit(c.Surprise(0)) || math.Signbit(c.OwnSurprise(1)) {
		t.Error("no surprise is -0")
	}
	if c.Beyond(4) || !c.Beyond(4.5) || c.Surprise(4.5) <= c.Most() {
		t.Error("what is beyond the own scores is not told")
	}
}

// A higher score has at least the same surprise, and every surprise is finite.
func TestSurpriseIsMonotone(t *testing.T) {
	inf := math.Inf(1)
	for _, own := range [][]float64{{1}, {2, 2, 2}, {-inf, 0, inf}, {inf, inf}, {-inf}, {1, 2, 3, math.MaxFloat64}, {-math.MaxFloat64, math.MaxFloat64}} {
		c := Calibrate(own)
		last := math.Inf(-1)
		for _, v := range []float64{-inf, -math.MaxFloat64, -1, 0, 1, 2, 2.5, 1e300, math.MaxFloat64, inf} {
			u := c.Surprise(v)
			if math.IsNaN(u) || math.IsInf(u, 0) || u < last {
				t.Errorf("%v: score %g: surprise %g after %g", own, v, u, last)
			}
			if o := c.order(v); !(o >= -1 && o <= 1) {
				t.Errorf("%v: score %g: order %g", own, v, o)
			}
			last = u
		}
	}
}

// column scores a row by one of its values.
type column int

func (c column) EachScores(of collabdict.Rows, f func(from int, scores []float64)) error {
	return rows.Each(of, func(x *mat.Dense, from int) error {
		n, _ := x.Dims()
		scores := make([]float64, n)
		for i := range scores {
			scores[i] = x.At(i, int(c))
		}
		for i := range scores { // blocks may be small, and in any order
			f(from+n-1-i, scores[n-1-i:n-i])
		}
		return nil
	})
}

func TestEnsembleIsItsDefinition(t *testing.T) {
	const n = 3*rows.PerBlock/2 + 7
	rng := rand.New(rand.NewPCG(3, 4))
	x := normals(rng, n, 2)
	e := &Ensemble{}
	for j := range 2 {
		own := make([]float64, 50)
		for i := range own {
			own[i] = rng.NormFloat64()
		}
		e.Members = append(e.Members, Member{"", column(j), Calibrate(own), 1})
	}
	got, err := Scores(e, rows.InMemory(x))
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		want := 0.0
		for j, m := range e.Members {
			v := x.At(i, j)
			above := 0
			for _, r := range m.scores {
				if r >= v {
					above++
				}
			}
			u := -math.Log(float64(1+above) / 51)
			if above == 0 {
				u += math.Log(1 + (v-slices.Max(m.scores))/m.excess)
			}
			z := (v - m.median) / m.spread
			want += (u + 1e-6*z/(1+math.Abs(z))) / 2
		}
		if math.Abs(got[i]-want) > 1e-12 {
			t.Fatalf("row %d: %.15g, want %.15g", i, got[i], want)
		}
	}
	err = e.Each(rows.InMemory(x), func(from int, scores []float64, surprises *mat.Dense) {
		for i, s := range scores {
			if u := (surprises.At(i, 0) + surprises.At(i, 1)) / 2; s != got[from+i] || math.Abs(u-s) > 1e-6 {
				t.Fatalf("row %d: %g of surprises of mean %g, want %g", from+i, s, u, got[from+i])
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// calls counts how often a scorer is asked.
type calls struct {
	Scorer
	n *int
}

func (c calls) EachScores(of collabdict.Rows, f func(from int, scores []float64)) error {
	*c.n++
	return c.Scorer.EachScores(of, f)
}

// Ensembles with a scorer in common give the scores that each gives alone, and ask it once.
func TestEnsemblesShareScorers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	x, own := normals(rng, 40, 3), []float64{-1, 0, 0.5, 2}
	x.SetRow(7, []float64{math.NaN(), math.NaN(), math.NaN()})
	asked := make([]int, 3)
	member := func(j int) Member {
		return Member{string(rune('a' + j)), calls{column(j), &asked[j]}, Calibrate(own), float64(1 + j)}
	}
	all, some := &Ensemble{[]Member{member(0), member(1), member(2)}}, &Ensemble{[]Member{member(1), member(2)}}
	got, err := ScoresBy(x, all, some)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(asked, []int{1, 1, 1}) {
		t.Errorf("the scorers were asked %d times, want once each", asked)
	}
	for k, e := range []*Ensemble{all, some} {
		if want, err := Scores(e, rows.InMemory(x)); err != nil || !slices.Equal(got[k], want) {
			t.Errorf("ensemble %d: got %v, want %v (%v)", k, got[k], want, err)
		}
	}
}

// The distances are those from comparing all rows, also for rows that are summed in several parts.
func TestNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, dim := range []int{1, 16, 37} {
		x, y := normals(rng, 40, dim), normals(rng, 9, dim)
		n := NewNearest(x)
		distances := func(row []float64, self int) float64 {
			var all []float64
			for i := range 40 {
				if i == self {
					continue
				}
				square := 0.0
				for j, v := range row {
					square += (v - x.At(i, j)) * (v - x.At(i, j))
				}
				all = append(all, math.Sqrt(square))
			}
			slices.Sort(all)
			sum := 0.0
			for _, v := range all[:neighbours] {
				sum += v
			}
			return sum / neighbours
		}
		got, err := Scores(n, rows.InMemory(y))
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			if want := distances(y.RawRowView(i), -1); math.Abs(v-want) > 1e-12 {
				t.Errorf("%d columns, row %d: %g, want %g", dim, i, v, want)
			}
		}
		for i, v := range n.LeftOut(nil) {
			if want := distances(x.RawRowView(i), i); math.Abs(v-want) > 1e-12 {
				t.Errorf("%d columns, own row %d: %g, want %g", dim, i, v, want)
			}
		}
	}
	if two := NewNearest(mat.NewDense(2, 1, []float64{0, 3})).LeftOut(nil); !slices.Equal(two, []float64{3, 3}) {
		t.Errorf("of two rows: %v", two)
	}
}

func TestKept(t *testing.T) {
	if all := Kept(5, 3, 1); !slices.Equal(all, []int{0, 1, 2, 3, 4}) {
		t.Errorf("of few: %v", all)
	}
	for width, most := range map[int]int{3: mostRows, 1000: 1048} {
		some := Kept(50_000, width, 1)
		if len(some) != most || !slices.IsSorted(some) || len(slices.Compact(some)) != most || some[most-1] >= 50_000 {
			t.Errorf("of %d columns: %d rows, want %d that ascend", width, len(some), most)
		}
		if !slices.Equal(some, Kept(50_000, width, 1)) || slices.Equal(some, Kept(50_000, width, 2)) {
			t.Error("the seed does not draw them")
		}
	}
}

// The next row of the same distribution exceeds the limit no more often than promised.
func TestLimitKeepsItsPromise(t *testing.T) {
	testkit.SkipRaced(t)
	const draws = 20_000
	rng := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct {
		n     int
		share float64
		kept  bool
	}{{99, 0.01, true}, {98, 0.01, false}, {20, 0.05, true}, {19, 0.05, true}, {18, 0.05, false}, {150, 0.1, true}, {1, 0.5, true}} {
		above := 0
		for range draws {
			own := make([]float64, c.n)
			for i := range own {
				own[i] = rng.NormFloat64()
			}
			limit, kept := Limit(own, c.share)
			if kept != c.kept || !kept && limit != slices.Max(own) {
				t.Fatalf("%d rows, %g: limit %g, kept %t", c.n, c.share, limit, kept)
			}
			if rng.NormFloat64() > limit {
				above++
			}
		}
		got, error := float64(above)/draws, 4*math.Sqrt(c.share/draws)
		if c.kept && got > c.share+error {
			t.Errorf("%d rows: a share of %.4f is above the limit, promised is %g", c.n, got, c.share)
		}
		if want := 1 / float64(c.n+1); !c.kept && math.Abs(got-want) > 4*math.Sqrt(want/draws) {
			t.Errorf("%d rows: a share of %.4f is above the largest, want %.4f", c.n, got, want)
		}
	}
}

// Similar rows exceed the limit of blended scores no more often than promised. The promise of n
// rows is at least 1/(n+1).
func TestLimitOfABlendKeepsItsPromise(t *testing.T) {
	testkit.SkipRaced(t)
	rng := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{15, 50, 300} {
		draw := func() (scores [3]float64) {
			common := rng.NormFloat64()
			for j := range scores {
				scores[j] = math.Exp(0.7 * (common + rng.NormFloat64())) // heavy-tailed
			}
			return scores
		}
		const trials, each = 1500, 40
		above := 0
		for range trials {
			all := make([][]float64, 3)
			e := &Ensemble{}
			for range n {
				for j, v := range draw() {
					all[j] = append(all[j], v)
				}
			}
			for _, scores := range all {
				e.Members = append(e.Members, Member{Calibration: Calibrate(scores), Weight: 1})
			}
			limit, _ := Limit(Own(e, all), 0.01)
			for range each {
				if v := draw(); e.Score(v[:]) > limit {
					above++
				}
			}
		}
		promised := math.Max(0.01, 1/float64(n+1))
		got := float64(above) / (trials * each)
		// The share above one limit varies by about its mean, like the share above a largest score.
		if most := promised + 3*promised/math.Sqrt(trials); got > most {
			t.Errorf("%d rows: a share of %.4f lies above the limit, want at most %.4f ± %.4f", n, got, promised, most-promised)
		}
	}
}

// Distances are over the cells present, scaled up to all columns. A row without cells gets a
// neutral score in an ensemble.
func TestMissingCells(t *testing.T) {
	none := math.NaN()
	own := mat.NewDense(4, 4, []float64{0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 0, 9, 9, 9, 9})
	n := NewNearest(own)
	x := mat.NewDense(3, 4, []float64{0, none, 0, none, none, 1, none, none, none, none, none, none})
	got := n.scores(x, false)
	if want := math.Sqrt2 * (0 + 0 + 3) / 3; math.Abs(got[0]-want) > 1e-12 {
		t.Errorf("half is missing: %g, want %g", got[0], want)
	}
	if want := 2 * (1 + 1 + 3) / 3.0; math.Abs(got[1]-want) > 1e-12 {
		t.Errorf("three quarters are missing: %g, want %g", got[1], want)
	}
	if !math.IsNaN(got[2]) {
		t.Errorf("all is missing: %g", got[2])
	}
	gaps := mat.DenseCopyOf(own)
	gaps.Set(0, 3, none)
	if got, want := n.LeftOut(gaps)[0], math.Sqrt(4./3)*(3+4+math.Sqrt(3*81))/3; math.Abs(got-want) > 1e-12 {
		t.Errorf("an own row with a gap: %g, want %g", got, want)
	}
	e := &Ensemble{Members: []Member{{"nearest", n, Calibrate([]float64{1, 2, 3, 4, 5}), 1}}}
	scores, err := Scores(e, rows.InMemory(x))
	if want := e.Score([]float64{3}); err != nil || scores[2] != want {
		t.Errorf("neutral score %g, want %g; %v", scores[2], want, err)
	}
}
