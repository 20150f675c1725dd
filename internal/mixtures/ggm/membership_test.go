package ggm

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/dpem"
	"github.com/collabdict/collabdict/internal/mixtures/em"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/privacy/release"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/audittest"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
)

// The rows of the attack are from two spherical clusters of standard deviation 1, 4√3 apart.
const (
	attackedMembers = 3
	attackedRows    = 60 // of each
	attackedColumns = 3
)

// background draws the rows of a shadow model, of all members.
func background(seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 9))
	x := mat.NewDense(attackedMembers*attackedRows, attackedColumns, nil)
	for i := range attackedMembers * attackedRows {
		for j := range attackedColumns {
			x.Set(i, j, float64(i%2*4-2)+rng.NormFloat64())
		}
	}
	return x
}

// targets are rows of the second cluster: near its middle, about three standard deviations away
// (as few rows are), and far from all others.
var targets = []struct {
	name string
	row  []float64
}{
	{"usual", []float64{2.5, 1.5, 2.4}},
	{"edge", []float64{4, 0.2, 3.5}},
	{"far", []float64{12, -6, 10}},
}

// with returns rows in which another row replaces the first of the second cluster.
func with(x *mat.Dense, row []float64) *mat.Dense {
	x.SetRow(1, row)
	return x
}

// trained learns from the rows of all members. Its weights are the shares of all rows.
func trained(t *testing.T, x *mat.Dense, seed uint64, config em.Config) (*gmm.Mixture, []float64) {
	t.Helper()
	learners := make([]*em.Learner, attackedMembers)
	grouptest.Together(t, attackedMembers, func(g collabdict.Group, s int) (err error) {
		own := config
		own.Components, own.Source = 2, rand.NewPCG(seed, uint64(s))
		rows := x.Slice(s*attackedRows, (s+1)*attackedRows, 0, attackedColumns).(*mat.Dense)
		if learners[s], err = em.NewLearner(gmm.Matrix(mat.DenseCopyOf(rows)), own); err != nil {
			return err
		}
		_, err = collabdict.Train(t.Context(), g, learners[s], collabdict.Options{Rounds: 20, Tol: 1e-6, Noisy: config.Blur > 0})
		return err
	})
	m, err := learners[0].Written()
	if err != nil {
		t.Fatal(err)
	}
	return m.Only(gmm.Enough(m.ComponentRows())), learners[0].PriorVariances()
}

