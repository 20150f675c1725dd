package fedgem_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm/fedgem"
	"github.com/collabdict/collabdict/internal/metrics"
)

// table is an exact group in process: a collective returns when all have called it.
type table struct {
	mu      sync.Mutex
	all     *sync.Cond
	size    int
	brought []any
	arrived int
	done    []any
}

type seat struct {
	*table
	rank int
}

func (s seat) Size() int { return s.size }

func (s seat) meet(v any) []any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.brought == nil {
		s.brought = make([]any, s.size)
	}
	mine := s.brought
	mine[s.rank] = v
	if s.arrived++; s.arrived == s.size {
		s.done, s.brought, s.arrived = mine, nil, 0
		s.all.Broadcast()
	}
	for &mine[0] != first(s.done) {
		s.all.Wait()
	}
	return mine
}

func first(v []any) *any {
	if v == nil {
		return nil
	}
	return &v[0]
}

func (s seat) Sum(_ context.Context, x []float64, blocks []collabdict.Block) ([]float64, error) {
	if err := collabdict.CheckBlocks(x, blocks); err != nil {
		return nil, err
	}
	total := make([]float64, len(x))
	for _, v := range s.meet(append([]float64(nil), x...)) {
		floats.Add(total, v.([]float64))
	}
	return total, nil
}

func (s seat) Gather(_ context.Context, blob []byte) (out [][]byte, err error) {
	for _, v := range s.meet(blob) {
		out = append(out, v.([]byte))
	}
	return out, nil
}

// together calls f for every member of a group, all at once.
func together(size int, f func(rank int, g collabdict.Group)) {
	t := &table{size: size}
	t.all = sync.NewCond(&t.mu)
	var all sync.WaitGroup
	for rank := range size {
		all.Go(func() { f(rank, seat{t, rank}) })
	}
	all.Wait()
}

// client is a participant's rows with the true clusters of its rows.
type client struct {
	x      *mat.Dense
	truth  []int
	number int // of clusters
	// nearest is the true centre that is nearest to each row.
	nearest []int
}

// run trains all clients together.
func run(t testing.TB, clients []client, c func(rank int) fedgem.Config) []*fedgem.Result {
	t.Helper()
	out := make([]*fedgem.Result, len(clients))
	together(len(clients), func(rank int, g collabdict.Group) {
		var err error
		if out[rank], err = fedgem.Train(context.Background(), g, clients[rank].x, c(rank)); err != nil {
			t.Errorf("member %d: %v", rank, err)
		}
	})
	if t.Failed() {
		t.FailNow()
	}
	return out
}

// agreement returns the adjusted Rand index of each client's labels with the truth,
// on average.
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

// blobs makes clients of the given numbers of rows with some of k round clusters of
// variance 1 each, whose centres are at least apart from another.
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

// scattered draws centres with standard deviation 5, the first two as near to
// another as may be.
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

// nearestOf returns which of the own centres is nearest to a row.
func nearestOf(row []float64, centres [][]float64, own []int) int {
	best := own[0]
	for _, c := range own {
		if floats.Distance(row, centres[c], 2) < floats.Distance(row, centres[best], 2) {
			best = c
		}
	}
	return best
}

// best is the agreement of those who know the true centres.
func best(clients []client) (mean float64) {
	for _, c := range clients {
		mean += metrics.ARI(c.truth, c.nearest) / float64(len(clients))
	}
	return mean
}
