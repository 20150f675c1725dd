package variational_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/numeric/metrics"
	"github.com/collabdict/collabdict/lab/internal/variational"
)

// groups returns rows of k round clusters that are far from each other, and the cluster of each
// row.
func groups(k, rows, dim int, spread float64, seed uint64) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	centres := mat.NewDense(k, dim, nil)
	for i := range k {
		for j := range dim {
			centres.Set(i, j, float64((i*(j+3)+j)%k)*8+rng.NormFloat64())
		}
	}
	x, truth := mat.NewDense(rows, dim, nil), make([]int, rows)
	for i := range rows {
		truth[i] = i % k
		for j := range dim {
			x.Set(i, j, centres.At(i%k, j)+spread*rng.NormFloat64())
		}
	}
	return x, truth
}

func TestTheNumberOfClustersIsFound(t *testing.T) {
	for seed := range uint64(5) {
		for _, k := range []int{2, 3, 5} {
			x, truth := groups(k, 300, 3, 0.7, seed)
			f, err := variational.Fit(x, variational.Config{Components: 12, Tol: 1e-6}, rand.NewPCG(seed, 2))
			if err != nil {
				t.Fatal(err)
			}
			if got := f.Clusters(x); got != k {
				t.Errorf("seed %d: want %d clusters, got %d", seed, k, got)
			}
			if ari := metrics.ARI(truth, f.Labels(x)); ari < 0.99 {
				t.Errorf("seed %d, %d clusters: ARI %.3f", seed, k, ari)
			}
			for n := range f.Trace[1:] {
				if f.Trace[n+1] < f.Trace[n]-1e-9 {
					t.Fatalf("seed %d, %d clusters: the bound fell from %g to %g in iteration %d", seed, k, f.Trace[n], f.Trace[n+1], n+2)
				}
			}
			if !f.Converged {
				t.Errorf("seed %d, %d clusters: not converged", seed, k)
			}
		}
	}
}

// Components without rows do not change the others.
func TestComponentsWithoutRows(t *testing.T) {
	x, truth := groups(5, 600, 20, 1, 1)
	f, err := variational.Fit(x, variational.Config{Components: 30, Tol: 1e-9}, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	if ari := metrics.ARI(truth, f.Labels(x)); f.Clusters(x) != 5 || ari < 0.99 || !f.Converged {
		t.Errorf("got %d clusters, ARI %.3f, converged %t", f.Clusters(x), ari, f.Converged)
	}
}

func TestTheSameSourceGivesTheSame(t *testing.T) {
	x, _ := groups(4, 120, 2, 2, 1)
	fit := func() *variational.Fitted {
		f, err := variational.Fit(x, variational.Config{Components: 8, Iterations: 20}, rand.NewPCG(1, 2))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	if a, b := fit(), fit(); !reflect.DeepEqual(a, b) {
		t.Error("got two results")
	}
}

func TestBadInput(t *testing.T) {
	x, _ := groups(2, 9, 2, 1, 1)
	if _, err := variational.Fit(x, variational.Config{Components: 10}, rand.NewPCG(1, 2)); err == nil || !strings.Contains(err.Error(), "want 1 to 9 components") {
		t.Errorf("got %v", err)
	}
	x.Set(3, 1, 1e300)
	if _, err := variational.Fit(x, variational.Config{}, rand.NewPCG(1, 2)); err == nil || !strings.Contains(err.Error(), "row 4, column 2") {
		t.Errorf("got %v", err)
	}
}
