package fedgem_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/mixtures/fedgem"
)

// silhouette returns the mean silhouette of Rousseeuw (1987), 0 for one cluster.
func silhouette(x *mat.Dense, labels []int) float64 {
	counts := map[int]int{}
	for _, l := range labels {
		counts[l]++
	}
	total := 0.0
	for i, l := range labels {
		sums := map[int]float64{}
		for j, o := range labels {
			sums[o] += floats.Distance(x.RawRowView(i), x.RawRowView(j), 2)
		}
		if counts[l] < 2 || len(counts) < 2 {
			continue
		}
		a, b := sums[l]/float64(counts[l]-1), 0.0
		for o, s := range sums {
			if mean := s / float64(counts[o]); o != l && (b == 0 || mean < b) {
				b = mean
			}
		}
		total += (b - a) / max(a, b)
	}
	return total / float64(len(labels))
}

// Held-out rows reject a factor that is so large that it merges all clusters, and all members
// choose the same factor.
func TestFactorIsChosen(t *testing.T) {
	clients := blobs(rand.New(rand.NewPCG(4, 1)), 6, 3, 6, 90, 3, 4, 6)
	factors := []float64{0.5, 100}
	chosen := make([]float64, len(clients))
	config := func(rank int) fedgem.Config {
		return fedgem.Config{Components: clients[rank].number, Rounds: 5, Chain: true, MinRows: 1}
	}
	together(t, len(clients), func(rank int, g collabdict.Group) (err error) {
		chosen[rank], err = fedgem.ChooseFactor(t.Context(), g, clients[rank].x, config(rank), factors, silhouette)
		return err
	})
	for rank, v := range chosen {
		if v != 0.5 {
			t.Errorf("member %d: got %g", rank, v)
		}
	}
	for _, c := range []struct {
		v         float64
		low, high int
	}{{0.5, 6, 9}, {100, 1, 1}} {
		r := run(t, clients, func(rank int) fedgem.Config {
			own := config(rank)
			own.Final = fedgem.Factor{V: c.v}
			return own
		})
		if k := len(r[0].Clusters); k < c.low || k > c.high {
			t.Errorf("factor %g: got %d clusters, want %d to %d", c.v, k, c.low, c.high)
		}
	}
	_, err := fedgem.ChooseFactor(t.Context(), collabdict.Solo{}, clients[0].x, fedgem.Config{MinRows: 5}, []float64{1}, silhouette)
	if err == nil || !strings.Contains(err.Error(), "reveal few rows: give one factor, or set min rows to 1") {
		t.Errorf("got %v", err)
	}
}

// Each of several rules gives the result that it gives alone, even if members share their
// merges.
func TestRulesShareTheRounds(t *testing.T) {
	clients := blobs(rand.New(rand.NewPCG(8, 1)), 6, 3, 6, 90, 3, 4, 4)
	rules := []fedgem.Final{fedgem.ChiSquare{}, fedgem.Factor{V: 0.3}, fedgem.Factor{V: 1e6}}
	config, shared := known(clients, fedgem.Config{Rounds: 5, MinRows: 1}), known(clients, fedgem.Config{Rounds: 5, MinRows: 1, Shared: &fedgem.Merges{}})
	all := make([][]*fedgem.Result, len(clients))
	together(t, len(clients), func(rank int, g collabdict.Group) (err error) {
		all[rank], err = fedgem.LearnRules(t.Context(), g, clients[rank].x, shared(rank), rules)
		return err
	})
	for i, rule := range rules {
		alone := run(t, clients, func(rank int) fedgem.Config {
			c := config(rank)
			c.Final = rule
			return c
		})
		for rank, r := range alone {
			got := all[rank][i]
			if !reflect.DeepEqual(got.Clusters, r.Clusters) || !reflect.DeepEqual(got.Own, r.Own) || got.Rounds != r.Rounds ||
				!reflect.DeepEqual(got.Labels(clients[rank].x), r.Labels(clients[rank].x)) {
				t.Errorf("rule %d, member %d: got another result than alone", i, rank)
			}
		}
	}
}
