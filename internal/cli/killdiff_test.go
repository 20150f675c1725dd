package cli

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/testkit"
)

// After a member is killed, no difference of two totals in another member's log reveals the number
// of its rows with their mean, or their covariance.
func TestLogsDoNotRevealAKilledMember(t *testing.T) {
	testkit.SkipRaced(t)
	testkit.LongOnly(t)
	t.Parallel()
	const components, columns, victim, lost = 3, 4, "site-c", 2
	dir := t.TempDir()
	writeSites(t, dir, 5, 200)
	up := start(t, dir, "up", "--data", "data/*.csv", "--components", fmt.Sprint(components), "--standardise", "none",
		"--tol", "0", "--rounds", "20", "--out", "o", "--json")
	up.until(t, `: round 6/`) // earlier rounds wait for a lost member
	kill(t, up.cmd.Process.Pid, filepath.Join("o", victim))
	code, said := up.end(t)
	if code != 0 {
		t.Fatalf("exit code %d; it said:\n%s", code, said)
	}
	log := readLog(t, filepath.Join(dir, "o", "site-a"))
	if after := log[len(log)-1]; slices.Contains(after.members, lost) || after.round < 12 {
		t.Fatalf("the last sum is of round %d over %v: nothing is tested", after.round, after.members)
	}
	c, err := ofFolder(filepath.Join(dir, "o", victim))
	if err != nil {
		t.Fatal(err)
	}
	x, err := rows.Dense(c.Data.Train)
	if err != nil {
		t.Fatal(err)
	}
	var known []summed
	for slot, r := range log {
		known = append(known, conserved(slot, r, components, columns)...)
	}
	t.Logf("%d sums over all rows in %d slots; the victim was last in one in round %d", len(known), len(log), lastWith(log, lost))
	for i, a := range known {
		for _, b := range known[:i] {
			for _, d := range []summed{a.less(b), b.less(a)} {
				if read := d.reads(x); read != "" {
					t.Fatalf("slots %d and %d of the log of site-a reveal rows of %s: %s", b.slot, a.slot, victim, read)
				}
			}
		}
	}
}

func lastWith(log []slotRecord, member int) (round int) {
	for _, r := range log {
		if slices.Contains(r.members, member) {
			round = r.round
		}
	}
	return round
}

// summed is the part of a total that does not depend on the parameters: over all rows, their
// number, the sums of columns, and the sums of products of columns i ≤ j.
type summed struct {
	slot            int
	n               float64
	first, products []float64 // products is empty if the total has none
}

// conserved returns every such sum over all rows that the total of a slot contains.
func conserved(slot int, r slotRecord, k, dim int) (all []summed) {
	if r.running == nil {
		return nil
	}
	values, pairs := r.total, dim*(dim+1)/2
	switch r.running.Key {
	case "moments": // each value in two words
		values = slices.Clone(values[:len(values)/2])
		floats.Add(values, r.total[len(values):])
		k = 1
	case "clusters": // one sum for each of several clusterings
		pairs = 0
	case "statistics":
		values = values[:len(values)-1]
	}
	each := k * (1 + dim + pairs)
	for ; len(values) >= each; values = values[each:] {
		sum := make([]float64, each/k)
		for i, v := range values[:each] {
			sum[i/k] += v
		}
		all = append(all, summed{slot, sum[0], sum[1 : 1+dim], sum[1+dim:]})
	}
	return all
}

func (s summed) less(o summed) summed {
	d := summed{n: s.n - o.n, first: slices.Clone(s.first)}
	floats.Sub(d.first, o.first)
	if len(s.products) == len(o.products) {
		d.products = slices.Clone(s.products)
		floats.Sub(d.products, o.products)
	}
	return d
}

// reads describes what s reveals about a member's rows x, or returns "".
func (s summed) reads(x *mat.Dense) string {
	n, dim := x.Dims()
	cov := new(mat.SymDense)
	stat.CovarianceMatrix(cov, x, nil)
	mean := func(i int) float64 { return s.first[i] / s.n }
	means, products := 0.0, 0.0
	for i, at := 0, 0; i < dim; i++ {
		off := math.Abs(mean(i)-stat.Mean(mat.Col(nil, i, x), nil)) / math.Sqrt(cov.At(i, i))
		means = math.Max(means, off)
		for j := i; j < dim && at < len(s.products); j++ {
			want := cov.At(i, j) * float64(n-1) / float64(n)
			off := math.Abs(s.products[at]/s.n-mean(i)*mean(j)-want) / math.Sqrt(cov.At(i, i)*cov.At(j, j))
			products = math.Max(products, off)
			at++
		}
	}
	switch {
	case math.Abs(s.n-float64(n)) < 0.5 && means < 1e-3:
		return fmt.Sprintf("N %.6f of %d, mean to %.1g and covariance to %.1g standard deviations", s.n, n, means, products)
	case s.n > 0.5 && len(s.products) > 0 && products < 1e-3:
		return fmt.Sprintf("covariance to %.1g standard deviations", products)
	}
	return ""
}
