package release_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/privacy/release"
	"github.com/collabdict/collabdict/internal/testkit/audittest"
)

const lambda0 = 1

func posterior(t *testing.T, rows []float64, means []float64, precisions ...*mat.SymDense) *release.Posterior {
	t.Helper()
	k := len(rows)
	m, err := gmm.NewMixture(slices.Repeat([]float64{1 / float64(k)}, k), mat.NewDense(k, len(means)/k, means), precisions)
	if err != nil {
		t.Fatal(err)
	}
	p := &release.Posterior{Mixture: m, Rows: rows, Lambda0: lambda0, Bound: func(float64) float64 { return math.Inf(1) }}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	return p
}

// Means follow their posterior, and components of few rows are left out.
func TestDrawsFollowThePosterior(t *testing.T) {
	a, b := mat.NewSymDense(2, []float64{2, 0.8, 0.8, 1}), mat.NewSymDense(2, []float64{4, -1, -1, 3})
	p := posterior(t, []float64{30, 0.9, 10}, []float64{1, -2, 50, 50, 3, 0}, a, b, b)
	const draws = 4000
	src := rand.NewPCG(1, 1)
	sums, squares := mat.NewDense(2, 2, nil), []*mat.SymDense{mat.NewSymDense(2, nil), mat.NewSymDense(2, nil)}
	want := [][]float64{{1, -2}, {3, 0}}
	for range draws {
		got := p.Draw(src)
		if !slices.Equal(got.Weights(), []float64{0.75, 0.25}) || !mat.Equal(got.Precision(0), a) || !mat.Equal(got.Precision(1), b) {
			t.Fatalf("got %+v", got)
		}
		sums.Add(sums, got.Means())
		for k := range 2 {
			d := mat.NewVecDense(2, nil)
			d.SubVec(got.Means().RowView(k), mat.NewVecDense(2, want[k]))
			squares[k].SymRankOne(squares[k], 1, d)
		}
	}
	for k, precision := range []*mat.SymDense{a, b} {
		var covariance mat.SymDense
		var c mat.Cholesky
		c.Factorize(precision)
		if err := c.InverseTo(&covariance); err != nil {
			t.Fatal(err)
		}
		covariance.ScaleSym(1/(lambda0+[]float64{30, 10}[k]), &covariance)
		for i := range 2 {
			if got, off := sums.At(k, i)/draws, 4*math.Sqrt(covariance.At(i, i)/draws); math.Abs(got-want[k][i]) > off {
				t.Errorf("component %d: mean %g in column %d, want %g ± %.2g", k+1, got, i+1, want[k][i], off)
			}
			for j := range 2 {
				if got, full := squares[k].At(i, j)/draws, covariance.At(i, j); math.Abs(got-full) > 0.1*math.Sqrt(covariance.At(i, i)*covariance.At(j, j)) {
					t.Errorf("component %d: covariance %g in columns %d and %d, want %g", k+1, got, i+1, j+1, full)
				}
			}
		}
	}
}

// A release leaves out components with less than one row, or less than a thousandth of all rows.
func TestKept(t *testing.T) {
	one := mat.NewSymDense(1, []float64{1})
	p := posterior(t, []float64{4000, 4, 5, 1, 0}, make([]float64, 5), one, one, one, one, one)
	if got := p.Kept(); !slices.Equal(got, []int{0, 2}) {
		t.Error(got)
	}
	p.Rows = []float64{0.99, 1, 2, 0, 0}
	if got := p.Kept(); !slices.Equal(got, []int{1, 2}) {
		t.Error(got)
	}
}

// TestAuditOfReleases audits two neighbouring sets of rows with 20,000 draws per side, which
// show no larger ε than promised. The neighbours are the worst case: one row, all of it in the
// component of the largest ‖Λ_k‖₂/λ_k, moved by R along that precision's first axis. The audit
// comes close to the promise, and half the noise fails it.
func TestAuditOfReleases(t *testing.T) {
	const radius = 3
	precision := mat.NewSymDense(2, []float64{3, 1, 1, 2})
	rows := []float64{20, 60}
	var e mat.EigenSym
	e.Factorize(precision, true)
	var axes mat.Dense
	e.VectorsTo(&axes)
	apart := mat.NewVecDense(2, nil)
	apart.ScaleVec(radius/(lambda0+rows[0]), axes.ColView(1))
	at := []float64{0.3, -0.7, 5, 5}
	moved := []float64{at[0] + apart.AtVec(0), at[1] + apart.AtVec(1), 5, 5}
	wide := mat.NewSymDense(2, []float64{1, 0, 0, 1})
	// the likelihood ratio depends on the draw in this direction only
	direction := mat.NewVecDense(2, nil)
	direction.MulVec(precision, apart)
	draws := func(means, rows []float64) func(rand.Source) float64 {
		p := posterior(t, rows, means, precision, wide)
		return func(src rand.Source) float64 { return mat.Dot(direction, p.Draw(src).Means().RowView(0)) }
	}
	here, there := posterior(t, rows, at, precision, wide), posterior(t, rows, moved, precision, wide)
	loss := here.Loss(radius)
	if loss != there.Loss(radius) {
		t.Errorf("neighbours have losses of %g and %g", loss, there.Loss(radius))
	}
	audit := audittest.Run(t, draws(at, rows), draws(moved, rows))
	fourfold := []float64{4*(lambda0+rows[0]) - lambda0, rows[1]} // the noise is that of four times the rows
	bare := audittest.Run(t, draws(at, fourfold), draws(moved, fourfold))
	for _, delta := range []float64{0.01, 0.1} {
		told, shown, less := loss.Precisions.Epsilon(delta), audit.Epsilon(delta), bare.Epsilon(delta)
		t.Logf("at δ = %g, ε is at least %.3f, promised %.3f; with half the noise, %.3f", delta, shown, told, less)
		if shown > told || shown < 0.7*told {
			t.Errorf("at δ = %g, ε is at least %g, promised %g", delta, shown, told)
		}
		if less <= told {
			t.Errorf("half the noise passes: at δ = %g, ε is at least %g, promised %g", delta, less, told)
		}
	}
}
