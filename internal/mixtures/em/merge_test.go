package em

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/testkit"
)

// normalRows describes the rows of a component: normal, with this mean in all columns and this
// standard deviation.
type normalRows struct {
	rows      int
	mean, std float64
}

// momentsOf returns the moments of rows that belong to one component each.
func momentsOf(dim int, seed uint64, parts ...normalRows) *passes.Moments {
	rng := rand.New(rand.NewPCG(seed, 3))
	s := passes.NewMoments(len(parts), dim, true)
	for k, part := range parts {
		x := make([]float64, dim)
		for range part.rows {
			for i := range x {
				x[i] = part.mean + part.std*rng.NormFloat64()
			}
			s.N[k]++
			for i, v := range x {
				s.First[k*dim+i] += v
				for j := i; j < dim; j++ {
					s.Second[(k*dim+i)*dim+j] += v * x[j]
				}
			}
		}
	}
	return s
}

func unitPrior(dim int) prior {
	p := prior{lambda0: 1, relative: &relative{lambda: 0.01}}
	for range dim {
		p.relative.variances = append(p.relative.variances, 1)
	}
	return p
}

func TestMerge(t *testing.T) {
	for _, c := range []struct {
		name   string
		fewest int
		parts  []normalRows
		want   [][]int
	}{
		{"one pattern in three", 1, []normalRows{{2000, 0, 1}, {300, 0, 1}, {700, 0, 1}}, [][]int{{0, 1, 2}}},
		{"a wide and a narrow part", 1, []normalRows{{1000, 0, 1.2}, {1000, 0, 0.9}}, [][]int{{0, 1}}},
		{"two patterns, one in two", 1, []normalRows{{1000, 0, 1}, {1000, 4, 1}, {1000, 0, 1}}, [][]int{{0, 2}, {1}}},
		{"a rare pattern", 1, []normalRows{{5000, 0, 1}, {20, 6, 1}}, [][]int{{0}, {1}}},
		{"a rare pattern nearby", 1, []normalRows{{5000, 0, 1}, {50, 2.5, 1}}, [][]int{{0}, {1}}},
		{"other spreads", 1, []normalRows{{1000, 0, 1}, {1000, 0, 4}}, [][]int{{0}, {1}}},
		{"far apart", 1, []normalRows{{1000, -1e150, 1}, {1000, 1e150, 1}, {1000, 1e150, 1e140}}, [][]int{{0}, {1}, {2}}},
		{"as many as wanted", 2, []normalRows{{2000, 0, 1}, {2000, 0, 1}, {2000, 0, 1}}, nil},
		{"no component", 1, nil, nil},
	} {
		var groups [][]int
		for k := range c.parts {
			groups = append(groups, []int{k})
		}
		for _, blurred := range []bool{false, true} {
			p := unitPrior(4)
			p.blurred = blurred
			got := p.merge(momentsOf(4, 1, c.parts...), groups, c.fewest, 0)
			if c.want == nil && len(got) == min(c.fewest, len(c.parts)) {
				continue
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s: got groups %v, want %v", c.name, got, c.want)
			}
		}
	}
}

// ring returns rows near a circle, which only several normal patterns describe.
func ring(n int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 6))
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		angle, radius := 2*math.Pi*rng.Float64(), 5+0.1*rng.NormFloat64()
		x.SetRow(i, []float64{radius * math.Cos(angle), radius * math.Sin(angle)})
	}
	return x
}

// Components of few rows that differ by chance are merged if held-out rows are then more likely.
func TestHeldOutRowsJudgeMergers(t *testing.T) {
	for _, c := range []struct {
		name    string
		rows    func(n int, seed uint64) *mat.Dense
		loosely bool
	}{
		{"normal patterns", func(n int, seed uint64) *mat.Dense { return blobs(n, 3, seed) }, true},
		{"a ring", ring, false},
	} {
		config := Config{Choices: []Choice{{6, 0.01}, {6, 0.1}}, Held: gmm.Matrix(c.rows(100, 9)), Seed: 1, Fewest: 1}
		learners, _ := train(t, config, 20, c.rows(100, 1), c.rows(100, 2))
		l := learners[0]
		got := l.best().loosely
		m, err := l.Written()
		if err != nil {
			t.Fatal(err)
		}
		if got != c.loosely || c.loosely != (m.Components() == 3) {
			t.Errorf("%s: merged loosely is %t, and %d components are left", c.name, got, m.Components())
		}
	}
}

