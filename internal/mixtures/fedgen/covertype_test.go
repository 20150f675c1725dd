package fedgen_test

import (
	"compress/gzip"
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/fedgen"
	"github.com/collabdict/collabdict/internal/testkit"
)

// covertype reads the ten continuous columns of the first 80,000 rows of a CSV file of the
// Covertype data, scaled to [0, 1], and the column called label.
func covertype(t *testing.T, name string) (*mat.Dense, []string) {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(z)
	head, err := r.Read()
	if err != nil {
		t.Fatal(err)
	}
	label := 0
	for i, column := range head {
		if column == "label" {
			label = i
		}
	}
	x, labels := mat.NewDense(80000, 10, nil), make([]string, 80000)
	for j := range labels {
		record, err := r.Read()
		if err != nil {
			t.Fatal(err)
		}
		labels[j] = record[label]
		for i := range 10 {
			v, err := strconv.ParseFloat(record[i], 64)
			if err != nil {
				t.Fatal(err)
			}
			x.Set(j, i, v)
		}
	}
	for i := range 10 {
		column := mat.Col(nil, i, x)
		low, high := column[0], column[0]
		for _, v := range column {
			low, high = min(low, v), max(high, v)
		}
		for j, v := range column {
			x.Set(j, i, (v-low)/(high-low))
		}
	}
	return x, labels
}

// dirichlet deals each label's rows to n participants by Dirichlet(alpha) weights.
func dirichlet(x *mat.Dense, labels []string, n int, alpha float64, which uint64) (parts []*mat.Dense) {
	src := rand.NewPCG(which, 9)
	gamma, rng := distuv.Gamma{Alpha: alpha, Beta: 1, Src: src}, rand.New(src)
	weights := map[string][]float64{}
	values := make([][]float64, n)
	_, dim := x.Dims()
	for j, label := range labels {
		w := weights[label]
		if w == nil {
			for s := range n {
				w = append(w, gamma.Rand())
				if s > 0 {
					w[s] += w[s-1]
				}
			}
			weights[label] = w
		}
		u, s := rng.Float64()*w[n-1], 0
		for s < n-1 && u >= w[s] {
			s++
		}
		values[s] = append(values[s], x.RawRowView(j)...)
	}
	for _, v := range values {
		if len(v) > 0 {
			parts = append(parts, mat.NewDense(len(v)/dim, dim, v))
		}
	}
	return parts
}

// TestCovertype measures the figures in the documentation: mean log-likelihoods of all rows
// after one round, and after more rounds by exact sums.
func TestCovertype(t *testing.T) {
	name := testkit.OutsidePath(t, "data", "covertype", "covertype.csv.gz")
	all, labels := covertype(t, name)
	const k, partitions = 15, 5
	for _, alpha := range []float64{0.1, 0.3} {
		found := map[string][]float64{}
		for run := range uint64(partitions) {
			c := config(k)
			c.Seed, c.MinRows = seed(byte(run)), 1 // as in the paper
			choices, best, err := fedgen.Select(all, c.Global, c.EM, c.Seed)
			if err != nil {
				t.Fatal(err)
			}
			found["pooled"] = append(found["pooled"], choices[best].MeanLogLik)
			var published []fedgen.Contribution
			var own []*gmm.Mixture
			for _, x := range dirichlet(all, labels, 20, alpha, run) {
				one, _, err := fedgen.Local(x, c)
				if err != nil {
					t.Fatal(err)
				}
				m, err := one.Mixture()
				if err != nil {
					t.Fatal(err)
				}
				published, own = append(published, one), append(own, m)
			}
			found["local"] = append(found["local"], stat.Mean(averageLogDensities(own, all), nil))
			for name, reduce := range map[string]bool{"synthetic": false, "reduced start": true} {
				c.Reduce = reduce
				r, err := fedgen.Aggregate(published, c)
				if err != nil {
					t.Fatal(err)
				}
				m := r.Mixture
				for _, rounds := range []string{"", " + 1", " + 2", " + 3"} {
					found[name+rounds] = append(found[name+rounds], meanLogLik(t, m, all))
					if m, err = m.MStep(m.EStep(all), 1e-6); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		for _, name := range []string{
			"local", "pooled", "synthetic", "synthetic + 1", "synthetic + 2", "synthetic + 3",
			"reduced start", "reduced start + 1", "reduced start + 2", "reduced start + 3",
		} {
			m, sd := stat.MeanStdDev(found[name], nil)
			t.Logf("alpha %g, %s: %.3f ± %.3f", alpha, name, m, sd)
		}
		pooled, sd := stat.MeanStdDev(found["pooled"], nil)
		if got := stat.Mean(found["reduced start"], nil); got < pooled-2*math.Max(sd, 0.05) {
			t.Errorf("alpha %g: one round reaches %.3f, all rows in one place to %.3f", alpha, got, pooled)
		}
		if got := stat.Mean(found["reduced start + 1"], nil); got < pooled {
			t.Errorf("alpha %g: a second round reaches %.3f, all rows in one place to %.3f", alpha, got, pooled)
		}
	}
}
