package kfed

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/privacy"
)

// Merge merges the participants' centres into k by Algorithm 2 of Dennis et al. 2021. It takes
// all centres of the participant that has the most, then repeatedly the centre farthest from
// those taken, until it has k. One step of Lloyd's algorithm over all centres follows. In a tie
// the first centre wins.
func Merge(local []*mat.Dense, k int) (*mat.Dense, error) {
	var all [][]float64
	most, at := 0, 0 // the participant with the most centres, and the index of its first one
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
		return nil, fmt.Errorf("clusters: want %d (the most of one participant) to %d (those of all participants), got %d: change the local number", most, len(all), k)
	}
	taken := append([][]float64(nil), all[at:at+most]...)
	for len(taken) < k {
		taken = append(taken, all[farthest(all, taken)])
	}
	return step(all, taken), nil
}

// farthest returns the index of the centre that is farthest from its nearest taken centre.
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

// step returns, for each taken centre, the mean of the centres nearest to it.
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
		if n == 0 { // a copy of an earlier taken centre
			copy(row, taken[i])
			continue
		}
		for j := range row {
			row[j] /= n
		}
	}
	return out
}

// Entry names the centres that members show each other.
const Entry collabdict.Entry = "centres"

// Config holds the settings of [Cluster]. All members use the same.
type Config struct {
	// Local is the number of clusters per participant, Clusters the number of shared ones.
	Local, Clusters int
	// MinRows is the smallest number of rows of a cluster whose centre is published; smaller
	// clusters are merged into others. 0 means [privacy.MinRows]. With 1, all clusters are
	// published as found, as in the paper.
	MinRows int
}

// Cluster runs k-FED at one participant: it clusters the rows of x, gathers all members'
// centres once and merges them. All members get the same c.Clusters centres. A member that is
// lost before it has published is left out. few is the number of own clusters that were too
// small and were merged into others. It is an error if x has fewer rows than the smallest
// cluster may have.
func Cluster(ctx context.Context, g collabdict.Group, x *mat.Dense, c Config, src rand.Source) (centres *mat.Dense, few int, err error) {
	rows, dim := x.Dims()
	least := cmp.Or(c.MinRows, privacy.MinRows)
	switch {
	case c.Local < 1 || c.Local > c.Clusters || c.Clusters > maxCentres || dim > maxDim:
		return nil, 0, fmt.Errorf("clusters: want a local number from 1 to the shared number, and at most %d clusters of at most %d columns, got %d and %d of %d columns", maxCentres, maxDim, c.Local, c.Clusters, dim)
	case least < 1 || rows < least:
		return nil, 0, fmt.Errorf("rows: want at least %d, the smallest size of a cluster, which is at least 1, got %d", least, rows)
	}
	own := Local(x, c.Local, src)
	if least > 1 {
		own, _, few = withoutFew(x, own, least)
	}
	blob, err := encode(own)
	if err != nil {
		return nil, 0, fmt.Errorf("own centres: %w", err)
	}
	blobs, err := g.Gather(ctx, Entry, blob)
	if err != nil {
		return nil, 0, fmt.Errorf("gather centres: %w", err)
	}
	var all []*mat.Dense
	gathered := 0
	for s, blob := range blobs {
		if blob == nil { // member is not in the view
			continue
		}
		one, err := decode(blob, dim, c.Clusters)
		if err != nil {
			return nil, 0, fmt.Errorf("centres of member %d of %d: %w", s+1, len(blobs), err)
		}
		all = append(all, one)
		gathered += one.RawMatrix().Rows
	}
	if gathered < c.Clusters {
		return nil, 0, &FewError{Centres: gathered, Clusters: c.Clusters, MinRows: least}
	}
	centres, err = Merge(all, c.Clusters)
	return centres, few, err
}

// A FewError means that all participants together published fewer centres than the requested
// clusters.
type FewError struct{ Centres, Clusters, MinRows int }

func (e *FewError) Error() string {
	return fmt.Sprintf("want at least %d centres of clusters of %d rows or more from all participants together, got %d: ask for fewer clusters, or add rows", e.Clusters, e.MinRows, e.Centres)
}
