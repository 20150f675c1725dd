package fedgem_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/mixtures/fedgem"
	"github.com/collabdict/collabdict/internal/numeric/metrics"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
)

// together calls f for every member of a group, all at once.
func together(t testing.TB, size int, f func(rank int, g collabdict.Group) error) {
	t.Helper()
	err := lockstep.Run(t.Context(), size, func(_ context.Context, g collabdict.Group, rank int) error { return f(rank, g) })
	if err != nil {
		t.Fatal(err)
	}
}

// client holds a participant's rows and their true clusters.
type client struct {
	x      *mat.Dense
	truth  []int
	number int // of clusters
	// nearest is the nearest true centre of each row.
	nearest []int
}

// run trains all clients together.
func run(t testing.TB, clients []client, c func(rank int) fedgem.Config) []*fedgem.Result {
	t.Helper()
	out := make([]*fedgem.Result, len(clients))
	together(t, len(clients), func(rank int, g collabdict.Group) (err error) {
		out[rank], err = fedgem.Learn(t.Context(), g, clients[rank].x, c(rank))
		return err
	})
	return out
}

// agreement returns the adjusted Rand index between each client's labels and the truth, on
// average.
func agreement(clients []client, results []*fedgem.Result) (mean float64) {
	for rank, r := range results {
		mean += metrics.ARI(clients[rank].truth, r.Labels(clients[rank].x)) / float64(len(results))
	}
	return mean
}

// known gives every client the true number of its clusters.
func known(clients []client, c fedgem.Config) func(int) fedgem.Config {
	return func(rank int) fedgem.Config {
		own := c
		own.Components = clients[rank].number
		return own
	}
}

// blobs returns clients with between least and most rows each. The rows are drawn from some of k
// spherical clusters of variance 1, whose centres have at least the distance apart.
func blobs(rng *rand.Rand, k, dim, members, rows, least, most int, apart float64) []client {
	centres := scattered(rng, k, dim, apart)
	for {
		clients := make([]client, members)
		seen := map[int]bool{}
		for g := range clients {
			own := rng.Perm(k)[:least+rng.IntN(most-least+1)]
			clients[g] = client{mat.NewDense(rows, dim, nil), make([]int, rows), len(own), make([]int, rows)}
			for i := range rows {
				c := own[i%len(own)]
				seen[c] = true
				clients[g].truth[i] = c
				for j := range dim {
					clients[g].x.Set(i, j, centres[c][j]+rng.NormFloat64())
				}
				clients[g].nearest[i] = nearestOf(clients[g].x.RawRowView(i), centres, own)
			}
		}
		if len(seen) == k {
			return clients
		}
	}
}

// scattered draws centres with standard deviation 5, the first two as close to each other as
// allowed.
func scattered(rng *rand.Rand, k, dim int, apart float64) [][]float64 {
	draw := func(sd float64) []float64 {
		v := make([]float64, dim)
		for j := range v {
			v[j] = sd * rng.NormFloat64()
		}
		return v
	}
	first, direction := draw(5), draw(1)
	second := append([]float64(nil), first...)
	floats.AddScaled(second, apart/floats.Norm(direction, 2), direction)
	out := [][]float64{first, second}
	for len(out) < k {
		c, fits := draw(5), true
		floats.Add(c, first)
		for _, o := range out {
			fits = fits && floats.Distance(c, o, 2) >= apart
		}
		if fits {
			out = append(out, c)
		}
	}
	return out
}

// nearestOf returns the own centre that is nearest to a row.
func nearestOf(row []float64, centres [][]float64, own []int) int {
	best := own[0]
	for _, c := range own {
		if floats.Distance(row, centres[c], 2) < floats.Distance(row, centres[best], 2) {
			best = c
		}
	}
	return best
}

// best returns the agreement of clients that know the true centres.
func best(clients []client) (mean float64) {
	for _, c := range clients {
		mean += metrics.ARI(c.truth, c.nearest) / float64(len(clients))
	}
	return mean
}

// pooled returns one client with all rows.
func pooled(clients []client) client {
	var values []float64
	var out client
	_, dim := clients[0].x.Dims()
	for _, c := range clients {
		values = append(values, c.x.RawMatrix().Data...)
		out.truth = append(out.truth, c.truth...)
	}
	out.x = mat.NewDense(len(out.truth), dim, values)
	return out
}
