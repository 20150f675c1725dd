package fedgem_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/mixtures/fedgem"
	"github.com/collabdict/collabdict/internal/testkit"
)

// Members that each have some of the clusters find all of them and no others, if these are
// spherical and four standard deviations apart.
func TestClustersAreFound(t *testing.T) {
	for seed := range uint64(3) {
		clients := blobs(rand.New(rand.NewPCG(seed, 1)), 10, 5, 10, 100, 3, 5, 4)
		for name, c := range map[string]fedgem.Config{
			"balls":       {},
			"half":        {Half: true},
			"local steps": {LocalSteps: 3},
			"chain":       {Chain: true},
			"in rounds":   {MinRows: 1},
		} {
			c.Seed = seed
			r := run(t, clients, known(clients, c))
			if k := len(r[0].Clusters); k != 10 {
				t.Errorf("seed %d, %s: want 10 clusters, got %d", seed, name, k)
			}
			if ari := agreement(clients, r); ari < 0.95 {
				t.Errorf("seed %d, %s: want an ARI of at least 0.95, got %.3f", seed, name, ari)
			}
		}
	}
}

// All members hold the same clusters, and the same seed gives the same clusters again.
func TestMembersAgree(t *testing.T) {
	clients := blobs(rand.New(rand.NewPCG(1, 1)), 6, 3, 5, 60, 2, 4, 4)
	for least, full := range []bool{false, true, false, true} { // in rounds, or once
		c := known(clients, fedgem.Config{Full: full, Rounds: 4, MinRows: 1 + least/2})
		one, again := run(t, clients, c), run(t, clients, c)
		for rank, r := range one {
			for _, other := range []*fedgem.Result{one[0], again[rank]} {
				if !reflect.DeepEqual(r.Clusters, other.Clusters) || r.Rounds != other.Rounds || !bytes.Equal(r.Blobs[2], other.Blobs[2]) {
					t.Errorf("at least %d, full %t: member %d has another result", 1+least/2, full, rank)
				}
			}
			if !reflect.DeepEqual(r.Own, again[rank].Own) || !reflect.DeepEqual(r.Weights, again[rank].Weights) {
				t.Errorf("at least %d, full %t: member %d has other labels the second time", 1+least/2, full, rank)
			}
			if sum := floats.Sum(r.Weights); sum < 1-1e-9 || sum > 1+1e-9 {
				t.Errorf("member %d: weights sum to %g", rank, sum)
			}
		}
	}
}

// Labels or the BIC can give the number of a participant's clusters.
func TestComponentsByBICAndLabels(t *testing.T) {
	clients := blobs(rand.New(rand.NewPCG(3, 1)), 6, 3, 6, 150, 2, 4, 6)
	for rank, c := range clients {
		for _, full := range []bool{false, true} {
			k, err := fedgem.ComponentsByBIC(c.x, 1, 6, full, 1)
			if err != nil || k != c.number {
				t.Errorf("member %d, full %t: want %d by BIC, got %d, %v", rank, full, c.number, k, err)
			}
		}
		labels := make([]float64, len(c.truth))
		for i, v := range c.truth {
			labels[i] = float64(v)
		}
		if k := fedgem.Classes(labels); k != c.number {
			t.Errorf("member %d: want %d classes, got %d", rank, c.number, k)
		}
	}
	r := run(t, clients, func(int) fedgem.Config { return fedgem.Config{MaxComponents: 6} })
	if len(r[0].Clusters) != 6 || agreement(clients, r) < 0.95 {
		t.Errorf("got %d clusters, ARI %.3f", len(r[0].Clusters), agreement(clients, r))
	}
}

// In clusters that are long in one direction, centres scatter more than balls of their mean
// variance allow, unless the balls are inflated; ellipsoids fit them.
func TestLongClusters(t *testing.T) {
	clients := blobs(rand.New(rand.NewPCG(5, 1)), 5, 6, 20, 60, 2, 3, 6)
	for _, c := range clients {
		n, _ := c.x.Dims()
		for i := range n {
			row := c.x.RawRowView(i)
			for j := range row {
				row[j] *= 4
			}
			// All clusters are long in the same direction.
			row[c.truth[i]%2] += 8 * rand.New(rand.NewPCG(uint64(i), uint64(n))).NormFloat64()
		}
	}
	count := func(c fedgem.Config) int { return len(run(t, clients, known(clients, c))[0].Clusters) }
	if k := count(fedgem.Config{}); k < 4 || k > 6 {
		t.Errorf("inflated balls: want 5 clusters or one more or less, got %d", k)
	}
	if k := count(fedgem.Config{Full: true}); k < 4 || k > 6 {
		t.Errorf("ellipsoids: want 5 clusters or one more or less, got %d", k)
	}
}

// Some rows are equal, so the scatter of their cluster comes only from small responsibilities
// for other rows. Training does not fail.
func TestEqualRows(t *testing.T) {
	x := mat.NewDense(6, 4, []float64{1, -1, -1, -1, 0, -2, 0, 1, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, -2, 0})
	x.Scale(0.5, x)
	for least := range 6 {
		if _, err := fedgem.Learn(t.Context(), collabdict.Solo{}, x, fedgem.Config{Components: 5, Rounds: 3, MinRows: least}); err != nil {
			t.Errorf("at least %d: %v", least, err)
		}
	}
}

// TestSyntheticGrid runs the grids on which the paper, and this package's rules, are measured.
// It takes about two minutes.
func TestSyntheticGrid(t *testing.T) {
	testkit.FullOnly(t)
	const repeats = 20
	for _, grid := range []struct {
		dim, members, rows, least, most, rounds int
		apart                                   float64
	}{
		{2, 10, 100, 3, 5, 50, 4},
		{2, 10, 500, 3, 5, 50, 4},
		{5, 10, 100, 3, 5, 50, 4},
		{5, 10, 500, 3, 5, 50, 4},
		{10, 10, 100, 3, 5, 50, 4},
		{10, 10, 500, 3, 5, 50, 4},
		{15, 5, 2000, 2, 8, 10, 2},
		{15, 25, 400, 2, 8, 10, 2},
		{15, 45, 222, 2, 8, 10, 2},
		{15, 65, 153, 2, 8, 10, 2},
	} {
		ari, ideal, hits, least := 0.0, 0.0, 0, time.Hour
		for seed := range uint64(repeats) {
			clients := blobs(rand.New(rand.NewPCG(seed, 1)), 10, grid.dim, grid.members, grid.rows, grid.least, grid.most, grid.apart)
			begin := time.Now()
			r := run(t, clients, known(clients, fedgem.Config{Seed: seed, Rounds: grid.rounds}))
			least = min(least, time.Since(begin))
			ari += agreement(clients, r) / repeats
			ideal += best(clients) / repeats
			if k := len(r[0].Clusters); k >= 9 && k <= 11 {
				hits++
			}
		}
		t.Logf("%+v: ARI %.3f (%.3f by the true centres), K within 1 of 10 in %d of %d, %d ms for all members", grid, ari, ideal, hits, repeats, least.Milliseconds())
		if ari < 0.95 || ari < ideal-0.01 || hits < 18 {
			t.Errorf("want an ARI of at least 0.95 and close to that of known centres, and 18 hits")
		}
	}
}
