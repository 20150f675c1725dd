package em

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/testkit"
)

// definition returns the responsibilities of a row by the formula.
func (c *clustering) definition(row []float64) []float64 {
	k, _ := c.centres.Dims()
	out, total := make([]float64, k), 0.0
	for i := range k {
		out[i] = math.Exp(-passes.SquaredDistance(row, c.centres.RawRowView(i)) / (2 * c.variance))
		total += out[i]
	}
	for i := range out {
		out[i] /= total
	}
	return out
}

func TestClusterSums(t *testing.T) {
	const n, k = 700, 3
	x := testkit.Patterns(n, 3, 4, 5)
	_, dim := x.Dims()
	of := []*clustering{
		{centres: mat.DenseCopyOf(x.Slice(0, k, 0, dim)), variance: 0.7},
		{centres: mat.DenseCopyOf(x.Slice(90, 90+k, 0, dim)), variance: 3},
	}
	got, err := clusterSums(nil, passes.NewReader(gmm.Matrix(x)), of, privacy.Rule{})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range of {
		want := make([]float64, k*(1+dim))
		for j := range n {
			row := x.RawRowView(j)
			for at, r := range c.definition(row) {
				want[at] += r
				for v := range dim {
					want[k+v*k+at] += r * row[v]
				}
			}
		}
		for at, v := range want {
			testkit.Near(t, "sum of a clustering", got[i*len(want)+at], v, 1e-9)
		}
		full, err := c.moments(passes.NewReader(gmm.Matrix(x)), privacy.Rule{})
		if err != nil {
			t.Fatal(err)
		}
		for at, v := range full.Pack()[:len(want)] {
			testkit.Near(t, "soft sum", v, want[at], 1e-9)
		}
	}
}

// The derived squares of a clustering equal the squared distances of its rows from their clusters'
// means, weighted by their responsibilities. Its centres stay apart.
func TestMoveClusterings(t *testing.T) {
	for _, dim := range []int{1, 2, 9, 38} {
		x := testkit.Patterns(600, dim, 4, uint64(dim))
		r := passes.NewReader(gmm.Matrix(x))
		sums, err := passes.HardMoments(r, passes.OneComponent, mat.NewDense(1, dim, nil), true)
		if err != nil {
			t.Fatal(err)
		}
		all := newWhole(sums)
		c := newClustering(newNormal(sums).draw(5, rand.New(rand.NewPCG(1, 1))), all)
		for range lloydSteps {
			shares := make([][]float64, 600)
			for j := range shares {
				shares[j] = c.definition(x.RawRowView(j))
			}
			local, err := clusterSums(nil, r, []*clustering{c}, privacy.Rule{})
			if err != nil {
				t.Fatal(err)
			}
			moveAll([]*clustering{c}, local, all)
			within := 0.0
			for j, r := range shares {
				for k, share := range r {
					within += share * passes.SquaredDistance(x.RawRowView(j), c.centres.RawRowView(k))
				}
			}
			testkit.Near(t, "squares within", all.square*600-c.between, within, 1e-6*within)
			if !(c.variance > 0) || c.variance > all.square {
				t.Fatalf("%d variables: variance %g of rows with squares %g", dim, c.variance, all.square)
			}
		}
		if c.between < 0.1*all.square*600 {
			t.Errorf("%d variables: all centres are in one place", dim)
		}
	}
}
