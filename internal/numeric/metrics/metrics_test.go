package metrics_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/internal/numeric/metrics"
	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
)

// TestKnownAnswers compares with figures computed by an independent program.
func TestKnownAnswers(t *testing.T) {
	raw, err := os.ReadFile("testdata/known.json")
	if err != nil {
		t.Fatal(err)
	}
	var known struct {
		RocPR struct {
			Label, Score []float64
			ROC          float64 `json:"roc_auc"`
			PR           float64 `json:"pr_auc"`
		} `json:"roc_pr"`
		Clusters struct {
			A, B []int
			ARI  float64
		}
	}
	if err := json.Unmarshal(raw, &known); err != nil {
		t.Fatal(err)
	}
	roc, ok := metrics.ROCAUC(known.RocPR.Score, known.RocPR.Label)
	near(t, "ROC-AUC", roc, known.RocPR.ROC, ok)
	pr, ok := metrics.PRAUC(known.RocPR.Score, known.RocPR.Label)
	near(t, "PR-AUC", pr, known.RocPR.PR, ok)
	near(t, "ARI", metrics.ARI(known.Clusters.A, known.Clusters.B), known.Clusters.ARI, true)
}

func near(t *testing.T, what string, got, want float64, ok bool) {
	t.Helper()
	if !ok || math.Abs(got-want) > 1e-12 {
		t.Errorf("%s: got %v (%t), want %v", what, got, ok, want)
	}
}

func TestAUCByHand(t *testing.T) {
	for _, c := range []struct {
		name           string
		scores, labels []float64
		roc, pr        float64
	}{
		{"perfect", []float64{1, 2, 3, 4}, []float64{0, -1, 1, 1}, 1, 1},
		{"worst", []float64{4, 3, 2, 1}, []float64{0, -1, 1, 1}, 0, (1./3 + 2./4) / 2},
		{"all tied", []float64{5, 5, 5, 5}, []float64{0, 1, 0, 0}, 0.5, 0.25},
		{"infinite", []float64{math.Inf(-1), math.Inf(1)}, []float64{-1, 1}, 1, 1},
		{"half tied", []float64{1, 2, 2}, []float64{0, 0, 1}, 0.75, 0.5},
	} {
		roc, ok := metrics.ROCAUC(c.scores, c.labels)
		near(t, c.name+" ROC-AUC", roc, c.roc, ok)
		pr, ok := metrics.PRAUC(c.scores, c.labels)
		near(t, c.name+" PR-AUC", pr, c.pr, ok)
	}
}

func TestAUCUndefined(t *testing.T) {
	for name, c := range map[string][2][]float64{
		"empty":        {},
		"no anomaly":   {{1, 2}, {0, -1}},
		"no normal":    {{1, 2}, {1, 1}},
		"classes":      {{1, 2, 3}, {0, 1, 2}},
		"NaN score":    {{1, math.NaN()}, {0, 1}},
		"missing mark": {{1, 2}, {math.NaN(), 1}},
	} {
		if _, ok := metrics.ROCAUC(c[0], c[1]); ok {
			t.Errorf("%s: ROC-AUC claims a figure", name)
		}
		if _, ok := metrics.PRAUC(c[0], c[1]); ok {
			t.Errorf("%s: PR-AUC claims a figure", name)
		}
	}
}

// TestROCAUCIsPairs compares with the count over all pairs, which is the
// definition.
func TestROCAUCIsPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "n")
		scores, labels := make([]float64, n), make([]float64, n)
		for i := range n {
			scores[i] = float64(rapid.IntRange(0, 9).Draw(t, "score"))
			labels[i] = float64(rapid.IntRange(-1, 1).Draw(t, "label"))
		}
		var won, pairs float64
		for i := range n {
			for j := range n {
				if labels[i] != 1 || labels[j] == 1 {
					continue
				}
				pairs++
				if scores[i] > scores[j] {
					won++
				} else if scores[i] == scores[j] {
					won += 0.5
				}
			}
		}
		got, ok := metrics.ROCAUC(scores, labels)
		if ok != (pairs > 0) {
			t.Fatalf("ok is %t with %g pairs", ok, pairs)
		}
		if ok && math.Abs(got-won/pairs) > 1e-12 {
			t.Fatalf("got %v, want %v", got, won/pairs)
		}
	})
}

func TestARIProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "n")
		a, b := make([]int, n), make([]string, n)
		renamed := make([]float64, n)
		for i := range n {
			a[i] = rapid.IntRange(0, 4).Draw(t, "a")
			b[i] = rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "b")
			renamed[i] = float64(7 - a[i])
		}
		if got := metrics.ARI(a, renamed); got != 1 {
			t.Fatalf("a renamed clustering has index %v, want 1", got)
		}
		ab, ba := metrics.ARI(a, b), metrics.ARI(b, a)
		if ab != ba || ab > 1 || ab < -1 {
			t.Fatalf("got %v and %v, want the same within [-1, 1]", ab, ba)
		}
	})
	if got := metrics.ARI([]int{0, 0, 0}, []int{0, 1, 2}); got != 0 {
		t.Errorf("one cluster against single rows: got %v, want 0", got)
	}
}
