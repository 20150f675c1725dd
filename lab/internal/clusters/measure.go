package clusters

import (
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/numeric/metrics"
)

// outcome measures a clustering on rows outside its training.
type outcome struct {
	// Own is the mean over clients of the adjusted Rand index of a client's rows. All is the
	// index of the rows of all clients, under the same clusters.
	Own, All float64
	// Silhouette is the mean over clients of the silhouette of a client's rows. It is 0 for a
	// client whose rows are all in one cluster.
	Silhouette float64
	Clusters   int
}

// measure labels the test rows of every client by the k clusters found.
func measure(clients []client, k int, label func(rank int, x *mat.Dense) []int) outcome {
	out := outcome{Clusters: k}
	var truth, all []int
	for rank, c := range clients {
		labels := label(rank, c.test.x)
		truth, all = append(truth, c.test.truth...), append(all, labels...)
		out.Own += metrics.ARI(c.test.truth, labels) / float64(len(clients))
		if s, ok := metrics.Silhouette(c.test.x, labels, 0); ok {
			out.Silhouette += s / float64(len(clients))
		}
	}
	out.All = metrics.ARI(truth, all)
	return out
}
