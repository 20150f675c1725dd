package clusters

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/lab/internal/variational"
)

// knownNumber runs EM on all rows in one place, for a mixture of k round clusters.
func knownNumber(clients []client, k int, seed uint64) (outcome, error) {
	f, err := gmm.Fit(trained(clients).x, k, gmm.EM{Form: gmm.Spherical}, rand.NewPCG(seed, 2))
	if err != nil {
		return outcome{}, err
	}
	return measure(clients, k, func(_ int, x *mat.Dense) []int {
		rows, _ := x.Dims()
		out, resp := make([]int, rows), f.Mixture.Responsibilities(x)
		for i := range out {
			out[i] = floats.MaxIdx(resp.RawRowView(i))
		}
		return out
	}), nil
}

// dirichlet fits the variational mixture to all rows in one place, with at most four times the
// true number of clusters.
func dirichlet(clients []client, k int, seed uint64) (outcome, error) {
	x := trained(clients).x
	f, err := variational.Fit(x, variational.Config{Components: 4 * k}, rand.NewPCG(seed, 3))
	if err != nil {
		return outcome{}, err
	}
	return measure(clients, f.Clusters(x), func(_ int, x *mat.Dense) []int { return f.Labels(x) }), nil
}

// trueCentres labels rows by the nearest true centre of the client's own clusters. Except by
// chance, no learned clustering can be better.
func trueCentres(clients []client, centres [][]float64) outcome {
	return measure(clients, len(centres), func(rank int, x *mat.Dense) []int {
		rows, _ := x.Dims()
		own, classes := [][]float64(nil), []int(nil)
		for c := range centres {
			if slices.Contains(clients[rank].train.truth, c) {
				own, classes = append(own, centres[c]), append(classes, c)
			}
		}
		out := make([]int, rows)
		for i := range out {
			at, _ := nearest(x.RawRowView(i), own)
			out[i] = classes[at]
		}
		return out
	})
}
