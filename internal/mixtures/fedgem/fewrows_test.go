package fedgem_test

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/mixtures/fedgem"
	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
)

// alone is a group of one that records what it gathers.
type alone struct {
	collabdict.Solo
	blobs [][]byte
}

func (g *alone) Gather(_ context.Context, _ collabdict.Entry, blob []byte) ([][]byte, error) {
	g.blobs = append(g.blobs, blob)
	return [][]byte{blob}, nil
}

// Each published cluster has at least five rows, and all of them together have the rows, the
// mean and the mean variance of the own rows.
func TestNoClusterOfFewRowsIsPublished(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 4).Draw(t, "columns")
		rng := rand.New(rand.NewPCG(rapid.Uint64Max(1000).Draw(t, "rows"), 1))
		var values []float64
		for _, n := range rapid.SliceOfN(rapid.SampledFrom([]int{1, 2, 4, 6, 20}), 1, 5).Draw(t, "clumps") {
			centre := make([]float64, dim)
			for i := range centre {
				centre[i] = 30 * rng.NormFloat64()
			}
			for range n {
				for _, c := range centre {
					values = append(values, c+rng.NormFloat64())
				}
			}
		}
		for len(values) < 5*dim { // fewer are refused
			values = append(values, rng.NormFloat64())
		}
		x := mat.NewDense(len(values)/dim, dim, values)
		n, _ := x.Dims()
		full := rapid.Bool().Draw(t, "full")
		g := &alone{}
		r, err := fedgem.Learn(t.Context(), g, x, fedgem.Config{Components: rapid.IntRange(1, min(n, 5)).Draw(t, "components"), Full: full, Rounds: 3})
		if err != nil {
			t.Fatal(err)
		}
		for i, blob := range g.blobs {
			total, sums, squares := 0.0, make([]float64, dim), 0.0
			k := int(binary.BigEndian.Uint16(blob[4:]))
			each := (len(blob) - 8) / 8 / k
			for c := range k {
				v := make([]float64, each)
				for j := range v {
					v[j] = math.Float64frombits(binary.BigEndian.Uint64(blob[8+8*(c*each+j):]))
				}
				rows, spread, centre := v[0], v[2], v[3:3+dim]
				if rows < 5-1e-6 {
					t.Errorf("gather %d of %d: cluster %d of %d is of %g of %d rows", i+1, len(g.blobs), c+1, k, rows, n)
				}
				total += rows
				floats.AddScaled(sums, rows, centre)
				squares += rows * (float64(dim)*(spread-1e-6) + floats.Dot(centre, centre)) // less the regularisation
			}
			last := i == len(g.blobs)-1 // the last blob's spread is that of its centres
			want, wantSquares := make([]float64, dim), 0.0
			for j := range n {
				floats.Add(want, x.RawRowView(j))
				wantSquares += floats.Dot(x.RawRowView(j), x.RawRowView(j))
			}
			if math.Abs(total-float64(n)) > 1e-6 || !floats.EqualApprox(sums, want, 1e-6*(1+wantSquares)) || last && math.Abs(squares-wantSquares) > 1e-6*(1+wantSquares) {
				t.Errorf("gather %d of %d: %g rows with the sum %v and squares of %g, want %d, %v and %g", i+1, len(g.blobs), total, sums, squares, n, want, wantSquares)
			}
		}
		rows := 0.0
		for _, c := range r.Clusters {
			rows += c.Rows
		}
		if labels := r.Labels(x); len(labels) != n || math.Abs(rows-float64(n)) > 1e-6 {
			t.Errorf("%d labels of %d rows in clusters of %g", len(labels), n, rows)
		}
	})
}
