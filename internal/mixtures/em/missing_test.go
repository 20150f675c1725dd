package em

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/testkit"
)

// blanked returns rows without a random share of their cells, but with at least one cell in
// each row and column.
func blanked(x *mat.Dense, share float64, rng *rand.Rand) *mat.Dense {
	out := mat.DenseCopyOf(x)
	n, dim := x.Dims()
	for i := range n {
		for j := range dim {
			if rng.Float64() < share && j != i%dim {
				out.Set(i, j, math.NaN())
			}
		}
	}
	for j := range dim { // there may be few rows
		out.Set(0, j, x.At(0, j))
	}
	return out
}

// observed returns the log posterior of the present cells of the learners' rows: Σ ln p(x_o)
// with each participant's weights and the tilts of the prior, plus the prior.
func observed(t testing.TB, learners []*Learner, data []*mat.Dense) float64 {
	t.Helper()
	sum := 0.0
	for s, l := range learners {
		c := l.live[0]
		tilts := c.form.tilts(c.model)
		n, _ := data[s].Dims()
		weights, means := c.model.Weights(), c.model.Means()
		logs := make([][]float64, len(weights))
		for k := range weights {
			one, err := gmm.NewMixture([]float64{1}, mat.NewDense(1, c.model.Dim(), means.RawRowView(k)), []*mat.SymDense{c.model.Precision(k)})
			if err != nil {
				t.Fatal(err)
			}
			logs[k] = one.LogDensities(nil, data[s])
		}
		for i := range n {
			terms, top := make([]float64, len(weights)), math.Inf(-1)
			for k, w := range weights {
				terms[k] = math.Log(w) + logs[k][i]
				if tilts != nil {
					terms[k] += tilts[k]
				}
				top = math.Max(top, terms[k])
			}
			all := 0.0
			for _, v := range terms {
				all += math.Exp(v - top)
			}
			sum += top + math.Log(all)
		}
		for _, w := range weights {
			sum += l.config.weightRows() * math.Log(w)
		}
	}
	return sum + learners[0].live[0].form.(prior).logDensity(learners[0].live[0].model)
}

// Whatever is missing, EM raises the log posterior of the cells present, and the objective,
// which is below it.
func TestObjectiveNeverFallsWithMissingCells(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed, dim := rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(2, 4).Draw(rt, "columns")
		share := rapid.Float64Range(0.05, 0.6).Draw(rt, "share")
		rng := rand.New(rand.NewPCG(seed, 1))
		var data []*mat.Dense
		for s := range rapid.IntRange(1, 2).Draw(rt, "participants") {
			data = append(data, blanked(testkit.Patterns(rapid.IntRange(12, 24).Draw(rt, "rows"), dim, 3, (seed+uint64(s))%1000), share, rng))
		}
		config := Config{Components: rapid.IntRange(1, 3).Draw(rt, "components"), Rho: rapid.SampledFrom([]float64{0, 0.5}).Draw(rt, "rho"), Seed: seed, Missing: true}
		last := math.Inf(-1)
		for _, rounds := range []int{1, 4} {
			learners, trace := train(t, config, rounds, data...)
			for i := 1; i < len(trace); i++ {
				if trace[i] < trace[i-1]-1e-7*(1+math.Abs(trace[i-1])) {
					rt.Fatalf("objective falls from %.12g to %.12g in round %d", trace[i-1], trace[i], i+1)
				}
			}
			got := observed(t, learners, data)
			if got < last-1e-7*(1+math.Abs(last)) {
				rt.Fatalf("the log posterior falls from %.12g to %.12g before round %d", last, got, rounds)
			}
			if bound := trace[len(trace)-1]; bound > got+1e-7*(1+math.Abs(got)) {
				rt.Fatalf("the bound %.12g is above the log posterior %.12g", bound, got)
			}
			last = got
		}
	})
}

// A group without missing cells learns the same bits, whether or not cells may be missing. Only
// the bounds of its sums are wider, which does not change the rounding of plain sums.
func TestNothingMissingKeepsTheBits(t *testing.T) {
	data := []*mat.Dense{testkit.Patterns(120, 4, 3, 1), testkit.Patterns(90, 4, 3, 2)}
	for _, config := range []Config{{Components: 3, Seed: 5}, {Components: 3, Rho: 1, Seed: 5}} {
		want, wantTrace := train(t, config, 8, data...)
		config.Missing = true
		got, trace := train(t, config, 8, data...)
		if !testkit.SameBits(flat(got[0].Model()), flat(want[0].Model())) || !testkit.SameBits(trace, wantTrace) {
			t.Error("other bits")
		}
	}
}

