package gmm

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/bounds"
)

// lloyd improves all candidates side by side, one sum a step, and returns the one
// whose rows were nearest to its centres in the last step.
func (s *starter) lloyd(ctx context.Context, candidates []*mat.Dense, steps int) (*mat.Dense, error) {
	var squares []float64
	for range steps {
		local, err := clusterSums(s.rows, candidates)
		if err != nil {
			return nil, err
		}
		total, err := s.group.Sum(ctx, local, s.lloydBlocks(candidates))
		if err != nil {
			return nil, err
		}
		squares = total[:len(candidates)]
		moveCentres(candidates, total[len(candidates):])
	}
	return candidates[floats.MinIdx(squares)], nil
}

// lloydBlocks bounds clusterSums: the squares to the nearest centre are at most
// those to any one of them.
func (s *starter) lloydBlocks(candidates []*mat.Dense) (blocks []collabdict.Block) {
	for _, c := range candidates {
		k, _ := c.Dims()
		least := math.Inf(1)
		for i := range k {
			least = math.Min(least, s.limits.squares(c.RawRowView(i)))
		}
		blocks = bounds.Append(blocks, 1, least)
	}
	for range candidates {
		blocks = bounds.Append(blocks, s.config.Components, s.limits.Rows)
		for _, v := range s.limits.RMS {
			blocks = bounds.Append(blocks, s.config.Components, s.limits.Rows*v)
		}
	}
	return blocks
}

// clusterSums returns per candidate the sum of squares to the nearest centre, and
// then per candidate the rows of each centre and, per column, their sums.
func clusterSums(r *reader, candidates []*mat.Dense) ([]float64, error) {
	stacked := stack(candidates)
	lane := make([][]cluster, len(r.lanes))
	err := r.sweep(func(l, _ int, x []float64) {
		if lane[l] == nil {
			lane[l] = newClusters(candidates)
		}
		near := &r.lanes[l].near
		near.multiply(x, stacked)
		for which, c := range candidates {
			lane[l][which].add(x, near.nearest(stacked, which), c)
		}
	})
	if err != nil {
		return nil, err
	}
	total := newClusters(candidates)
	for _, some := range lane {
		for which := range some {
			total[which].merge(&some[which])
		}
	}
	return packClusters(total), nil
}

// cluster is the sums of one candidate.
type cluster struct {
	squares float64   // to the nearest centre
	n       []float64 // K
	first   []float64 // K by M
}

func newClusters(candidates []*mat.Dense) []cluster {
	out := make([]cluster, len(candidates))
	for i, c := range candidates {
		k, dim := c.Dims()
		out[i] = cluster{n: make([]float64, k), first: make([]float64, k*dim)}
	}
	return out
}

// add adds rows, row j to centre to[j].
func (s *cluster) add(x []float64, to []int, centres *mat.Dense) {
	dim := len(s.first) / len(s.n)
	for j, k := range to {
		row := x[j*dim : (j+1)*dim]
		s.squares += squaredDistance(row, centres.RawRowView(k))
		s.n[k]++
		floats.Add(s.first[k*dim:(k+1)*dim], row)
	}
}

func (s *cluster) merge(o *cluster) {
	s.squares += o.squares
	floats.Add(s.n, o.n)
	floats.Add(s.first, o.first)
}

// packClusters puts what shares a bound together, as lloydBlocks has it.
func packClusters(all []cluster) (out []float64) {
	for _, s := range all {
		out = append(out, s.squares)
	}
	for _, s := range all {
		out = append(out, s.n...)
		dim := len(s.first) / len(s.n)
		for i := range dim {
			for k := range s.n {
				out = append(out, s.first[k*dim+i])
			}
		}
	}
	return out
}

// moveCentres moves every centre with a row to the mean of its rows.
func moveCentres(candidates []*mat.Dense, sums []float64) {
	for _, c := range candidates {
		k, dim := c.Dims()
		for near := range k {
			n := math.Round(sums[near])
			for i := 0; n >= 1 && i < dim; i++ {
				c.Set(near, i, sums[k+i*k+near]/n)
			}
		}
		sums = sums[k*(1+dim):]
	}
}
