package ggm

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm/internal/guard"
	"github.com/collabdict/collabdict/gmm/internal/passes"
	"github.com/collabdict/collabdict/gmm/privacy"
	kernels "github.com/collabdict/collabdict/internal/kernels/blas"
	"github.com/collabdict/collabdict/internal/kernels/mixture"
)

// leaf is a cell of the tree of splits. Rows belong to a cell, and to each of its halves, by a
// degree between 0 and 1. The moments are those of all participants' rows, weighted by these
// degrees.
type leaf struct {
	sums   *passes.Moments
	parent *leaf
	// Once the leaf has halves, a row belongs to low by the degree half((edge −
	// direction·x)/width), and to high by the rest.
	direction   []float64
	edge, width float64
	low, high   *leaf
	// noLow means that no own row counts in low, because too few would; noHigh likewise for high.
	noLow, noHigh bool
}

// degree returns the degree by which a row belongs to the cell.
func (f *leaf) degree(row []float64) float64 {
	p := f.parent
	if p == nil {
		return 1
	}
	var low float64
	switch {
	case p.noLow:
	case p.noHigh:
		low = 1
	default:
		low = half((p.edge - kernels.Dot(p.direction, row)) / p.width)
	}
	if f == p.high {
		low = 1 - low
	}
	return float64(low * p.degree(row))
}

// half returns the logistic function, which rises from 0 to 1 and is ½ at 0.
func half(v float64) float64 {
	e := mixture.Exp(-math.Abs(v))
	if v > 0 {
		return 1 / (1 + e)
	}
	return e / (1 + e)
}

// cutWidth is the width of a cut, in standard deviations of the leaf's rows along its
// direction. The halves of a normal distribution, modelled as two normal distributions of the
// same variance, overlap by this width: (1 − 2/π)/√(8/π).
const cutWidth = 0.228

// squares returns Σ ‖x − mean‖² over the leaf's rows.
func (f *leaf) squares() float64 { return mat.Trace(f.sums.Spread(0)) }

// pcaPart repeatedly splits the leaf with the largest sum of squares through its mean, along
// its first principal component, until there is one leaf per component (PCA-Part, Su and Dy
// 2007). It returns the leaves' means at each number of leaves in sizes. One sum covers the
// halves of all leaves that could be split next.
func (s *starter) pcaPart(ctx context.Context, all *whole, sizes []int) (map[int]*mat.Dense, error) {
	k := slices.Max(sizes)
	out := map[int]*mat.Dense{}
	root := &leaf{sums: all.Moments}
	leaves := []*leaf{root}
	for {
		if slices.Contains(sizes, len(leaves)) {
			out[len(leaves)] = means(leaves, all.Dim)
		}
		if len(leaves) >= k {
			return out, nil
		}
		worst := largest(leaves)
		if leaves[worst].low == nil {
			if err := s.halve(ctx, candidates(leaves, k-len(leaves))); err != nil {
				return nil, err
			}
		}
		low, high := leaves[worst].low, leaves[worst].high
		leaves[worst] = low
		leaves = append(leaves, high)
	}
}

func means(leaves []*leaf, dim int) *mat.Dense {
	centres := mat.NewDense(len(leaves), dim, nil)
	for i, f := range leaves {
		centres.SetRow(i, f.sums.Mean(0))
	}
	return centres
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

// candidates returns the leaves without halves among the count leaves of largest sum of
// squares. No other leaf can be split before one of these.
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

// halve computes low and high of the given leaves. It sums one half; the other is the rest.
func (s *starter) halve(ctx context.Context, leaves []*leaf) error {
	for _, f := range leaves {
		values, vectors := eigen(f.sums.Spread(0))
		f.direction = vectors.RawRowView(len(values) - 1)
		f.edge = kernels.Dot(f.direction, f.sums.Mean(0))
		f.width = cutWidth * math.Sqrt(math.Max(values[len(values)-1], 0)/math.Max(f.sums.N[0], 1))
		if f.width == 0 {
			f.width = 1
		}
		f.low, f.high = &leaf{parent: f}, &leaf{parent: f}
	}
	low, err := s.sumLow(ctx, leaves)
	if err != nil {
		return err
	}
	for i, f := range leaves {
		f.low.sums = low.Component(i)
		f.high.sums = f.sums.Minus(f.low.sums)
		keepMean(f.low.sums, f.sums)
		keepMean(f.high.sums, f.sums)
	}
	return nil
}

// lowMoments returns the moments of the low halves of the leaves.
func lowMoments(r *passes.Reader, leaves []*leaf) (*passes.Moments, error) {
	model := mixture.NewModel(len(leaves), r.Dim, true)
	sums, err := r.Weighted(model, nil, func(w *mixture.Workspace, _ int, x []float64) {
		w.Weigh(x, func(k int, weights []float64) {
			for j := range weights {
				weights[j] = leaves[k].low.degree(x[j*r.Dim : (j+1)*r.Dim])
			}
		})
	})
	if err != nil {
		return nil, err
	}
	out := passes.NewMoments(len(leaves), r.Dim, true)
	out.Set(sums)
	return out, nil
}

// sumLow returns the total of lowMoments over all participants.
func (s *starter) sumLow(ctx context.Context, leaves []*leaf) (*passes.Moments, error) {
	local, err := guard.Apart(s.config.Diversity, len(leaves), 2, func(without []bool) (*passes.Moments, []privacy.Shares, error) {
		for i, f := range leaves {
			f.noLow, f.noHigh = without != nil && without[2*i], without != nil && without[2*i+1]
		}
		low, err := lowMoments(s.rows, leaves)
		if without == nil || err != nil {
			return low, nil, err
		}
		shares, err := halfShares(s.rows, leaves)
		return low, shares, err
	})
	if err != nil {
		return nil, err
	}
	x, blocks := local.Pack(), s.limits.Moments(len(leaves), true)
	s.blur.Add(x, blocks, s.vector(), false)
	total, err := s.group.Sum(ctx, x, blocks)
	if err != nil {
		return nil, err
	}
	return passes.Unpack(total, len(leaves), s.rows.Dim, true), nil
}

// halfShares returns how the own rows share in the low and the high half of each leaf.
func halfShares(r *passes.Reader, leaves []*leaf) ([]privacy.Shares, error) {
	lanes := make([]*passes.Tally, r.Lanes())
	for l := range lanes {
		lanes[l] = passes.NewTally(2 * len(leaves))
	}
	err := r.Sweep(func(lane, _ int, x []float64) {
		for ; len(x) > 0; x = x[r.Dim:] {
			for i, f := range leaves {
				lanes[lane].Add(2*i, f.low.degree(x[:r.Dim]))
				lanes[lane].Add(2*i+1, f.high.degree(x[:r.Dim]))
			}
		}
	})
	for _, t := range lanes[1:] {
		lanes[0].Merge(t)
	}
	return lanes[0].Shares(), err
}

// keepMean gives a half without rows its parent's mean and no spread.
func keepMean(half, parent *passes.Moments) {
	if math.Round(half.N[0]) >= 1 {
		return
	}
	half.N[0] = 0
	copy(half.First, parent.Mean(0))
	clear(half.Second)
}