// The sums over participants equal those over all rows in one place.
func TestSumsWithMissingCellsArePooled(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	const dim = 4
	all := blanked(testkit.Patterns(210, dim, 3, 4), 0.2, rng)
	cut := func(from, to int) *mat.Dense { return mat.DenseCopyOf(all.Slice(from, to, 0, dim)) }
	data := []*mat.Dense{cut(0, 70), cut(70, 150), cut(150, 210)}
	start, _ := train(t, Config{Components: 1, Seed: 5, Missing: true}, 1, all)
	m := start[0].Model()
	statistics := func(x *mat.Dense) []float64 {
		l, err := NewLearner(gmm.Matrix(x), Config{Components: 1, Missing: true})
		if err != nil {
			t.Fatal(err)
		}
		c := *start[0].live[0]
		c.view, c.model = l.view, m
		l.limits = start[0].limits
		v, err := c.statistics(l, nil)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	want, sum := statistics(all), make([]float64, 0)
	for s, x := range data {
		for i, v := range statistics(x) {
			if s == 0 {
				sum = append(sum, v)
			} else {
				sum[i] += v
			}
		}
	}
	for i := range want[:len(want)-1] { // the last value depends on own weights
		if math.Abs(sum[i]-want[i]) > 1e-9*(1+math.Abs(want[i])) {
			t.Errorf("value %d: %.12g, want %.12g", i, sum[i], want[i])
		}
	}
}

// With one component and hardly any prior, EM reaches the maximum likelihood of the cells
// present: the regression of one column on the other, where the first is present more often.
func TestMissingCellsByRegression(t *testing.T) {
	const n = 4000
	rng := rand.New(rand.NewPCG(2, 3))
	x := mat.NewDense(n, 2, nil)
	var s [6]float64 // over the complete rows n, Σa, Σb, Σaa, Σab; and over all rows Σa
	for i := range n {
		a := rng.NormFloat64()
		b := 0.7*a + 0.5*rng.NormFloat64()
		s[5] += a
		x.SetRow(i, []float64{a, b})
		if a > 0.3 {
			x.Set(i, 1, math.NaN())
			continue
		}
		s[0], s[1], s[2], s[3], s[4] = s[0]+1, s[1]+a, s[2]+b, s[3]+a*a, s[4]+a*b
	}
	slope := (s[4] - s[1]*s[2]/s[0]) / (s[3] - s[1]*s[1]/s[0])
	want := s[2]/s[0] + slope*(s[5]/n-s[1]/s[0])
	learners, _ := train(t, Config{Components: 1, Lambda0: 1e-9, Rho: 1e-9, Missing: true}, 60, x)
	if got := learners[0].Model().Means().At(0, 1); math.Abs(got-want) > 1e-3 {
		t.Errorf("mean %g, want %g", got, want)
	}
}

// Values that replace missing cells stay within the bounds, however far out they would be.
func TestReplacedCellsStayWithinBounds(t *testing.T) {
	x := mat.NewDense(40, 2, nil)
	for i := range 40 {
		x.SetRow(i, []float64{float64(i % 3), float64(i%3) * 1e-3})
		if i%2 == 1 {
			x.Set(i, 1, math.NaN())
			x.Set(i, 0, float64(100*(i-20)))
		}
	}
	for _, rho := range []float64{0, 1e-6} {
		learners, _ := train(t, Config{Components: 2, Rho: rho, Missing: true}, 20, x, blanked(testkit.Patterns(30, 2, 2, 1), 0.3, rand.New(rand.NewPCG(1, 1))))
		for s, l := range learners {
			summand, err := l.LocalUpdate()
			if err == nil {
				err = collabdict.CheckBlocks(summand.Values, summand.Blocks)
			}
			if err != nil {
				t.Errorf("ρ %g, participant %d: %v", rho, s, err)
			}
		}
	}
}

// The present cells of held-out rows decide choices.
func TestChoiceByPartialRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	x := blanked(testkit.Patterns(200, 3, 3, 8), 0.2, rng)
	held := blanked(testkit.Patterns(40, 3, 3, 8), 0.3, rng)
	held.SetRow(3, []float64{math.NaN(), math.NaN(), math.NaN()})
	learners, _ := train(t, Config{Choices: []Choice{{1, 0.1}, {3, 0.1}}, Held: gmm.Matrix(held), Missing: true}, 8, x)
	_, judged := learners[0].Chosen()
	if len(judged) != 2 || !(judged[1].Gain > judged[0].Gain) {
		t.Errorf("judged %+v", judged)
	}
}
