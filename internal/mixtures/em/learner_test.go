package em

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/testkit"
)

// flat lists all parameters of a model.
func flat(m *gmm.Mixture) []float64 {
	out := append(m.Weights(), m.Means().RawMatrix().Data...)
	for k := range m.Components() {
		out = append(out, mat.DenseCopyOf(m.Precision(k)).RawMatrix().Data...)
	}
	return out
}

// awkward draws data sets that break starts: few rows, equal rows, constant
// columns, more components than there are distinct rows.
func awkward(t *rapid.T) (data []*mat.Dense, config Config) {
	dim := rapid.IntRange(1, 4).Draw(t, "columns")
	value := rapid.OneOf(rapid.Float64Range(-3, 3), rapid.SampledFrom([]float64{0, 1, 100}))
	total := 0
	for range rapid.IntRange(1, 3).Draw(t, "participants") {
		n := rapid.IntRange(1, 12).Draw(t, "rows")
		total += n
		data = append(data, mat.NewDense(n, dim, rapid.SliceOfN(value, n*dim, n*dim).Draw(t, "values")))
	}
	return data, Config{
		Components: rapid.IntRange(1, min(5, total)).Draw(t, "components"),
		Lambda0:    rapid.SampledFrom([]float64{0, 0.1, 5}).Draw(t, "lambda0"),
		Rho:        rapid.SampledFrom([]float64{0, 0.05, 10}).Draw(t, "rho"),
		Seed:       rapid.Uint64().Draw(t, "seed"),
	}
}

func TestObjectiveNeverFalls(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		data, config := awkward(rt)
		learners, trace := train(t, config, 6, data...)
		for i := 1; i < len(trace); i++ {
			if trace[i] < trace[i-1]-1e-7*(1+math.Abs(trace[i-1])) {
				rt.Fatalf("objective falls from %.12g to %.12g in round %d", trace[i-1], trace[i], i+1)
			}
		}
		first := learners[0].Model()
		for _, l := range learners {
			if m := l.Model(); !testkit.SameBits(flat(m)[config.Components:], flat(first)[config.Components:]) {
				rt.Fatal("participants hold different means or precisions")
			}
			testkit.Near(rt, "sum of the weights", floats.Sum(l.Model().Weights()), 1, 1e-12)
			d := l.Diversity()
			n := l.rows.N
			if limit := math.Log(float64(n)) + 1e-9; d.Min > d.Max || d.Max > limit || d.MinResponsibility > limit {
				rt.Fatalf("diversity %+v of %d rows", d, n)
			}
		}
	})
}

// With K = 1 the weights are the same everywhere, so only the pooled rows count, whichever
// member has them.
func TestOneComponentIsThePooledFit(t *testing.T) {
	x := testkit.Patterns(300, 4, 3, 2)
	part := func(from, to int) *mat.Dense { return x.Slice(from, to, 0, 4).(*mat.Dense) }
	config := Config{Components: 1, Rho: 5}
	alone, _ := train(t, config, 2, x)
	split, _ := train(t, config, 2, part(0, 20), part(20, 150), part(150, 300))
	testkit.NearAll(t, "parameters", flat(split[2].Model()), flat(alone[0].Model()), 1e-9)
}

// The order of members, and of each member's rows, changes nothing.
func TestOrderOfMembersAndRowsIsFree(t *testing.T) {
	a, b := testkit.Patterns(120, 3, 3, 2), testkit.Patterns(260, 3, 3, 4)
	reversed := mat.NewDense(260, 3, nil)
	for j := range 260 {
		reversed.SetRow(j, b.RawRowView(259-j))
	}
	config := Config{Components: 3, Rho: 5, Seed: 9}
	one, _ := train(t, config, 10, a, b)
	two, _ := train(t, config, 10, reversed, a)
	testkit.NearAll(t, "first member", flat(two[1].Model()), flat(one[0].Model()), 1e-6)
	testkit.NearAll(t, "second member", flat(two[0].Model()), flat(one[1].Model()), 1e-6)
}

// A participant's statistics over two halves add up to those over all its rows, except for
// values that depend on its own weights.
func TestStatisticsAreAdditive(t *testing.T) {
	x := testkit.Patterns(700, 3, 3, 2)
	init := start(t, x, 3)
	statistics := func(rows *mat.Dense) []float64 {
		l, err := NewLearner(gmm.Matrix(rows), Config{Components: 3, Init: init})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Start(t.Context(), collabdict.Solo{}); err != nil {
			t.Fatal(err)
		}
		summand, err := l.LocalUpdate()
		if err != nil {
			t.Fatal(err)
		}
		v, blocks := summand.Values, summand.Blocks
		if err := collabdict.CheckBlocks(v, blocks); err != nil {
			t.Error(err)
		}
		return v[:len(v)-1]
	}
	sum := statistics(x.Slice(0, 301, 0, 3).(*mat.Dense))
	floats.Add(sum, statistics(x.Slice(301, 700, 0, 3).(*mat.Dense)))
	testkit.NearAll(t, "statistics", sum, statistics(x), 1e-11)
}

