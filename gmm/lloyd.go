package gmm

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
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
	k, dim := candidates[0].Dims()
	stride := k * (1 + dim)
	lane := make([][]float64, len(r.lanes))
	err := r.sweep(func(l, _ int, x []float64) {
		if lane[l] == nil {
			lane[l] = make([]float64, len(candidates)*(1+stride))
		}
		for which, c := range candidates {
			sums := lane[l][len(candidates)+which*stride:][:stride]
			for j, to := range r.lanes[l].near.nearest(x, c) {
				row := x[j*dim : (j+1)*dim]
				lane[l][which] += squaredDistance(row, c.RawRowView(to))
				sums[to]++
				for i, v := range row {
					sums[k+i*k+to] += v
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	total := make([]float64, len(candidates)*(1+stride))
	for _, v := range lane {
		floats.Add(total, v)
	}
	return total, nil
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

// assigner finds the centres nearest to the rows of a block. Its memory is used again
// for the next one.
type assigner struct {
	half, product []float64
	out           []int
}

// nearest minimises ½‖c‖² − x·c over the centres; the lowest index wins a tie. The
// result holds until the next call.
func (s *assigner) nearest(x []float64, centres *mat.Dense) []int {
	k, dim := centres.Dims()
	rows := len(x) / dim
	s.half = slices.Grow(s.half[:0], k)[:k]
	s.product = slices.Grow(s.product[:0], rows*k)[:rows*k]
	out := s.assignment(rows)
	for i := range s.half {
		c := centres.RawRowView(i)
		s.half[i] = floats.Dot(c, c) / 2
	}
	product := blas64.General{Rows: rows, Cols: k, Stride: k, Data: s.product}
	block := blas64.General{Rows: rows, Cols: dim, Stride: dim, Data: x}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, block, centres.RawMatrix(), 0, product)
	for j := range out {
		best := math.Inf(1)
		out[j] = 0
		for i, dot := range s.product[j*k : (j+1)*k] {
			if v := s.half[i] - dot; v < best {
				best, out[j] = v, i
			}
		}
	}
	return out
}

// assignment returns room for the components of rows.
func (s *assigner) assignment(rows int) []int {
	s.out = slices.Grow(s.out[:0], rows)[:rows]
	return s.out
}

func squaredDistance(x, y []float64) (sum float64) {
	for i, v := range x {
		d := v - y[i]
		sum += float64(d * d)
	}
	return sum
}
