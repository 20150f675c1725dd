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
	"github.com/collabdict/collabdict/gmm/privacy"
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
		return nil, fmt.Errorf("clusters: want %d (the most of one participant) to %d (those of all participants), got %d: change the local number", most, len(all), k)
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

// Config steers [Cluster]. All members use the same.
type Config struct {
	// Local is the number of clusters of each participant's own, Clusters that of all.
	Local, Clusters int
	// MinRows is the fewest rows that a cluster may be of whose centre is published;
	// those of fewer are merged into others. 0 means [privacy.MinRows]; with 1 clusters
	// are as they were found, as in the paper.
	MinRows int
}

// Cluster is k-FED at one participant: local centres of the rows of x, one Gather,
// and as many merged centres as wanted, the same at all members. Who is lost before it
// has published is left out. It returns an error for fewer rows than a cluster may be
// of. few is how many own clusters were, and have been merged into others.
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
	blobs, err := g.Gather(ctx, blob)
	if err != nil {
		return nil, 0, fmt.Errorf("gather centres: %w", err)
	}
	var all []*mat.Dense
	gathered := 0
	for s, blob := range blobs {
		if blob == nil { // not in the view
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

// FewError says that participants have published fewer centres together than clusters
// are wanted.
type FewError struct{ Centres, Clusters, MinRows int }

func (e *FewError) Error() string {
	return fmt.Sprintf("want at least %d centres of clusters of %d rows or more from all participants together, got %d: ask for fewer clusters, or add rows", e.Clusters, e.MinRows, e.Centres)
}
