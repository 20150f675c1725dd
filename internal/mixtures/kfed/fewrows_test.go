package kfed

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
)

// Every remaining cluster has at least the minimum number of rows, and no row is lost.
func TestNoClusterOfFewRowsIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim, least := rapid.IntRange(1, 4).Draw(t, "columns"), rapid.IntRange(2, 7).Draw(t, "least")
		rng := rand.New(rand.NewPCG(rapid.Uint64Max(1000).Draw(t, "rows"), 1))
		n := rapid.IntRange(least, 40).Draw(t, "n")
		x := mat.NewDense(n, dim, nil)
		for j := range n {
			for i := range dim {
				x.Set(j, i, float64(20*rng.IntN(3))+rng.NormFloat64())
			}
		}
		own := Local(x, rapid.IntRange(1, 8).Draw(t, "k"), rng)
		got, rows, few := withoutFew(x, own, least)
		k, _ := got.Dims()
		before, _ := own.Dims()
		if len(rows) != k || few == 0 && k != before || few > 0 && k > before-(few+1)/2 {
			t.Errorf("%d of %d clusters are left, %d had few rows", k, before, few)
		}
		total, sum, want := 0, make([]float64, dim), make([]float64, dim)
		for c, n := range rows {
			if n < least {
				t.Errorf("cluster %d of %d is of %d rows, want %d", c+1, k, n, least)
			}
			total += n
			floats.AddScaled(sum, float64(n), got.RawRowView(c))
		}
		for j := range n {
			floats.Add(want, x.RawRowView(j))
		}
		if total != n || !floats.EqualApprox(sum, want, 1e-9*float64(n)) {
			t.Errorf("%d rows with the sum %v, want %d with %v", total, sum, n, want)
		}
	})
}

// heard is a group of one that records what it gathers.
type heard struct {
	collabdict.Solo
	centres *mat.Dense
}

func (g *heard) Gather(_ context.Context, _ collabdict.Entry, blob []byte) ([][]byte, error) {
	var err error
	g.centres, err = decode(blob, 2, 4)
	return [][]byte{blob}, err
}

// A row that is far from all others is the centre of no published cluster, unless the settings
// allow it.
func TestAFarRowIsNoCentre(t *testing.T) {
	x := blobs(2, 20, []int{0, 3}, 1)
	far := []float64{300, -200}
	x = x.Grow(1, 0).(*mat.Dense)
	x.SetRow(40, far)
	for least, want := range map[int]bool{0: false, 5: false, 1: true} {
		g := &heard{}
		_, few, err := Cluster(t.Context(), g, x, Config{Local: 3, Clusters: 3, MinRows: least}, rand.NewPCG(1, 1))
		var fewer *FewError
		if want && err != nil || !want && !errors.As(err, &fewer) {
			t.Fatalf("at least %d: got %v", least, err)
		}
		found := false
		for c := range g.centres.RawMatrix().Rows {
			found = found || floats.Distance(g.centres.RawRowView(c), far, 2) < 0.01
		}
		if found != want || few != 0 {
			t.Errorf("at least %d: %d of few rows, and centres\n%v", least, few, mat.Formatted(g.centres))
		}
	}
	if _, _, err := Cluster(t.Context(), collabdict.Solo{}, x, Config{Local: 1, Clusters: 1, MinRows: 42}, rand.NewPCG(1, 1)); err == nil || !strings.Contains(err.Error(), "want at least 42, the smallest size of a cluster, which is at least 1, got 41") {
		t.Errorf("got %v", err)
	}
}
