package fedgem_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/mixtures/fedgem"
)

// With little noise the same clusters are found as without, and the privacy loss is accounted
// for.
func TestNoiseHidesRowsAndLeavesClusters(t *testing.T) {
	for _, seed := range []uint64{0, 1, 3} {
		clients := blobs(rand.New(rand.NewPCG(seed, 1)), 3, 2, 4, 4000, 2, 3, 8)
		r := run(t, clients, func(rank int) fedgem.Config {
			return fedgem.Config{
				Components: clients[rank].number, Rounds: 4, BurnIn: 5, Seed: 3,
				Noise: &fedgem.Noise{Loss: 10.0 / 18, Radius: 25, Source: rand.NewPCG(uint64(rank), 5)},
			}
		})
		if k, ari := len(r[0].Clusters), agreement(clients, r); k != 3 || ari < 0.95 {
			t.Errorf("seed %d: got %d clusters of 3, ARI %.2f", seed, k, ari)
		}
		rows := 0.0
		for _, c := range r[0].Clusters {
			rows += c.Rows
		}
		if off := math.Abs(rows - 4*4000); off < 1e-3 || off > 200 {
			t.Errorf("seed %d: %g rows are shown, of 16000: want them with noise", seed, rows)
		}
		if spent := float64(r[0].Spent); r[0].Steps != 5+4+1 || math.Abs(spent-10.0/18) > 1e-12 {
			t.Errorf("got %d steps, want 10, and a loss of %g, want all of it", r[0].Steps, spent)
		}
	}
}

// With noise, no row ends a run: the others would see that.
func TestNoRowEndsARunWithNoise(t *testing.T) {
	for _, v := range []float64{1e300, -math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN()} {
		x := mat.NewDense(50, 2, nil)
		x.SetRow(7, []float64{v, -v})
		r, err := fedgem.Learn(t.Context(), collabdict.Solo{}, x, fedgem.Config{
			Components: 2, Rounds: 3, Seed: 1, Noise: &fedgem.Noise{Loss: 10, Radius: 1, Source: rand.NewPCG(1, 1)},
		})
		if err != nil {
			t.Errorf("%g: %v", v, err)
			continue
		}
		for _, c := range r.Clusters {
			if !(math.Hypot(c.Centre[0], c.Centre[1]) <= 1+1e-9) {
				t.Errorf("%g: a centre is at %g, want it within the radius", v, c.Centre)
			}
		}
	}
}

func TestSettingsThatCannotBe(t *testing.T) {
	clients := blobs(rand.New(rand.NewPCG(2, 1)), 2, 2, 1, 20, 2, 2, 8)
	noise := &fedgem.Noise{Loss: 1, Radius: 1, Source: rand.NewPCG(1, 1)}
	for want, c := range map[string]fedgem.Config{
		"components: want 0 (chosen by BIC) or 1 to 20, the number of rows, and at most 4096, got 21": {Components: 21},
		"rows: want at least 21, the smallest size of a cluster, got 20":                              {MinRows: 21},
		"noise: want a number of components":                                                          {Noise: noise},
		"noise: want spherical clusters":                                                              {Noise: noise, Components: 2, Full: true},
		"noise: want a source":                                                                        {Noise: &fedgem.Noise{Loss: 1, Radius: 1}, Components: 2},
		"noise: want a finite loss":                                                                   {Noise: &fedgem.Noise{Radius: 1}, Components: 2},
	} {
		_, err := fedgem.Learn(t.Context(), collabdict.Solo{}, clients[0].x, c)
		if err == nil || !strings.HasPrefix(err.Error(), "fedgem: "+want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	clients[0].x.Set(4, 1, math.NaN())
	if _, err := fedgem.Learn(t.Context(), collabdict.Solo{}, clients[0].x, fedgem.Config{}); err == nil || !strings.Contains(err.Error(), "row 5, column 2") {
		t.Errorf("got %v", err)
	}
}
