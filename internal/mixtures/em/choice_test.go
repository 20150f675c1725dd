package em

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
)

// blobs returns rows of k normal patterns far apart, in random order.
func blobs(n, k int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 5))
	centres := rand.New(rand.NewPCG(1, uint64(k)))
	var means [][]float64
	for range k {
		means = append(means, []float64{6 * centres.NormFloat64(), 6 * centres.NormFloat64(), 6 * centres.NormFloat64()})
	}
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		common := rng.NormFloat64()
		for j, m := range means[rng.IntN(k)] {
			x.Set(i, j, m+0.9*common+0.45*rng.NormFloat64())
		}
	}
	return x
}

var someChoices = []Choice{{2, 0.01}, {2, 0.1}, {4, 0.01}, {4, 0.1}, {6, 0.01}, {6, 0.1}, {10, 0.01}, {10, 0.1}}

// choose trains three members that choose settings, and returns them.
func choose(t *testing.T, k int, missing func(rank, round int) bool) []*Learner {
	t.Helper()
	out := make([]*Learner, 3)
	err := lockstep.Run(t.Context(), 3, func(ctx context.Context, g collabdict.Group, rank int) error {
		l, err := NewLearner(gmm.Matrix(blobs(150, k, uint64(rank))), Config{
			Choices: someChoices, Held: gmm.Matrix(blobs(40, k, uint64(10+rank))), Seed: 1,
		})
		if err != nil {
			return err
		}
		out[rank] = l
		if err := l.Start(ctx, g); err != nil {
			return err
		}
		for round := range 25 {
			summand, err := l.LocalUpdate()
			if err != nil {
				return err
			}
			total, err := g.Sum(ctx, summand)
			if err != nil {
				return err
			}
			if _, err := l.Optimize(total, !missing(rank, round)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func nobody(int, int) bool { return false }

func TestHeldOutRowsChooseTheNumberOfComponents(t *testing.T) {
	for _, k := range []int{2, 4, 6} {
		learners := choose(t, k, nobody)
		chosen, judged := learners[0].Chosen()
		if m, err := learners[0].Written(); err != nil || chosen.Components != k || m.Components() != k {
			t.Errorf("%d patterns: chose %+v, %v, judged %+v", k, chosen, err, judged)
		}
		kept := map[int]int{0: len(someChoices)}
		stages := map[int]int{}
		for _, j := range judged {
			stages[j.Stage]++
			if j.Kept {
				kept[j.Stage]++
			}
		}
		for stage, n := range stages {
			if n != kept[stage-1] || kept[stage] >= n {
				t.Errorf("stage %d of %v judges %d candidates and keeps %d of them, want fewer", stage, kept, n, kept[stage])
			}
		}
		if kept[len(stages)] != 1 {
			t.Errorf("candidates kept by stage: %v, want one in the end", kept)
		}
	}
}

// A member that is missing from totals makes the same choice as the others, because the choice
// follows from totals.
func TestTheChoiceFollowsFromTotals(t *testing.T) {
	learners := choose(t, 4, func(rank, round int) bool { return rank == 2 && round > 2 })
	for _, l := range learners {
		if l.Digest() != learners[0].Digest() || len(l.live) != 1 || l.Running().Key != learners[0].Running().Key {
			t.Errorf("members hold %+v and %+v", l.live, learners[0].live)
		}
	}
}

// A candidate far behind the best goes after any round, and the worse half goes at the end of five
// rounds.
func TestCandidatesFarBehindGoAtOnce(t *testing.T) {
	const rows = 100
	v := &view{limits: limits{Bounds: columnstats.Bounds{RMS: []float64{1}}, full: true}}
	l := &Learner{total: rows, view: v}
	var live []*candidate
	for i, gain := range []float64{1, 0.2, 0.8, 0.9, 0.49} {
		live = append(live, &candidate{view: v, components: i + 1, gain: rows * gain, form: prior{relative: &relative{lambda: 0.1}}})
	}
	for round, want := range []string{"1 3 4", "1 3 4", "1 3 4", "1 3 4", "1 4"} {
		live = l.halve(live)
		var got []string
		for _, c := range live {
			got = append(got, strconv.Itoa(c.components))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("round %d keeps %v, want %s", round+1, got, want)
		}
	}
}

// The number of components is bounded by the rows of all participants, and in wide rows by those
// per column. The smallest number stays.
func TestWideRowsHaveFewComponents(t *testing.T) {
	c := Config{Choices: []Choice{{Components: 4, Lambda: 0.1}, {Components: 10, Lambda: 0.1}, {Components: 20, Lambda: 0.1}}}
	for _, x := range []struct{ rows, columns, want int }{
		{800, 10, 3}, {800, 40, 2}, {800, 80, 1}, {60, 200, 1}, {79, 1, 1}, {80, 1, 2}, {8000, 200, 3},
	} {
		if got := len(c.candidates(nil, float64(x.rows), x.columns)); got != x.want {
			t.Errorf("%d rows of %d columns: %d candidates, want %d", x.rows, x.columns, got, x.want)
		}
	}
}

// The running total of the remaining candidates starts from their parts of the previous one.
func TestCandidatesCarryTheirTotalsOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 4).Draw(t, "columns")
		var live []*candidate
		for range rapid.IntRange(2, 6).Draw(t, "candidates") {
			live = append(live, &candidate{components: rapid.IntRange(1, 5).Draw(t, "components")})
		}
		l := limits{Bounds: columnstats.Bounds{RMS: make([]float64, dim)}, full: true}
		starts, length := l.layout(live)
		before := make([]float64, length)
		for i, c := range live {
			for j := range l.length(c.components) {
				before[starts[i]+j] = float64(100*i + j)
			}
			for j := i; j < gainsOf(len(live)); j += len(live) {
				before[length-gainsOf(len(live))+j] = float64(-1 - j)
			}
		}
		kept := rapid.Permutation([]int{0, 1, 2, 3, 4, 5}[:len(live)]).Draw(t, "order")[:(len(live)+1)/2]
		slices.Sort(kept)
		after := l.carriedOn(collabdict.Running{Key: "statistics"}, "statistics 2", live, kept).Begin(before)
		var rest []*candidate
		for _, i := range kept {
			rest = append(rest, live[i])
		}
		starts, length = l.layout(rest)
		if len(after) != length {
			t.Fatalf("%d values, want %d", len(after), length)
		}
		for at, i := range kept {
			for j := range l.length(live[i].components) {
				if after[starts[at]+j] != float64(100*i+j) {
					t.Fatalf("candidate %d: value %d is %g", i, j, after[starts[at]+j])
				}
			}
			gains := after[length-gainsOf(len(kept)):]
			if len(kept) > 1 && gains[at] != float64(-1-i) {
				t.Fatalf("candidate %d: gain %g", i, gains[at])
			}
			if len(gains) > len(kept) {
				want := float64(-1 - i) // the gain without mergers
				if gainsOf(len(live)) > len(live) {
					want -= float64(len(live))
				}
				if gains[len(kept)+at] != want {
					t.Fatalf("candidate %d: gain after mergers %g, want %g", i, gains[len(kept)+at], want)
				}
			}
		}
	})
}

// A relative penalty depends neither on units nor on the number of rows: rows in other units,
// or each of them twice, have the same precisions apart from the units, if the prior is small.
func TestTheRelativePriorHasNoUnits(t *testing.T) {
	x := blobs(4000, 1, 3)
	fit := func(x *mat.Dense) *mat.SymDense {
		l, _ := train(t, Config{Components: 1, Lambda: 0.2, Lambda0: 1e-9}, 3, x)
		return l[0].Model().Precision(0)
	}
	want := fit(x)
	y := mat.DenseCopyOf(x)
	units := []float64{1e-3, 1, 1e4}
	y.Apply(func(_, j int, v float64) float64 { return v * units[j] }, y)
	got := fit(y)
	for i := range 3 {
		for j := range 3 {
			if a, b := got.At(i, j)*units[i]*units[j], want.At(i, j); math.Abs(a-b) > 1e-6*(1+math.Abs(b)) {
				t.Errorf("precision %d, %d is %g in other units, want %g", i, j, a, b)
			}
		}
	}
}

// A candidate that has settled does not end the training while others have not: chance would
// then decide between them.
func TestTrainingEndsWhenAllCandidatesHaveSettled(t *testing.T) {
	err := lockstep.Run(t.Context(), 3, func(ctx context.Context, g collabdict.Group, rank int) error {
		held := blobs(40, 2, uint64(10+rank))
		l, err := NewLearner(gmm.Matrix(blobs(150, 2, uint64(rank))), Config{Choices: someChoices, Held: gmm.Matrix(held), Seed: 1})
		if err != nil {
			return err
		}
		if _, err = collabdict.Train(ctx, g, l, collabdict.Options{Rounds: 100, Tol: 1e-6}); err != nil {
			return err
		}
		for _, c := range l.live {
			before := *c
			for range 5 {
				x, err := c.update(l)
				if err != nil {
					return err
				}
				if x, err = g.Sum(ctx, collabdict.Summand{Values: x, Blocks: l.limits.statistics(c.components)}); err != nil {
					return err
				}
				next, _, err := c.step(x, float64(l.total), true, true)
				if err != nil {
					return err
				}
				*c = next
			}
			was, is := before.model.LogDensities(nil, held), c.model.LogDensities(nil, held)
			if moved := math.Abs(passes.Sum(is)-passes.Sum(was)) / float64(len(was)); moved > 0.02 {
				t.Errorf("with %d candidates left: that of %d components and λ = %g moves by %.3f nats per row in five rounds more", len(l.live), c.components, c.form.relativePrior().lambda, moved)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
