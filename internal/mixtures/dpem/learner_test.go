package dpem

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/privacy"
	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
)

// sized is a group that knows the number of members in the last total.
type sized struct {
	collabdict.Group
	members *int
}

func (g sized) Membership() collabdict.Membership { return collabdict.Membership{Size: *g.members} }

// start returns the learners of some members, and a pointer to their group's size.
func start(t testing.TB, c Config, rows []*mat.Dense) (learners []*Learner, members *int) {
	t.Helper()
	n := len(rows)
	members = &n
	for i, x := range rows {
		if c.Loss > 0 {
			c.Source = rand.NewPCG(5, uint64(i))
		}
		l, err := newLearner(gmm.Matrix(x), c)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Start(t.Context(), sized{members: members}); err != nil {
			t.Fatal(err)
		}
		learners = append(learners, l)
	}
	return learners, members
}

// total sums the vectors of some members and passes it to all learners.
func total(t testing.TB, learners []*Learner, members *int, in int) {
	t.Helper()
	var sum []float64
	for _, l := range learners[:in] {
		summand, err := l.LocalUpdate()
		if err == nil {
			err = collabdict.CheckBlocks(summand.Values, summand.Blocks)
		}
		if err != nil {
			t.Fatal(err)
		}
		x := summand.Values
		if sum == nil {
			sum = make([]float64, len(x))
		}
		for i, v := range x {
			sum[i] += v
		}
	}
	*members = in
	for _, l := range learners {
		if _, err := l.Optimize(slices.Clone(sum), true); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range learners[1:] {
		if l.Digest() != learners[0].Digest() {
			t.Fatal("members have other parameters")
		}
	}
}

// clusters returns rows of two clusters in the unit square. One cluster is long.
func clusters(members, rows int) (out []*mat.Dense) {
	for m := range members {
		src := rand.New(rand.NewPCG(1, uint64(m)))
		x := mat.NewDense(rows, 2, nil)
		for i := range rows {
			a, b := 0.05*src.NormFloat64(), 0.05*src.NormFloat64()
			if i%4 == 0 {
				x.SetRow(i, []float64{0.25 + a, 0.3 + 0.9*a + 0.3*b})
			} else {
				x.SetRow(i, []float64{0.7 + a, 0.75 + b})
			}
		}
		out = append(out, x)
	}
	return out
}

func config(form string, loss privacy.ZCDP) Config {
	return Config{Components: 2, Form: form, Middle: 0.5, Clip: 0.5, Loss: loss, Rounds: DefaultRounds, Quorum: 4, Colluders: 2, Seed: 1}
}

// A row changes no total by more than 1, wherever it lies and whatever was learned before.
func TestRowsHaveVectorsOfAtMostOne(t *testing.T) {
	for _, form := range []string{Full, Factor, Tied, Diag} {
		learners, members := start(t, config(form, 0.5), clusters(5, 300))
		for range DefaultRounds {
			p := learners[0].phase
			rapid.Check(t, func(t *rapid.T) {
				row := rapid.SliceOfN(rapid.Float64Range(-3, 4), 2, 2).Draw(t, "row")
				v, err := p.sum(passes.NewReader(gmm.Matrix(mat.NewDense(1, 2, row))))
				if err != nil {
					t.Fatal(err)
				}
				if length := math.Sqrt(norm2(v)); !(length <= 1+1e-12) || len(v) != p.len() {
					t.Fatalf("%s, %T: a vector of %d values, %g long", form, p, len(v), length)
				}
			})
			total(t, learners, members, 5)
		}
	}
}

// With a budget so large that noise is small, the learner finds the components of the rows.
func TestFindsComponents(t *testing.T) {
	for _, form := range []string{Full, Factor, Tied, Diag} {
		for _, loss := range []privacy.ZCDP{0, 50} {
			learners, members := start(t, config(form, loss), clusters(5, 2000))
			for range DefaultRounds {
				total(t, learners, members, 5)
			}
			m := learners[0].Mixture()
			order := []int{0, 1}
			if m.Rows[0] > m.Rows[1] {
				order = []int{1, 0}
			}
			for i, want := range [][]float64{{2500, 0.25, 0.3}, {7500, 0.7, 0.75}} {
				k := order[i]
				if got := m.Rows[k]; math.Abs(got-want[0]) > 100 {
					t.Errorf("%s, loss %g: %g rows, want %g", form, float64(loss), got, want[0])
				}
				for j, v := range want[1:] {
					if got := m.Means.At(k, j); math.Abs(got-v) > 0.01 {
						t.Errorf("%s, loss %g, component %d: mean %g, want %g", form, float64(loss), i+1, got, v)
					}
				}
			}
			c := m.Covariances[order[0]]
			if got := c.At(0, 1) / math.Sqrt(c.At(0, 0)*c.At(1, 1)); (form == Full || form == Factor) != (got > 0.85) || form == Diag && got != 0 {
				t.Errorf("%s, loss %g: a correlation of %.3f within the long component", form, float64(loss), got)
			}
		}
	}
}

// Without losses of members, and with all of them as the quorum, the rounds spend all of the budget.
func TestRoundsSpendTheBudget(t *testing.T) {
	a := privacy.NewAccount(1, weights(DefaultRounds), 7, 2)
	for range DefaultRounds {
		a.Spend(a.Plan(7), 7, 7)
	}
	if a.Left() > 1e-12 {
		t.Errorf("%g of the budget is left", a.Left())
	}
}

// The noise of a total is the one that the account states, even if a member is lost in it.
func TestNoise(t *testing.T) {
	rows := clusters(5, 50)
	without, members := start(t, config(Full, 0), rows)
	var exact []float64
	for _, l := range without[:4] {
		summand, err := l.LocalUpdate()
		if err != nil {
			t.Fatal(err)
		}
		x := summand.Values
		if exact == nil {
			exact = make([]float64, len(x))
		}
		for i, v := range x {
			exact[i] += v
		}
	}
	_ = members
	const draws = 4000
	squares := 0.0
	var want float64
	for draw := range draws {
		sum := make([]float64, len(exact))
		for i := range 5 {
			c := config(Full, 0.5)
			c.Source = rand.NewPCG(uint64(draw), uint64(i))
			l, err := newLearner(gmm.Matrix(rows[i]), c)
			if err != nil {
				t.Fatal(err)
			}
			five := 5
			if err := l.Start(t.Context(), sized{members: &five}); err != nil {
				t.Fatal(err)
			}
			// Two members may collude, so the parts of three of the five members together have the
			// planned noise. The total has the parts of four.
			if want = l.noise() * math.Sqrt(4.0/3); i == 4 {
				continue
			}
			summand, err := l.LocalUpdate()
			if err != nil {
				t.Fatal(err)
			}
			x := summand.Values
			again, err := l.LocalUpdate()
			if err != nil || !slices.Equal(x, again.Values) {
				t.Fatalf("a vector that is computed again has other noise (error %v)", err)
			}
			for j, v := range x {
				sum[j] += v
			}
		}
		for j, v := range sum {
			squares += (v - exact[j]) * (v - exact[j])
		}
	}
	if got := math.Sqrt(squares / float64(draws*len(exact))); math.Abs(got/want-1) > 0.02 {
		t.Errorf("noise of %g in each value, want %g", got, want)
	}
}

// Impossible rows and totals are refused.
func TestRefuses(t *testing.T) {
	if _, err := newLearner(gmm.Matrix(mat.NewDense(1, 1, []float64{math.NaN()})), config(Full, 0)); err == nil {
		t.Error("a row that is no number was taken")
	}
	learners, _ := start(t, config(Full, 0.5), clusters(3, 10))
	for _, total := range [][]float64{nil, {1, 2}, {1, math.Inf(1), 0}} {
		if _, err := learners[0].Optimize(total, true); err == nil {
			t.Errorf("the total %v was taken", total)
		}
	}
}

// Totals that are only noise still make a mixture: nothing from other members causes a panic.
func TestAnyTotalMakesAMixture(t *testing.T) {
	for _, form := range []string{Full, Factor, Tied, Diag} {
		for seed := range uint64(20) {
			c := config(form, 0.5)
			c.Components = 5
			learners, _ := start(t, c, clusters(3, 10))
			src := rand.New(rand.NewPCG(seed, 1))
			l := learners[0]
			for round := range DefaultRounds {
				total := make([]float64, l.phase.len())
				for i := range total {
					total[i] = math.Exp(6*src.NormFloat64()) * src.NormFloat64()
				}
				if _, err := l.Optimize(total, true); err != nil {
					t.Fatal(fmt.Errorf("%s, round %d: %w", form, round+1, err))
				}
			}
			m := l.Mixture()
			for k, n := range m.Rows {
				if !(n > 0) || math.IsInf(n, 1) {
					t.Fatalf("component %d has %g rows", k+1, n)
				}
			}
		}
	}
}

// The smaller ε, the fewer rows and the more columns, the sooner noise outweighs sharing.
func TestOutweighed(t *testing.T) {
	at := func(epsilon float64, rows, members, columns int, form string) bool {
		c := config(form, privacy.GaussianZCDP(privacy.GaussianRatio(epsilon, 1e-5)))
		c.Components = 10
		return c.Outweighed(rows, rows*members, columns)
	}
	for _, form := range []string{Full, Factor} {
		if !at(1, 1000, 14, 38, form) || at(4, 1000, 14, 38, form) || at(1, 100_000, 14, 38, form) || at(1, 1000, 200, 38, form) || at(1, 1000, 14, 4, form) {
			t.Errorf("%s: noise outweighs sharing where it should not, or the reverse", form)
		}
	}
	for _, form := range []string{Tied, Diag} {
		if at(1, 1000, 14, 38, form) || !at(1, 50, 3, 38, form) {
			t.Errorf("%s: noise outweighs sharing where it should not, or the reverse", form)
		}
	}
}

// A total of fewer members than the noise was planned for ends the run, because it would exceed
// the budget.
func TestRefusesTotalsOfTooFew(t *testing.T) {
	learners, members := start(t, config(Full, 0.5), clusters(5, 10))
	*members = 3
	if _, err := learners[0].Optimize(make([]float64, learners[0].phase.len()), true); err == nil || !strings.Contains(err.Error(), "at least 4 members") {
		t.Errorf("got error %v", err)
	}
}
