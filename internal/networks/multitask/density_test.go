package multitask

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"

	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/vae"
)

// linear is a model of probabilistic principal components, x = Wz + b + noise (Tipping and
// Bishop 1999). The columns of W are orthogonal. So the exact posterior of z has independent
// dimensions, and an affine encoder can be it.
type linear struct {
	w      *mat.Dense // M by d
	b      []float64
	sd     float64
	normal *distmv.Normal
}

func newLinear(src rand.Source) *linear {
	l := &linear{
		w: mat.NewDense(4, 2, []float64{
			1.2, 0.3,
			-0.8, 0.5,
			0.6, -0.9,
			0.4, 1.45,
		}),
		b: []float64{0.3, -1, 0, 0.5}, sd: 0.4,
	}
	var q, cov mat.Dense
	q.Mul(l.w.T(), l.w)
	// make the second column orthogonal to the first
	f := q.At(0, 1) / q.At(0, 0)
	for i := range 4 {
		l.w.Set(i, 1, l.w.At(i, 1)-f*l.w.At(i, 0))
	}
	cov.Mul(l.w, l.w.T())
	s := mat.NewSymDense(4, nil)
	for i := range 4 {
		for j := i; j < 4; j++ {
			s.SetSym(i, j, cov.At(i, j))
		}
		s.SetSym(i, i, s.At(i, i)+l.sd*l.sd)
	}
	l.normal, _ = distmv.NewNormal(l.b, s, src)
	return l
}

func (l *linear) sample(n int) matrix {
	x := mat.NewDense(n, 4, nil)
	for i := range n {
		l.normal.Rand(x.RawRowView(i))
	}
	return matrix{x}
}

// raw returns the raw scale of a standard deviation.
func raw(sd float64) float32 { return float32(math.Log(math.Expm1(sd - 1e-3))) }

// model returns a model with the exact decoder, and an encoder that is the exact posterior with
// standard deviations times wider.
func (l *linear) model(wider float64) *Model {
	m := NewModel(4, Config{Latent: 2})
	m.Matrices(func(s vae.Shape, values []float32) {
		clear(values)
		for j := range 2 {
			column := mat.Col(nil, j, l.w)
			precision := 1 + floats.Dot(column, column)/(l.sd*l.sd)
			switch s.Name {
			case "decoder.0.weight": // 2 by 8
				for i, v := range column {
					values[j*8+i] = float32(v)
				}
			case "decoder.0.bias":
				for i, v := range l.b {
					values[i], values[4+i] = float32(v), raw(l.sd)
				}
			case "encoder.0.weight": // 4 by 4
				for i, v := range column {
					values[i*4+j] = float32(v / (l.sd * l.sd * precision))
				}
			case "encoder.0.bias":
				values[j] = -float32(floats.Dot(column, l.b) / (l.sd * l.sd * precision))
				values[2+j] = raw(wider / math.Sqrt(precision))
			}
		}
	})
	return m
}

func scored(t *testing.T, m *Model, draws int, rows Rows) (anomaly, logLik, by []float64) {
	t.Helper()
	err := NewScorer(m, draws).Each(rows, func(s Scores) {
		if s.From != len(anomaly) {
			t.Fatalf("a block from row %d after %d rows", s.From, len(anomaly))
		}
		anomaly, logLik = append(anomaly, s.Anomaly...), append(logLik, s.LogLik...)
		by = append(by, s.Contributions...)
	})
	if err != nil {
		t.Fatal(err)
	}
	return anomaly, logLik, by
}

func narrow(x []float64) (out []float32) {
	for _, v := range x {
		out = append(out, float32(v))
	}
	return out
}

// With the exact posterior one draw gives the exact log-likelihood. With a wider one the
// estimate is below it, and approaches it with more draws.
func TestLogLikelihoodApproachesTheExactOne(t *testing.T) {
	testkit.SkipRaced(t)
	l := newLinear(rand.NewPCG(4, 4))
	x := l.sample(300)
	exact := make([]float64, 300)
	for i := range exact {
		exact[i] = l.normal.LogProb(x.RawRowView(i))
	}
	_, got, _ := scored(t, l.model(1), 1, x)
	if off := floats.Distance(got, exact, math.Inf(1)); off > 1e-4 {
		t.Errorf("exact posterior: a log-likelihood is %g off", off)
	}
	last := math.Inf(1)
	for _, draws := range []int{1, 10, 100, 2000} {
		_, got, _ := scored(t, l.model(1.6), draws, x)
		short := (floats.Sum(exact) - floats.Sum(got)) / 300
		if short < -0.02 || short > last/2 {
			t.Errorf("%d draws: %.4f nats below the exact log-likelihood, with fewer draws %.4f", draws, short, last)
		}
		last = short
	}
	if last > 0.01 {
		t.Errorf("2000 draws: %.4f nats below the exact log-likelihood", last)
	}
}

