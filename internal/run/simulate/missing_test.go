package simulate

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/pipelinetest"
	"github.com/collabdict/collabdict/netsim"
)

// withHoles blanks out a random share of the cells of the training rows.
func withHoles(parts []dataset.Participant, share float64) []dataset.Participant {
	rng := rand.New(rand.NewPCG(11, 12))
	for p := range parts {
		x := mat.DenseCopyOf(dense(parts[p].Train))
		n, dim := x.Dims()
		for i := range n {
			for j := range dim {
				if i > 0 && j != i%dim && rng.Float64() < share {
					x.Set(i, j, math.NaN())
				}
			}
		}
		parts[p].Train = rows.InMemory(x)
	}
	return parts
}

// With one component, whose weight is the same for all, participants together learn the model of
// the pooled rows, since the expected values of missing cells add up.
func TestMissingCellsTogetherAsPooled(t *testing.T) {
	testkit.SkipRaced(t) // a hundred rounds of TestAMemberIsLostWithMissingCells, without its loss
	parts := withHoles(few(), 0.15)
	options := []string{"components=1", "rho=0.5", "rounds=150", "tol=0", "standardise=none", "hold-out=0", "missing=marginal", "consensus.scheme=exact"}
	run := play(t, pipelinetest.Task(t, "ggm", options...), parts, Conditions{})
	all := parts[0]
	n := 0
	for _, p := range parts {
		m, _ := p.Train.Dims()
		n += m
	}
	x := mat.NewDense(n, len(all.Columns), nil)
	at := 0
	for _, p := range parts {
		m, dim := p.Train.Dims()
		x.Slice(at, at+m, 0, dim).(*mat.Dense).Copy(dense(p.Train))
		at += m
	}
	all.Train = rows.InMemory(x)
	pooled, err := pipelinetest.Task(t, "ggm", options...).Fit(t.Context(), collabdict.Solo{}, all, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	type mixture interface {
		Means() *mat.Dense
		Covariance(k int) *mat.SymDense
	}
	want := pooled.Model.Learned.(mixture)
	for i, r := range run.results {
		got := r.Model.Learned.(mixture)
		if r.TotalRows != n {
			t.Errorf("member %d: %d rows, want %d", i, r.TotalRows, n)
		}
		covariance := want.Covariance(0)
		for j := range len(all.Columns) {
			unit := math.Sqrt(covariance.At(j, j))
			if a, b := got.Means().At(0, j), want.Means().At(0, j); math.Abs(a-b) > 1e-3*unit {
				t.Errorf("member %d, column %d: mean %g, want %g", i, j, a, b)
			}
			if a, b := got.Covariance(0).At(j, j), covariance.At(j, j); math.Abs(a-b) > 1e-3*b {
				t.Errorf("member %d, column %d: variance %g, want %g", i, j, a, b)
			}
		}
	}
}

// A member with missing cells that is lost stays in the totals with the expected values of its
// rows, and comes back. The objective never falls.
func TestAMemberIsLostWithMissingCells(t *testing.T) {
	const away = 2
	parts := withHoles(few(), 0.2)
	for i, standardise := range []string{"global", "own"} {
		if testkit.Raced && i > 0 {
			break // scaling has no goroutines
		}
		task := func() []string {
			return []string{"components=2", "lambda=0.1", "rounds=20", "tol=0", "blur=0", "missing=marginal", "standardise=" + standardise, "consensus.scheme=exact"}
		}
		slots := play(t, pipelinetest.Task(t, "ggm", task()...), parts, Conditions{}).report.Slots
		var at uint64
		for _, s := range slots {
			if s.Decision.Round == 5 {
				at = s.Decision.Slot
			}
		}
		run := play(t, pipelinetest.Task(t, "ggm", task()...), parts, Conditions{}, func(c *netsim.Config) {
			c.Compute = time.Second
			c.Faults = append(c.Faults, netsim.Stop{Member: away, Slot: at, RestartAfter: 30 * time.Second})
		})
		for i, r := range run.results {
			history := r.Model.Manifest.Privacy.History
			if len(history) != 20 {
				t.Fatalf("member %d: %d rounds", i, len(history))
			}
			for j := 1; j < len(history); j++ {
				before, after := float64(history[j-1].Objective), float64(history[j].Objective)
				if after < before-1e-6*math.Abs(before) {
					t.Errorf("%s, member %d: the objective falls from %.10g to %.10g in round %d", standardise, i, before, after, j+1)
				}
			}
		}
	}
}
