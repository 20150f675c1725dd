package gmm

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	kernels "github.com/collabdict/collabdict/internal/blas"
)

// leaf is a cell of the tree of splits. Its moments are those of all
// participants' rows in it. Which rows these are follows from the cuts above it.
type leaf struct {
	sums *moments
	// part is the component of the sum under way that its rows are in, negative if
	// in none.
	part int
	// Once the halves are asked for, rows whose product with direction is below
	// edge are in low, the others in high.
	direction []float64
	edge      float64
	low, high *leaf
}

// of returns the cell that a row is in.
func (f *leaf) of(row []float64) *leaf {
	for f.low != nil {
		if kernels.Dot(f.direction, row) < f.edge {
			f = f.low
		} else {
			f = f.high
		}
	}
	return f
}

// squares is Σ ‖x − mean‖² over the leaf's rows.
func (f *leaf) squares() float64 { return mat.Trace(f.sums.spread(0)) }

// classify is a [classifier] by the part of the cell that a row is in.
func (f *leaf) classify(l *lane, x []float64) []int {
	out := l.near.assignment(len(x) / l.dim)
	for j := range out {
		out[j] = f.of(x[j*l.dim : (j+1)*l.dim]).part
	}
	return out
}

// pcaPart splits the leaf with the largest sum of squares through its mean, along
// its first principal component, until there is one leaf per component (PCA-Part,
// Su and Dy 2007), and returns the leaves' means. One sum serves for the halves
// of all leaves that could be split next.
func (s *starter) pcaPart(ctx context.Context, all *moments) (*mat.Dense, error) {
	k := s.config.Components
	root := &leaf{sums: all}
	leaves := []*leaf{root}
	for len(leaves) < k {
		worst := largest(leaves)
		if leaves[worst].low == nil {
			if err := s.halve(ctx, root, candidates(leaves, k-len(leaves))); err != nil {
				return nil, err
			}
		}
		low, high := leaves[worst].low, leaves[worst].high
		leaves[worst] = low
		leaves = append(leaves, high)
	}
	centres := mat.NewDense(k, all.dim, nil)
	for i, f := range leaves {
		centres.SetRow(i, f.sums.mean(0))
	}
	return centres, nil
}

func largest(leaves []*leaf) int {
	at := 0
	for i, f := range leaves {
		if f.squares() > leaves[at].squares() {
			at = i
		}
	}
	return at
}

// candidates returns the leaves without halves among the count leaves of largest
// sum of squares: no other leaf can be split before one of these.
func candidates(leaves []*leaf, count int) (out []*leaf) {
	left := append([]*leaf(nil), leaves...)
	for ; count > 0 && len(left) > 0; count-- {
		at := largest(left)
		if left[at].low == nil {
			out = append(out, left[at])
		}
		left = append(left[:at], left[at+1:]...)
	}
	return out
}

// halve fills low and high of the leaves of a tree. One half is summed, the other is
// the rest. The rows of an empty or single-valued leaf all stay in one half.
func (s *starter) halve(ctx context.Context, root *leaf, leaves []*leaf) error {
	for i, f := range leaves {
		values, vectors := eigen(f.sums.spread(0))
		f.direction = vectors.RawRowView(len(values) - 1)
		mean := f.sums.mean(0)
		f.edge = kernels.Dot(f.direction, mean)
		f.low, f.high = &leaf{part: i}, &leaf{part: -1}
	}
	low, err := s.momentsAndMove(ctx, root.classify, len(leaves))
	if err != nil {
		return err
	}
	for i, f := range leaves {
		f.low.part = -1
		f.low.sums = low.component(i)
		f.high.sums = f.sums.minus(f.low.sums)
		keepMean(f.low.sums, f.sums)
		keepMean(f.high.sums, f.sums)
	}
	return nil
}

// momentsAndMove is moments in one sum with a step of the candidates that move
// meanwhile.
func (s *starter) momentsAndMove(ctx context.Context, of classifier, k int) (*moments, error) {
	if s.moving == nil {
		return s.moments(ctx, of, k)
	}
	dim := s.rows.dim
	local, err := hardMoments(s.rows, of, mat.NewDense(k, dim, nil), true)
	if err != nil {
		return nil, err
	}
	moves, err := clusterSums(s.rows, s.moving)
	if err != nil {
		return nil, err
	}
	total, err := s.group.Sum(ctx, append(local.pack(), moves...), append(s.limits.moments(k), s.lloydBlocks(s.moving)...))
	if err != nil {
		return nil, err
	}
	moveCentres(s.moving, total[packedLen(k, dim, true)+len(s.moving):])
	return unpack(total, k, dim, true), nil
}

// component returns the moments of component k alone.
func (s *moments) component(k int) *moments {
	out := newMoments(1, s.dim, s.full)
	out.n[0] = s.n[k]
	copy(out.first, s.first[k*s.dim:(k+1)*s.dim])
	copy(out.second, s.second[k*s.stride():(k+1)*s.stride()])
	return out
}

func (s *moments) minus(o *moments) *moments {
	out := s.component(0)
	out.n[0] -= o.n[0]
	for i, v := range o.first {
		out.first[i] -= v
	}
	for i, v := range o.second {
		out.second[i] -= v
	}
	return out
}

// keepMean gives a half without rows its parent's mean and no spread.
func keepMean(half, parent *moments) {
	if math.Round(half.n[0]) >= 1 {
		return
	}
	half.n[0] = 0
	copy(half.first, parent.mean(0))
	clear(half.second)
}