// An affine model trained on rows of several participants reaches the density from which they
// were drawn, because an affine auto-encoder has no other optimum (Lucas et al. 2019).
func TestTrainingFindsTheExactDensity(t *testing.T) {
	testkit.SkipRaced(t)
	l := newLinear(rand.NewPCG(5, 4))
	config := Config{Latent: 2, Rate: 0.05, Batch: 64, Seed: 1}
	learners, trace := train(t, config, 1500, l.sample(1500), l.sample(300))
	test := l.sample(2000)
	exact := 0.0
	for i := range 2000 {
		exact += l.normal.LogProb(test.RawRowView(i)) / 2000
	}
	// The posterior can be exact, so the lower bound reaches the log-likelihood.
	if objective := floats.Sum(trace[1400:]) / 100; math.Abs(objective-exact) > 0.1 {
		t.Errorf("objective %.4f, want about %.4f", objective, exact)
	}
	for s, learner := range learners {
		_, got, _ := scored(t, learner.Model(), 100, test)
		if mean := floats.Sum(got) / 2000; math.Abs(mean-exact) > 0.03 {
			t.Errorf("participant %d: mean log-likelihood %.4f, exact %.4f", s, mean, exact)
		}
	}
}

// A score is Eq. (39) with the draws of the scorer, the same whatever other rows there are.
func TestScoresAreTheirFormula(t *testing.T) {
	config := Config{Latent: 2, Hidden: []int{8}, Batch: 64, Rate: 0.01}
	x := patterns(150, 5, 0)
	learners, _ := train(t, config, 60, x)
	m := learners[0].Model()
	const draws = 7
	anomaly, _, _ := scored(t, m, draws, x)
	r, s := referenceOf(m, config), NewScorer(m, draws)
	for i := range 150 {
		row := x.RawRowView(i)
		mean, sd := r.encode(row)
		s.draw(narrow(row))
		want := 0.0
		for _, v := range split(s.noise, 2) {
			want -= r.likelihood(row, []float64{mean[0] + sd[0]*v[0], mean[1] + sd[1]*v[1]}) / draws
		}
		if math.Abs(anomaly[i]-want) > 1e-4*(1+math.Abs(want)) {
			t.Errorf("row %d scores %.7g, want %.7g", i, anomaly[i], want)
		}
		alone, _, _ := scored(t, m, draws, matrix{mat.NewDense(1, 5, row)})
		if alone[0] != anomaly[i] {
			t.Errorf("row %d scores %g alone and %g among others", i, alone[0], anomaly[i])
		}
	}
}

// A value that does not fit the others raises the score and has the largest contribution.
func TestContributionsBlameTheOddValue(t *testing.T) {
	x := patterns(150, 5, 0)
	learners, _ := train(t, Config{Latent: 2, Hidden: []int{16}, Rate: 0.01}, 400, x)
	anomaly, _, by := scored(t, learners[0].Model(), DefaultDraws, x)
	if mean := floats.Sum(by) / float64(len(by)); mean < 0.35 || mean > 0.65 {
		t.Errorf("mean contribution of a usual value %.3f, want about 0.5", mean)
	}
	odd := mat.DenseCopyOf(x)
	for i := range 150 {
		odd.Set(i, i%5, odd.At(i, i%5)+2)
	}
	strange, _, by := scored(t, learners[0].Model(), DefaultDraws, matrix{odd})
	higher, blamed := 0, 0
	for i := range 150 {
		if strange[i] > anomaly[i]+5 {
			higher++
		}
		if floats.MaxIdx(by[5*i:][:5]) == i%5 {
			blamed++
		}
	}
	far, _, _ := scored(t, learners[0].Model(), DefaultDraws, matrix{mat.NewDense(1, 5, []float64{0, 1e300, 0, 0, 0})})
	if !(far[0] > 1e6) || math.IsInf(far[0], 1) {
		t.Errorf("a value of 1e300 scores %g", far[0])
	}
	if higher < 145 || blamed < 110 {
		t.Errorf("of 150 odd rows %d score higher, and of %d the odd value is blamed", higher, blamed)
	}
}