// posterior returns the posterior from which a release is drawn.
func posterior(t *testing.T, m *gmm.Mixture, variances []float64) *release.Posterior {
	t.Helper()
	p, err := (&Algorithm{Lambda0: 1}).Posterior(m, variances)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// kinds lists what an attacker may get from a run: a mixture learned from these rows, with
// randomness from the seed. It reveals a far row with an advantage between far[0] and far[1].
var kinds = []struct {
	name string
	far  [2]float64
	run  func(t *testing.T, x *mat.Dense, seed uint64) *gmm.Mixture
}{
	{"the exact model", [2]float64{0.9, 1}, func(t *testing.T, x *mat.Dense, seed uint64) *gmm.Mixture {
		m, _ := trained(t, x, seed, em.Config{})
		return m
	}},
	{"the model, blurred by default", [2]float64{0.9, 1}, func(t *testing.T, x *mat.Dense, seed uint64) *gmm.Mixture {
		m, _ := trained(t, x, seed, em.Config{Blur: privacy.BlurRows})
		return m
	}},
	{"a release, all of it", [2]float64{0.9, 1}, func(t *testing.T, x *mat.Dense, seed uint64) *gmm.Mixture {
		m, variances := trained(t, x, seed, em.Config{})
		return posterior(t, m, variances).Draw(rand.NewPCG(seed, 5))
	}},
	{"a release, only its means", [2]float64{0.1, 0.7}, func(t *testing.T, x *mat.Dense, seed uint64) *gmm.Mixture {
		m, variances := trained(t, x, seed, em.Config{})
		drawn := posterior(t, m, variances).Draw(rand.NewPCG(seed, 5)).Means()
		k, dim := drawn.Dims()
		ones := mat.NewDense(k, dim, nil)
		ones.Apply(func(int, int, float64) float64 { return 1 }, ones)
		means, err := gmm.NewDiagMixture(gmm.Spherical, slices.Repeat([]float64{1 / float64(k)}, k), drawn, ones)
		if err != nil {
			t.Fatal(err)
		}
		return means
	}},
	{"the model, ε = 1", [2]float64{-0.35, 0.46}, trainedWith(1)},
	{"the model, ε = 4", [2]float64{-0.35, 0.7}, trainedWith(4)},
	{"the model, ε = 8", [2]float64{-0.35, 0.8}, trainedWith(8)},
}

// trainedWith learns with differential privacy from rows whose values are at most 16 from 0.
// The attacker sees the shares of all rows.
func trainedWith(epsilon float64) func(t *testing.T, x *mat.Dense, seed uint64) *gmm.Mixture {
	return func(t *testing.T, x *mat.Dense, seed uint64) *gmm.Mixture {
		t.Helper()
		a := &Algorithm{}
		a.Options()
		a.Components, a.Rounds, a.Lambda0, a.Covariance, a.Score = 2, dpem.DefaultRounds, 1, dpem.Full, scoreDensity
		a.Epsilon, a.Delta, a.Clip = epsilon, 1e-5, 16
		var m *gmm.Mixture
		grouptest.Together(t, attackedMembers, func(g collabdict.Group, s int) error {
			rows := mat.DenseCopyOf(x.Slice(s*attackedRows, (s+1)*attackedRows, 0, attackedColumns))
			out, err := a.Learn(t.Context(), g, algorithm.Data{Rows: gmm.Matrix(rows), Seed: seed, Source: rand.NewPCG(seed, uint64(s)), Quorum: attackedMembers, Colluders: 1}, func(algorithm.Progress) {})
			if s == 0 && err == nil {
				m = out.Model.(*gmm.Mixture)
			}
			return err
		})
		return m.Only(gmm.Enough(m.ComponentRows()))
	}
}

// advantage returns TPR − FPR of a likelihood ratio test between two normal distributions,
// fitted to statistics of runs with a row and without it (Carlini et al. 2022). It is measured
// on runs to which the distributions are not fitted, by halves in turn.
func advantage(in, out []float64) (all float64) {
	half := func(v []float64, odd int) (part []float64) {
		for i := odd; i < len(v); i += 2 {
			part = append(part, v[i])
		}
		return part
	}
	for odd := range 2 {
		fit := func(v []float64) distuv.Normal {
			mean, deviation := stat.MeanStdDev(half(v, 1-odd), nil)
			return distuv.Normal{Mu: mean, Sigma: deviation}
		}
		a, b := fit(in), fit(out)
		share := func(v []float64) float64 {
			hits := 0
			for _, s := range v {
				if a.LogProb(s) > b.LogProb(s) {
					hits++
				}
			}
			return float64(hits) / float64(len(v))
		}
		all += (share(half(in, odd)) - share(half(out, odd))) / 2
	}
	return all
}

// TestMembershipIsSeenInModels runs membership inference with shadow models. The attacker knows
// the row and how rows are drawn, but none of the others, and decides by the model's log
// density at the row whether it was trained on. An exact model reveals a far row, but hardly a
// usual one; in a release, the precisions reveal it. With testkit.Full, there are 1000 shadow
// models per side.
func TestMembershipIsSeenInModels(t *testing.T) {
	testkit.LongOnly(t)
	audittest.SkipRaced(t)
	shadows := 40
	if testkit.Full {
		shadows = 1000
	}
	for _, kind := range kinds {
		var without []*gmm.Mixture
		for i := range shadows {
			without = append(without, kind.run(t, background(uint64(2*i)), uint64(2*i)))
		}
		found := map[string]float64{}
		for _, target := range targets {
			var in, out []float64
			for i := range shadows {
				seed := uint64(2*i + 1)
				out = append(out, without[i].LogDensity(target.row))
				in = append(in, kind.run(t, with(background(seed), target.row), seed).LogDensity(target.row))
			}
			found[target.name] = advantage(in, out)
		}
		t.Logf("%-30s usual %5.2f  edge %5.2f  far %5.2f", kind.name, found["usual"], found["edge"], found["far"])
		if found["far"] < kind.far[0] || found["far"] > kind.far[1] || found["usual"] > 0.4 {
			t.Errorf("%s: got advantages of %v, want from %g to %g for a far row, and at most 0.4 for a usual one", kind.name, found, kind.far[0], kind.far[1])
		}
	}
}
