package dpem

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/audittest"
)

// audited is a run of three members. The third observes all totals and subtracts its own noise.
// The first may have one more row, as far out as possible.
type audited struct {
	of          Config
	last        int // members in the last total; if two, the second one is lost
	rows, extra *mat.Dense
}

func newAudited(loss privacy.ZCDP, quorum, last int) *audited {
	return &audited{
		of:   Config{Components: 1, Form: Full, Middle: 0.5, Clip: 0.5, Loss: loss, Rounds: LeastRounds, Quorum: quorum, Colluders: 1, Seed: 1},
		last: last, rows: mat.NewDense(3, 1, []float64{0.1, 0.2, 0.4}), extra: mat.NewDense(1, 1, []float64{1}),
	}
}

// draw returns the logarithm of the likelihood ratio of all totals of a run, with the row
// against without it.
func (a *audited) draw(t testing.TB, with bool) func(rand.Source) float64 {
	first := a.rows
	if with {
		first = mat.NewDense(4, 1, append(mat.Col(nil, 0, a.rows), a.extra.At(0, 0)))
	}
	extra, without := passes.NewReader(gmm.Matrix(a.extra)), passes.NewReader(gmm.Matrix(a.rows))
	sum := func(l *Learner, of *passes.Reader) []float64 {
		x, err := l.phase.sum(of)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	return func(src rand.Source) (ratio float64) {
		members := 3
		var learners []*Learner
		for _, x := range []*mat.Dense{first, a.rows, a.rows} {
			c := a.of
			c.Source = src
			l, err := newLearner(gmm.Matrix(x), c)
			if err == nil {
				err = l.Start(t.Context(), sized{members: &members})
			}
			if err != nil {
				t.Fatal(err)
			}
			learners = append(learners, l)
		}
		for round := range LeastRounds {
			in := []*Learner{learners[0], learners[1]}
			if round == LeastRounds-1 {
				in = in[:a.last-1]
			}
			l := learners[0]
			exact, step := sum(l, without), sum(l, extra)
			sd := l.account.Remaining(l.noise(), 3, len(in)+1)
			total := slices.Clone(exact) // the observer's own
			for _, l := range in {
				summand, err := l.LocalUpdate()
				if err != nil {
					t.Fatal(err)
				}
				x := summand.Values
				for i, v := range x {
					total[i] += v
					ratio += (v - exact[i]) * step[i] / (sd * sd)
				}
			}
			ratio -= norm2(step) / (2 * sd * sd)
			members = len(in) + 1
			for _, l := range learners {
				if _, err := l.Optimize(slices.Clone(total), true); err != nil {
					t.Fatal(err)
				}
			}
		}
		return ratio
	}
}

// All totals of a run together reveal no more than promised, even if a member is lost in the
// last of them. With half the noise they reveal more.
func TestAuditOfTotals(t *testing.T) {
	testkit.LongOnly(t)
	const epsilon, delta = 1, 0.1
	loss := privacy.Allowed(epsilon, delta)
	for name, run := range map[string]struct {
		*audited
		least, most float64
	}{
		"all are there":    {newAudited(loss, 3, 3), 0.5, epsilon},
		"a member is lost": {newAudited(loss, 2, 2), 0.3, epsilon},
		"half the noise":   {newAudited(4*loss, 3, 3), epsilon, math.Inf(1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shown := audittest.Run(t, run.draw(t, false), run.draw(t, true)).Epsilon(delta)
			t.Logf("at δ = %g, ε is at least %.3f, promised %d", delta, shown, epsilon)
			if shown < run.least || shown > run.most {
				t.Errorf("ε is %g at least, want %g to %g", shown, run.least, run.most)
			}
		})
	}
}