// start returns some parameters that fit x.
func start(t testing.TB, x *mat.Dense, k int) *gmm.Parameters {
	t.Helper()
	f, err := gmm.Fit(x, k, gmm.EM{Iterations: 2}, testkit.Seed(5))
	if err != nil {
		t.Fatal(err)
	}
	p := &gmm.Parameters{Means: f.Mixture.Means(), Weights: f.Mixture.Weights()}
	for c := range k {
		p.Precisions = append(p.Precisions, f.Mixture.Precision(c))
	}
	return p
}

// bruteStatistics computes Eqs. (12) and (13) literally. g are log densities.
func bruteStatistics(m *gmm.Mixture, x *mat.Dense) (s *passes.Moments, g [][]float64, r [][]float64) {
	rows, dim := x.Dims()
	k := m.Components()
	s = passes.NewMoments(k, dim, true)
	g, r = make([][]float64, k), make([][]float64, k)
	for n := range rows {
		row := mat.NewVecDense(dim, x.RawRowView(n))
		joint, total := make([]float64, k), 0.0
		for c := range k {
			var d mat.VecDense
			d.SubVec(row, m.Means().RowView(c))
			p := m.Precision(c)
			log := 0.5*math.Log(mat.Det(p)) - float64(dim)/2*math.Log(2*math.Pi) - 0.5*mat.Inner(&d, p, &d)
			g[c] = append(g[c], log)
			joint[c] = m.Weights()[c] * math.Exp(log)
			total += joint[c]
		}
		s.LogLik += math.Log(total)
		for c := range k {
			w := joint[c] / total
			r[c] = append(r[c], w)
			s.N[c] += w
			for i := range dim {
				s.First[c*dim+i] += w * row.AtVec(i)
				for j := i; j < dim; j++ {
					s.Second[(c*dim+i)*dim+j] += w * row.AtVec(i) * row.AtVec(j)
				}
			}
		}
	}
	return s, g, r
}

func bruteEntropy(weights []float64) (h float64) {
	total := floats.Sum(weights)
	for _, w := range weights {
		if p := w / total; p > 0 {
			h -= p * math.Log(p)
		}
	}
	return h
}

func TestLocalUpdateMatchesDefinition(t *testing.T) {
	x := testkit.Patterns(600, 4, 3, 2)
	l, err := NewLearner(gmm.Matrix(x), Config{Components: 3, Rho: 10, Init: start(t, x, 3)})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Start(t.Context(), collabdict.Solo{}); err != nil {
		t.Fatal(err)
	}
	summand, err := l.LocalUpdate()
	if err != nil {
		t.Fatal(err)
	}
	got := summand.Values
	want, g, r := bruteStatistics(l.Model(), x)
	own := 0.0
	for k, n := range want.N {
		own += n * math.Log(n/600)
		for _, v := range r[k] {
			if v > 0 {
				own -= v * math.Log(v)
			}
		}
	}
	testkit.NearAll(t, "statistics", got, append(append([]float64{600}, want.Pack()...), own), 1e-10)
	least, leastR, most := math.Inf(1), math.Inf(1), 0.0
	for k := range 3 {
		floats.AddConst(-floats.Max(g[k]), g[k])
		for n, v := range g[k] {
			g[k][n] = math.Exp(v)
		}
		most = math.Max(most, bruteEntropy(g[k]))
		least = math.Min(least, bruteEntropy(g[k]))
		leastR = math.Min(leastR, bruteEntropy(r[k]))
	}
	d := l.Diversity()
	testkit.Near(t, "Max", d.Max, most, 1e-10)
	testkit.Near(t, "Min", d.Min, least, 1e-10)
	testkit.Near(t, "MinResponsibility", d.MinResponsibility, leastR, 1e-10)
}

func TestBitsDoNotDependOnProcessors(t *testing.T) {
	x := testkit.Patterns(5000, 5, 4, 3)
	var results [][]float64
	for _, procs := range []int{1, 2, 7} {
		old := runtime.GOMAXPROCS(procs)
		l, trace := train(t, Config{Components: 4, Seed: 3}, 3, x)
		results = append(results, append(flat(l[0].Model()), trace...))
		runtime.GOMAXPROCS(old)
	}
	if !testkit.SameBits(results[0], results[1]) || !testkit.SameBits(results[0], results[2]) {
		t.Error("the model's bits depend on GOMAXPROCS")
	}
}

