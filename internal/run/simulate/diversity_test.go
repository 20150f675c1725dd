package simulate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/plants"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/pipelinetest"
)

// lowEntropy is a run of four plants. The last three rows of the first plant are nearly the
// same, and far from all others.
type lowEntropy struct {
	kind  string
	seed  uint64
	rows  int
	place [2]float64 // coordinates of the three rows, in turns

	components int
}

func (l lowEntropy) parts() []dataset.Participant {
	parts := plants.Generate(plants.Spec{Participants: 4, Rows: l.rows, Columns: 4, Patterns: 3, TestRows: 20}, l.seed)
	x := mat.DenseCopyOf(dense(parts[0].Train))
	n, dim := x.Dims()
	rng := rand.New(rand.NewPCG(l.seed, 7))
	for j := range 3 {
		for i := range dim {
			x.Set(n-1-j, i, l.place[i%2]+1e-3*rng.NormFloat64())
		}
	}
	parts[0].Train = rows.InMemory(x)
	return parts
}

// run returns the run under a policy, and the number of rows that subtracting totals reveals.
func (l lowEntropy) run(t *testing.T, policy privacy.Policy) (*Run, int) {
	t.Helper()
	options := []string{fmt.Sprint("components=", l.components), "rounds=12", "tol=0", "blur=0", "on-low-diversity=" + string(policy), fmt.Sprint("seed=", l.seed)}
	if l.kind == "ggm" {
		options = append(options, "lambda=0.1")
	} else {
		options = append(options, "covariance=full")
	}
	k := pipelinetest.Task(t, l.kind, options...)
	k.Standardise, k.HoldOut = algorithm.None, 0
	run, err := SimulateUnder(t.Context(), Conditions{Adversary: Adversary{Differencing: true}}, k, l.parts(), nil)
	if err != nil {
		t.Fatalf("%+v, %s: %v", l, policy, err)
	}
	return run, run.Report.Protection.Differencing.Rows
}

// actions returns the actions of the first plant's policy in all rounds.
func actions(r *Run) (done []string) {
	for _, round := range r.Report.Participants[0].History {
		for _, d := range round.LowDiversity {
			done = append(done, d.Action)
		}
	}
	return done
}

// Every policy acts before the three rows can be read, and the other plants get a model. Without noise,
// totals may show a single row of another plant that moves from one component to another.
func TestLowDiversity(t *testing.T) {
	far := [2]float64{25, -20}
	for i, l := range []lowEntropy{{"ggm", 1, 150, far, 5}, {"dem", 3, 150, far, 3}, {"ggm", 2, 150, far, 5}} {
		if testkit.Raced && i > 0 {
			break // another seed runs the same goroutines
		}
		run, read := l.run(t, privacy.Warn)
		if warnings := strings.Join(run.Report.Warnings, "\n"); read < 3 || actions(run) != nil || !strings.Contains(warnings, "plant-a: privacy: these components of the shared model have only your rows") {
			t.Errorf("%+v, warn: %d rows read, want the three; did %v and warned:\n%s", l, read, actions(run), warnings)
		}
		for _, policy := range []privacy.Policy{privacy.SkipComponent, privacy.DrawComponent} {
			run, read := l.run(t, policy)
			if did := actions(run); read > 2 || did == nil || !strings.Contains(strings.Join(run.Report.Warnings, "\n"), "plant-a: privacy: this participant's statistics of some components were less diverse than agreed") {
				t.Errorf("%+v, %s: %d rows read, did %v", l, policy, read, did)
			}
			l.valid(t, run, policy)
		}
		run, read = l.run(t, privacy.Stop)
		if left := run.Report.Participants[0].Left; read > 2 || !strings.Contains(left, "entropy l-diversity: the statistics of component") || run.Models[0] != nil {
			t.Errorf("%+v, stop: %d rows read, the first plant left by %q", l, read, left)
		}
		l.valid(t, run, privacy.Stop)
	}
}

// A draw replaces the rows if the other components can absorb the difference.
func TestLowDiversityByDraws(t *testing.T) {
	testkit.SkipRaced(t)
	l := lowEntropy{"ggm", 3, 1000, [2]float64{12, -10}, 8}
	run, read := l.run(t, privacy.DrawComponent)
	if read != 0 || !slices.Contains(actions(run), string(privacy.DrawComponent)) {
		t.Errorf("%d rows read, did %v, want a draw", read, actions(run))
	}
	l.valid(t, run, privacy.DrawComponent)
	again, _ := l.run(t, privacy.DrawComponent)
	for i, p := range again.Report.Participants {
		if p.Digest != run.Report.Participants[i].Digest {
			t.Error("the same simulation has other draws")
		}
	}
}

// valid checks the models of the plants that have nothing to hide: they score rows, and they
// differ only in weights.
func (l lowEntropy) valid(t *testing.T, run *Run, policy privacy.Policy) {
	t.Helper()
	var first *gmm.Mixture
	for i, p := range run.Report.Participants[1:] {
		m := run.Models[i+1]
		if p.Left != "" || m == nil {
			t.Errorf("%+v, %s: %s has no model: %s", l, policy, p.Name, p.Left)
			continue
		}
		if !p.Loglik.Applies || p.Loglik.Value < -13 || !p.ROCAUC.Applies {
			t.Errorf("%+v, %s: the model of %s has log-likelihood %+v and ROC-AUC %+v", l, policy, p.Name, p.Loglik, p.ROCAUC)
		}
		mixture, ok := m.Learned.(*gmm.Mixture)
		if !ok {
			t.Fatalf("want a mixture, got %T", m.Learned)
		}
		if first == nil {
			first = mixture
		}
		if !mat.Equal(mixture.Means(), first.Means()) {
			t.Errorf("%+v, %s: %s has other means", l, policy, p.Name)
		}
	}
}

// The actions follow from the rows and a lasting secret, even after restarts: a replay of the
// run leads to the same vectors and models.
func TestLowDiversityUnderChurn(t *testing.T) {
	testkit.SkipRaced(t) // TestLowDiversity and TestChurnOverRunningTotals have the same goroutines
	for _, policy := range []privacy.Policy{privacy.SkipComponent, privacy.DrawComponent} {
		k := pipelinetest.Task(t, "ggm", "components=8", "lambda=0.1", "rounds=20", "tol=0", "seed=1", "consensus.scheme=exact", "on-low-diversity="+string(policy))
		parts := lowEntropy{"ggm", 3, 1000, [2]float64{12, -10}, 8}.parts()
		run := play(t, k, parts, Conditions{Scenario: churn(t)})
		again, replay := run.replayed(t, parts)
		did := map[string]int{}
		for i, r := range run.results {
			if bits(r) != bits(again[i]) {
				t.Errorf("%s: member %d: the model has other bits than the replayed one", policy, i)
			}
			for _, round := range r.Model.Manifest.Privacy.History {
				for _, d := range round.LowDiversity {
					did[d.Action]++
				}
			}
		}
		if q := replay.Quanta(); q > 0 || run.absences() == 0 || did[string(policy)] == 0 {
			t.Errorf("%s: totals are %g quanta from the plain ones, with %d absences; did %v", policy, q, run.absences(), did)
		}
	}
}
