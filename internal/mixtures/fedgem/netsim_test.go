package fedgem_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/mixtures/fedgem"
	"github.com/collabdict/collabdict/internal/numeric/metrics"
	"github.com/collabdict/collabdict/netsim"
)

// Over the protocol, in virtual time, the others continue when a member is lost. A member that
// comes back catches up, and all hold the same clusters.
func TestLostMember(t *testing.T) {
	clients := blobs(rand.New(rand.NewPCG(6, 1)), 5, 3, 6, 80, 2, 4, 6)
	for _, c := range []struct {
		least int
		round uint32
		away  time.Duration
	}{{1, 2, 0}, {1, 2, 5 * time.Second}, {5, 1, 0}, {5, 1, 5 * time.Second}} {
		away := c.away
		net, err := netsim.New(netsim.Config{
			Names: netsim.Names(len(clients)), Seed: 1, Compute: time.Second,
			Faults: []netsim.Fault{netsim.Crash{Member: 2, When: netsim.When{Round: c.round, At: 10 * time.Millisecond, For: away}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		results := make([]*fedgem.Result, len(clients))
		_, err = net.Run(t.Context(), func(ctx context.Context, rank int, g collabdict.Group) (err error) {
			results[rank], err = fedgem.Learn(ctx, g, clients[rank].x, fedgem.Config{Components: clients[rank].number, Rounds: 4, MinRows: c.least})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for rank, r := range results {
			if rank == 2 && away == 0 {
				continue
			}
			if r == nil || !reflect.DeepEqual(r.Clusters, results[0].Clusters) || len(r.Clusters) != 5 || away == 0 && r.Blobs[2] != nil {
				t.Errorf("at least %d, away for %s: member %d: got %+v", c.least, away, rank, r)
				continue
			}
			if ari := metrics.ARI(clients[rank].truth, r.Labels(clients[rank].x)); ari < 0.9 {
				t.Errorf("away for %s: member %d has an ARI of %.2f", away, rank, ari)
			}
		}
	}
}
