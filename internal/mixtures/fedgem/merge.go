package fedgem

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/passes"
)

// merge sets the clusters, which are the same at every member, and assigns the own components
// to them.
func (r *Result) merge(all gathered, own parts) error {
	of, count := r.local.superClusters(all)
	if count == 0 {
		return fmt.Errorf("last merge: no member has a component of %d rows or more", minRows)
	}
	r.Clusters = pool(all.regions, of, count)
	r.Own = make([]int, len(own.of))
	to := mat.NewDense(len(own.of), len(own.regions[0].centre), nil)
	for k, part := range own.of {
		if all.own >= 0 && of[all.own+part] >= 0 {
			r.Own[k] = of[all.own+part]
		} else {
			r.Own[k] = nearest(own.regions[part].centre, r.Clusters)
		}
		to.SetRow(k, r.Clusters[r.Own[k]].Centre)
	}
	r.local.move(to)
	r.Weights = make([]float64, count)
	rows, _ := r.local.x.Dims()
	for _, c := range r.Labels(r.local.x) {
		r.Weights[c] += 1 / float64(rows)
	}
	return nil
}

// pool returns the clusters of the given regions, from the moments of all their rows.
func pool(regions []region, of []int, count int) []Cluster {
	out := make([]Cluster, count)
	for c, centre := range centres(regions, of, count) {
		out[c].Centre = centre
	}
	for i, r := range regions {
		if of[i] < 0 {
			continue
		}
		c := &out[of[i]]
		c.Parts++
		c.Rows += r.rows
		if r.shape != nil && c.Shape == nil {
			c.Shape = make([]float64, len(r.shape))
		}
		between := 0.0
		for j, v := range r.centre {
			d := v - c.Centre[j]
			between += float64(d * d)
			for i := 0; r.shape != nil && i < len(r.centre); i++ {
				at := j*len(r.centre) + i
				c.Shape[at] += float64(r.rows * (r.shape[at] + float64(d*(r.centre[i]-c.Centre[i]))))
			}
		}
		c.Spread += float64(r.rows * (r.spread + between/float64(len(r.centre))))
	}
	for c := range out {
		out[c].Spread /= out[c].Rows
		for i := range out[c].Shape {
			out[c].Shape[i] /= out[c].Rows
		}
	}
	return out
}

// Labels returns the cluster of each row of x: the one of the most responsible own component,
// with the centres that all members found together.
func (r *Result) Labels(x *mat.Dense) []int { return Labels(r.local.mix, r.Own, x) }

// Local returns the participant's own components, with the centres of their clusters.
func (r *Result) Local() *gmm.Mixture { return r.local.mix }

// Labels returns the cluster of each row of x: the one of the most responsible component of
// local. clusters gives the cluster of each component.
func Labels(local *gmm.Mixture, clusters []int, x *mat.Dense) []int {
	rows, _ := x.Dims()
	resp := local.Responsibilities(x)
	out := make([]int, rows)
	shares := make([]float64, slices.Max(clusters)+1)
	for i := range out {
		clear(shares)
		for k, v := range resp.RawRowView(i) {
			shares[clusters[k]] += v
		}
		out[i] = floats.MaxIdx(shares)
	}
	return out
}

func nearest(x []float64, clusters []Cluster) (best int) {
	least := math.Inf(1)
	for c := range clusters {
		if d := math.Sqrt(passes.SquaredDistance(x, clusters[c].Centre)); d < least {
			best, least = c, d
		}
	}
	return best
}
