package kfed

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
)

// Merge puts the participants' centres together to k by Algorithm 2 of Dennis et al.
// 2021: all centres of one participant, the one with the most; the centre farthest from
// those taken, until there are k; then one step of Lloyd's algorithm over all centres.
// A tie goes to the first.
func Merge(local []*mat.Dense, k int) (*mat.Dense, error) {
	var all [][]float64
	most, at := 0, 0 // the participant with the most centres, and where they begin
	for _, centres := range local {
		n, _ := centres.Dims()
		if n > most {
			most, at = n, len(all)
		}
		for i := range n {
			all = append(all, centres.RawRowView(i))
		}
	}
	if k < most || k > len(all) {
		return nil, fmt.Errorf("clusters: want from %d, the most of one participant, to the %d of all, got %d: change the local number", most, len(all), k)
	}
	taken := append([][]float64(nil), all[at:at+most]...)
	for len(taken) < k {
		taken = append(taken, all[farthest(all, taken)])
	}
	return step(all, taken), nil
}

// farthest returns the index of the centre with the largest distance to the nearest of
// those taken.
func farthest(all, taken [][]float64) int {
	at, most := 0, -1.0
	for i, c := range all {
		if _, d := nearest(c, taken); d > most {
			at, most = i, d
		}
	}
	return at
}

func nearest(c []float64, among [][]float64) (at int, distance float64) {
	distance = math.Inf(1)
	for i, other := range among {
		if d := squared(c, other); d < distance {
			at, distance = i, d
		}
	}
	return at, distance
}

// step returns the means of the centres that are nearest to each of those taken.
func step(all, taken [][]float64) *mat.Dense {
	out := mat.NewDense(len(taken), len(all[0]), nil)
	counts := make([]float64, len(taken))
	for _, c := range all {
		to, _ := nearest(c, taken)
		floats.Add(out.RawRowView(to), c)
		counts[to]++
	}
	for i, n := range counts {
		row := out.RawRowView(i)
		if n == 0 { // a copy of one taken before
			copy(row, taken[i])
			continue
		}
		for j := range row {
			row[j] /= n
		}
	}
	return out
}

// Cluster is k-FED at one participant: local centres of the rows of x, one Gather,
// and k merged centres, the same at all members. Who is lost before it has published
// is left out.
func Cluster(ctx context.Context, g collabdict.Group, x *mat.Dense, local, k int, src rand.Source) (*mat.Dense, error) {
	if rows, dim := x.Dims(); local < 1 || local > k || k > maxCentres || rows < 1 || dim > maxDim {
		return nil, fmt.Errorf("clusters: want a local number from 1 to that of all, and at most %d of at most %d columns, got %d and %d of %d columns", maxCentres, maxDim, local, k, dim)
	}
	blob, err := encode(Local(x, local, src))
	if err != nil {
		return nil, fmt.Errorf("own centres: %w", err)
	}
	blobs, err := g.Gather(ctx, blob)
	if err != nil {
		return nil, fmt.Errorf("gather centres: %w", err)
	}
	_, dim := x.Dims()
	var all []*mat.Dense
	for s, blob := range blobs {
		if blob == nil { // not in the view
			continue
		}
		centres, err := decode(blob, dim, k)
		if err != nil {
			return nil, fmt.Errorf("centres of member %d of %d: %w", s+1, len(blobs), err)
		}
		all = append(all, centres)
	}
	return Merge(all, k)
}
