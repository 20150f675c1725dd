package gmm_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/testkit/algorithmtest"
)

// Files hold the rows of components; files of earlier versions do not have them.
func TestComponentRowsAreKept(t *testing.T) {
	plain, err := gmm.NewDiagMixture(gmm.Diag, []float64{0.25, 0.75}, mat.NewDense(2, 1, []float64{0, 3}), mat.NewDense(2, 1, []float64{1, 1}))
	if err != nil {
		t.Fatal(err)
	}
	if got := plain.WithTotal(8).ComponentRows(); !slices.Equal(got, []float64{2, 6}) {
		t.Errorf("got %v of 8 rows by weights of 1/4 and 3/4", got)
	}
	m := plain.WithRows([]float64{-1e-9, 40})
	if plain.ComponentRows() != nil {
		t.Error("the mixture that was given has changed")
	}
	for _, of := range []struct {
		m    *gmm.Mixture
		want []float64
	}{{plain, nil}, {m, []float64{0, 40}}} {
		read, err := gmm.LoadMixture(algorithmtest.Arrays(of.m.ArraysNamed("own_")), "own_", gmm.Diag, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := read.ComponentRows(); !slices.Equal(got, of.want) {
			t.Errorf("got %v, want %v", got, of.want)
		}
	}
	for _, bad := range [][]float64{{1}, {1, -1}, {1, math.NaN()}, {1, math.Inf(1)}} {
		arrays := algorithmtest.Arrays(plain.Arrays())
		arrays = append(arrays, algorithm.Array{Name: "component_rows", Shape: []int{len(bad)}, Values: bad})
		if _, err := gmm.LoadMixture(arrays, "", gmm.Diag, 1); err == nil || !strings.Contains(err.Error(), "component_rows") {
			t.Errorf("%v: got %v", bad, err)
		}
	}
}