// Gains after mergers count in the last round of a stage.
func TestMergersAreJudgedInTheLastRoundOfAStage(t *testing.T) {
	for rounds := range stageRounds {
		l := &Learner{choosing: choosing{rounds: rounds}}
		live := []*candidate{{}, {}, {}}
		l.judge(live, []float64{1, 2, 3, 1.5, 2, 2.5})
		last := rounds == stageRounds-1
		for i, want := range []bool{last, false, false} {
			if live[i].gain != float64(i+1) || live[i].loosely != want {
				t.Errorf("after %d rounds: candidate %d has a gain of %g, merged loosely %t", rounds, i+1, live[i].gain, live[i].loosely)
			}
		}
	}
}

// Halves of a pattern with few rows differ by chance. A rare pattern does not.
func TestMergersAllowForChance(t *testing.T) {
	p := unitPrior(6)
	for _, c := range []struct {
		parts  []normalRows
		groups int // if chance is allowed for
	}{
		{[]normalRows{{40, 0, 1}, {40, 0, 1.8}}, 1},
		{[]normalRows{{200, 0, 1}, {10, 4, 1}}, 2},
	} {
		s := momentsOf(6, 1, c.parts...)
		strict, loose := p.merge(s, [][]int{{0}, {1}}, 1, 0), p.merge(s, [][]int{{0}, {1}}, 1, lossByChance*6)
		if len(strict) != 2 || len(loose) != c.groups {
			t.Errorf("%v: got groups %v, and %v if chance is allowed for, want 2 and %d", c.parts, strict, loose, c.groups)
		}
	}
}

// The loss is the divergence of two normal distributions, as one mixture, from one.
func TestLossIsTheDivergence(t *testing.T) {
	p := unitPrior(1)
	for _, parts := range [][2]normalRows{
		{{20000, -1, 1}, {20000, 1, 1}}, {{30000, 0, 1}, {10000, 2, 1}}, {{20000, 0, 1}, {20000, 0, 3}},
	} {
		s := momentsOf(1, 2, parts[0], parts[1])
		x, okX := p.patternOf([]int{0}, s.N[0], s.First[:1], s.Second[:1])
		y, okY := p.patternOf([]int{1}, s.N[1], s.First[1:], s.Second[1:])
		one, ok := x.with(y, p)
		if !okX || !okY || !ok {
			t.Fatal("a pattern has no covariance matrix")
		}
		want, space := 0.0, make([]float64, 1)
		const step = 0.001
		for v := -20.0; v < 20; v += step {
			row := []float64{v}
			a := x.rows / one.rows * math.Exp(x.logDensity(row, space))
			b := y.rows / one.rows * math.Exp(y.logDensity(row, space))
			if a+b > 0 {
				want += step / math.Sqrt(2*math.Pi) * (a + b) * (math.Log(a+b) - one.logDensity(row, space))
			}
		}
		testkit.Near(t, fmt.Sprint("loss of ", parts), loss(x, y, one, math.Inf(1)), want, 0.02)
		if l := loss(x, y, one, want/2); l < want/2 {
			t.Errorf("loss of %v with a limit of %g: got %g", parts, want/2, l)
		}
	}
}

// With more components than patterns, and whatever the noise in totals, all members write one
// component for each pattern, with the rows of all its components.
func TestWrittenHasAComponentForEachPattern(t *testing.T) {
	for seed := range uint64(4) {
		config := Config{Components: 10, Lambda: 0.01, Seed: 1, Fewest: 1, Blur: 1, Source: rand.NewPCG(seed, 7)}
		learners, _ := train(t, config, 25, blobs(6000, 3, 1), blobs(3000, 3, 2))
		var first *gmm.Mixture
		for s, l := range learners {
			m, err := l.Written()
			if err != nil {
				t.Fatal(err)
			}
			if m.Components() != 3 || len(m.ComponentRows()) != 3 {
				t.Fatalf("seed %d, member %d: %d components with rows %v, want 3", seed, s+1, m.Components(), m.ComponentRows())
			}
			testkit.Near(t, "rows", passes.Sum(m.ComponentRows()), 9000, 60)
			testkit.Near(t, "sum of the weights", passes.Sum(m.Weights()), 1, 1e-12)
			if first == nil {
				first = m
			}
			if !mat.Equal(m.Means(), first.Means()) || !mat.Equal(m.Precision(1), first.Precision(1)) {
				t.Errorf("seed %d: members wrote different components", seed)
			}
			if again, err := l.Written(); err != nil || !mat.Equal(again.Means(), m.Means()) {
				t.Errorf("seed %d: written twice, the model differs: %v", seed, err)
			}
		}
	}
}
