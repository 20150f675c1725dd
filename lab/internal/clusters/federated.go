package clusters

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/fedgem"
	"github.com/collabdict/collabdict/internal/mixtures/kfed"
	"github.com/collabdict/collabdict/internal/numeric/metrics"
)

// rounds is the largest number of rounds in the published experiments.
const rounds = 10

// runner runs a group, like lockstep.Run.
type runner func(ctx context.Context, size int, f func(ctx context.Context, g collabdict.Group, rank int) error) error

// together runs FedGEM with all clients. Each client is given the number of its own classes. It
// returns an outcome for each rule of the last merge. If there are factors to choose from, the
// outcome for the chosen factor comes last.
func together(ctx context.Context, run runner, clients []client, c fedgem.Config, rules []fedgem.Final, factors []float64) ([]outcome, error) {
	results := make([][]*fedgem.Result, len(clients))
	c.Rounds, c.MinRows = rounds, 1 // as in the paper, clusters of any size are published in every round
	err := run(ctx, len(clients), func(ctx context.Context, g collabdict.Group, rank int) error {
		own, x, all := c, clients[rank].train.x, rules
		own.Components = clients[rank].classes
		if factors != nil {
			v, err := fedgem.ChooseFactor(ctx, g, x, own, factors, silhouette)
			if err != nil {
				return err
			}
			all = append(all[:len(all):len(all)], fedgem.Factor{V: v})
		}
		var err error
		results[rank], err = fedgem.LearnRules(ctx, g, x, own, all)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := make([]outcome, len(results[0]))
	for i := range out {
		out[i] = measure(clients, len(results[0][i].Clusters), func(rank int, x *mat.Dense) []int { return results[rank][i].Labels(x) })
	}
	return out, nil
}

func silhouette(x *mat.Dense, labels []int) float64 {
	if s, ok := metrics.Silhouette(x, labels, 0); ok {
		return s
	}
	return math.NaN()
}

// oneRound runs k-FED with the known number of all clusters. A row belongs to the cluster of
// its nearest local centre.
func oneRound(clients []client, k int, seed uint64) (outcome, error) {
	local := make([]*mat.Dense, len(clients))
	for rank, c := range clients {
		local[rank] = kfed.Local(c.train.x, c.classes, rand.NewPCG(seed, uint64(rank)))
	}
	merged, err := kfed.Merge(local, k)
	if err != nil {
		return outcome{}, err
	}
	return measure(clients, k, func(rank int, x *mat.Dense) []int {
		of, out := gmm.Nearest(local[rank], merged), gmm.Nearest(x, local[rank])
		for i, own := range out {
			out[i] = of[own]
		}
		return out
	}), nil
}
