package em

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
)

// For any rows, parameters and weights the statistics stay within the bounds; the bound of the
// rows is at most twice their number.
func TestBoundsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, dim := rapid.IntRange(1, 30).Draw(t, "rows"), rapid.IntRange(1, 4).Draw(t, "columns")
		scale := math.Pow(10, rapid.Float64Range(-60, 60).Draw(t, "log scale"))
		value := rapid.OneOf(rapid.Float64Range(-1, 1), rapid.SampledFrom([]float64{0, 1, -1, 1e-90}))
		x := mat.NewDense(n, dim, rapid.SliceOfN(value, n*dim, n*dim).Draw(t, "values"))
		x.Scale(scale, x)
		agreed, err := columnstats.Agree(context.Background(), collabdict.Solo{}, gmm.Matrix(x))
		if err != nil {
			t.Fatal(err)
		}
		b := limits{Bounds: agreed, full: true, more: OwnRows}
		k := rapid.IntRange(1, 3).Draw(t, "components")
		means := mat.NewDense(k, dim, rapid.SliceOfN(value, k*dim, k*dim).Draw(t, "means"))
		means.Scale(scale, means)
		weights, precisions := make([]float64, k), make([]*mat.SymDense, k)
		for c := range k {
			weights[c] = 1 / float64(k)
			a := mat.NewDense(dim, dim, rapid.SliceOfN(rapid.Float64Range(-2, 2), dim*dim, dim*dim).Draw(t, "Λ"))
			precisions[c] = mat.NewSymDense(dim, nil)
			precisions[c].SymOuterK(1, a)
			for i := range dim {
				precisions[c].SetSym(i, i, precisions[c].At(i, i)+0.1)
			}
		}
		m, err := gmm.NewMixture(weights, means, precisions)
		if err != nil {
			t.Fatal(err)
		}
		r := passes.NewReader(gmm.Matrix(x))
		v := &view{rows: r, whole: r, limits: b}
		l := &Learner{view: v, live: []*candidate{{view: v, components: k, form: prior{rho: 1}, model: m}}}
		summand, err := l.LocalUpdate()
		if err != nil {
			t.Fatal(err)
		}
		sums, blocks := summand.Values, summand.Blocks
		if err := collabdict.CheckBlocks(sums, blocks); err != nil {
			t.Fatal(err)
		}
		slack := 1e-9 + 1e-14*scale*scale // because distances are differences of large numbers
		if own, least := sums[len(sums)-1], -float64(n)*math.Log(float64(k)); own > slack || own < least-slack {
			t.Fatalf("%g is not between %g and 0", own, least)
		}
		if limit := 2 * float64(n); b.Rows > limit {
			t.Fatalf("bound of %d rows is %g, want at most %g", n, b.Rows, limit)
		}
	})
}