func TestFailedRoundKeepsTheModel(t *testing.T) {
	x := testkit.Patterns(200, 3, 2, 1)
	l, _ := NewLearner(gmm.Matrix(x), Config{Components: 2})
	if _, err := l.LocalUpdate(); !errors.Is(err, errNotStarted) {
		t.Errorf("update before start: got error %v", err)
	}
	if err := l.Start(t.Context(), collabdict.Solo{}); err != nil {
		t.Fatal(err)
	}
	before := flat(l.Model())
	summand, err := l.LocalUpdate()
	if err != nil {
		t.Fatal(err)
	}
	v := summand.Values
	bad := append([]float64(nil), v...)
	bad[3] = math.NaN()
	for _, total := range [][]float64{nil, v[1:], bad} {
		if _, err := l.Optimize(total, true); err == nil {
			t.Errorf("a total of %d values, some perhaps not numbers, was taken", len(total))
		}
	}
	if !testkit.SameBits(before, flat(l.Model())) {
		t.Error("the model changed though no round was completed")
	}
	if _, err := l.Optimize(v, true); err != nil || testkit.SameBits(before, flat(l.Model())) {
		t.Errorf("a good total changes nothing (%v)", err)
	}
}

func TestLearnerErrors(t *testing.T) {
	x := testkit.Patterns(20, 3, 2, 1)
	bad := mat.DenseCopyOf(x)
	bad.Set(4, 1, math.Inf(1))
	init := start(t, x, 2)
	for want, c := range map[string]struct {
		rows   *mat.Dense
		config Config
	}{
		"init: means: want 2 columns":                            {x.Slice(0, 20, 0, 2).(*mat.Dense), Config{Components: 2, Init: init}},
		"rows: row 5, column 2: want a finite value":             {bad, Config{Components: 1}},
		"rows: want at least 1 row and 1 column":                 {&mat.Dense{}, Config{Components: 1}},
		"components: want at most 20, the number of rows of all": {x, Config{Components: 21}},
	} {
		l, err := NewLearner(gmm.Matrix(c.rows), c.config)
		if err == nil {
			err = l.Start(t.Context(), collabdict.Solo{})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %q", err, want)
		}
	}
}

// failing is a group whose nth collective fails.
type failing struct {
	collabdict.Solo
	n int
}

func (f *failing) Sum(ctx context.Context, s collabdict.Summand) ([]float64, error) {
	if f.n--; f.n < 0 {
		return nil, fmt.Errorf("lost")
	}
	return f.Solo.Sum(ctx, s)
}

func TestStart(t *testing.T) {
	x := testkit.Patterns(400, 3, 4, 3)
	l, _ := NewLearner(gmm.Matrix(x), Config{Components: 4})
	if err := l.Start(t.Context(), collabdict.Solo{}); err != nil {
		t.Fatal(err)
	}
	// two of bounds, the first sum over the rows, the steps, the first M-step
	sums := l.SetupSums()
	if want := 2 + 1 + lloydSteps + 1; sums != want {
		t.Errorf("%d collectives, want %d", sums, want)
	}
	if l.TotalRows() != 400 {
		t.Errorf("%d rows, want 400", l.TotalRows())
	}
	testkit.Near(t, "first weight", l.Model().Weights()[0], 0.25, 0)
	for n := range sums - 1 {
		again, _ := NewLearner(gmm.Matrix(x), Config{Components: 4})
		if err := again.Start(t.Context(), &failing{n: n}); err == nil || again.Model() != nil {
			t.Errorf("sum %d of the start was lost: error %v, model %v", n+1, err, again.Model())
		}
	}
}

// The agreed start finds well separated clusters wherever the rows are.
func TestStartFindsClusters(t *testing.T) {
	centres := testkit.Dense([][]float64{{0, 0}, {8, 0}, {0, 8}, {8, 8}, {20, 20}})
	ones := mat.NewDense(5, 2, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1})
	truth, err := gmm.NewDiagMixture(gmm.Spherical, []float64{.2, .2, .2, .2, .2}, centres, ones)
	if err != nil {
		t.Fatal(err)
	}
	x := truth.Sample(500, testkit.Seed(2))
	l, trace := train(t, Config{Components: 5, Rho: 0.5}, 8, x.Slice(0, 100, 0, 2).(*mat.Dense), x.Slice(100, 500, 0, 2).(*mat.Dense))
	got := l[1].Model().Means()
	for i, n := range gmm.Nearest(centres, got) {
		if d := passes.SquaredDistance(got.RawRowView(n), centres.RawRowView(i)); d > 0.5 {
			t.Errorf("no mean is nearer to centre %d than %g (trace %v)", i, math.Sqrt(d), trace)
		}
	}
}
