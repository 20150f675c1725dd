package fedgen_test

import (
	"compress/gzip"
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/gmm"
)

// clients reads testdata/rows.csv.gz: one matrix per client, and all rows.
func clients(t testing.TB) (parts []*mat.Dense, all *mat.Dense) {
	t.Helper()
	f, err := os.Open("testdata/rows.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(z).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	dim := len(records[0]) - 1
	values := make([][]float64, 6)
	var every []float64
	for _, r := range records[1:] {
		c, _ := strconv.Atoi(r[0])
		for _, field := range r[1:] {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				t.Fatal(err)
			}
			values[c] = append(values[c], v)
			every = append(every, v)
		}
	}
	for _, v := range values {
		parts = append(parts, mat.NewDense(len(v)/dim, dim, v))
	}
	return parts, mat.NewDense(len(every)/dim, dim, every)
}

func meanLogLik(t testing.TB, m *gmm.Mixture, x *mat.Dense) float64 {
	t.Helper()
	v, err := m.MeanLogLik(gmm.Matrix(x))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// near fails unless |got − want| is at most tol·max(1, |want|).
func near(t rapid.TB, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Max(1, math.Abs(want))) {
		t.Errorf("%s: got %.15g, want %.15g within %g", what, got, want, tol)
	}
}

func seed(n byte) [32]byte { return [32]byte{n} }

// mixture draws a mixture of k components over dim columns from a seed.
func mixture(t testing.TB, form gmm.Covariance, k, dim int, which uint64) *gmm.Mixture {
	t.Helper()
	rng := rand.New(rand.NewPCG(which, 3))
	weights, means := make([]float64, k), mat.NewDense(k, dim, nil)
	full, diag := make([]*mat.SymDense, k), mat.NewDense(k, dim, nil)
	for c := range k {
		weights[c] = 0.2 + rng.Float64()
		root := mat.NewDense(dim, dim, nil)
		level := 0.5 + rng.Float64()
		for i := range dim {
			means.Set(c, i, 3*rng.NormFloat64())
			diag.Set(c, i, 0.5+rng.Float64())
			if form == gmm.Spherical {
				diag.Set(c, i, level)
			}
			for j := range dim {
				root.Set(i, j, 0.4*rng.NormFloat64())
			}
		}
		full[c] = mat.NewSymDense(dim, nil)
		full[c].SymOuterK(1, root)
		for i := range dim {
			full[c].SetSym(i, i, full[c].At(i, i)+0.5)
		}
	}
	floats.Scale(1/floats.Sum(weights), weights)
	m, err := gmm.NewMixture(weights, means, full)
	if form != gmm.Full {
		m, err = gmm.NewDiagMixture(form, weights, means, diag)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var forms = []gmm.Covariance{gmm.Full, gmm.Diag, gmm.Spherical}
