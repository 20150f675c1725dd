package metrics_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/numeric/metrics"
)

// The figures are scikit-learn's (testdata/silhouette.py).
func TestSilhouetteKnownAnswers(t *testing.T) {
	raw, err := os.ReadFile("testdata/silhouette.json")
	if err != nil {
		t.Fatal(err)
	}
	var known struct {
		Rows  [][]float64
		Cases []struct {
			Labels     []int
			Silhouette float64
		}
	}
	if err := json.Unmarshal(raw, &known); err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(len(known.Rows), 3, nil)
	for j, row := range known.Rows {
		x.SetRow(j, row)
	}
	for _, c := range known.Cases {
		got, ok := metrics.Silhouette(x, c.Labels, 1)
		near(t, "silhouette", got, c.Silhouette, ok)
	}
}

func TestSilhouetteUndefined(t *testing.T) {
	x := mat.NewDense(3, 1, []float64{1, 2, 3})
	for name, labels := range map[string][]string{"one cluster": {"a", "a", "a"}, "a cluster a row": {"a", "b", "c"}} {
		if _, ok := metrics.Silhouette(x, labels, 1); ok {
			t.Errorf("%s: claims a figure", name)
		}
	}
	if got, ok := metrics.Silhouette(mat.NewDense(4, 1, nil), []int{0, 0, 1, 1}, 1); !ok || got != 0 {
		t.Errorf("equal rows: got %v (%t), want 0", got, ok)
	}
}

// Above the limit, rows drawn by the seed stand for all.
func TestSilhouetteOfManyRows(t *testing.T) {
	const n = metrics.SilhouetteRows + 1000
	rng := rand.New(rand.NewPCG(1, 2))
	x, labels := mat.NewDense(n, 1, nil), make([]int, n)
	for j := range n {
		labels[j] = j % 2
		x.Set(j, 0, 3*float64(labels[j])+rng.NormFloat64())
	}
	one, ok := metrics.Silhouette(x, labels, 1)
	other, _ := metrics.Silhouette(x, labels, 2)
	if !ok || one == other || one-other > 0.01 || other-one > 0.01 {
		t.Errorf("got %v, by another seed %v", one, other)
	}
}
