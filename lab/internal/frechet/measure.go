package frechet

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/columnstats"
)

// Heterogeneity holds the distances between the members' rows.
type Heterogeneity struct {
	// Mean is the mean of the distances of all members, the same at each.
	Mean float64
	// Own is the distance between this member's rows and those of all the others.
	Own float64
}

// Measure makes a Gather of bounds and two sums. One sum is over the number of rows, the
// columns, and the products of any two columns. This member subtracts its own part from it,
// which leaves the part of all other members. The other sum is over the distances. Members
// learn the mean and the covariance matrix of all rows, and the mean distance. They must have
// the same columns.
//
// The values of a sum have finite precision. So columns whose mean is large compared with their
// spread must be centred before; otherwise all members get the same error.
func Measure(ctx context.Context, g collabdict.Group, rows collabdict.Rows) (Heterogeneity, error) {
	b, err := columnstats.Agree(ctx, g, rows)
	if err != nil {
		return Heterogeneity{}, fmt.Errorf("frechet: %w", err)
	}
	order, blocks := layout(b)
	own, err := newStatistics(rows, order)
	if err != nil {
		return Heterogeneity{}, fmt.Errorf("frechet: %w", err)
	}
	total, err := g.Sum(ctx, collabdict.Summand{Entry: "products", Values: own, Blocks: blocks})
	if err != nil {
		return Heterogeneity{}, fmt.Errorf("frechet: sum of the products: %w", err)
	}
	if err := precise(total, order, b, g.Membership().Size); err != nil {
		return Heterogeneity{}, fmt.Errorf("frechet: %w", err)
	}
	if g.Membership().Included {
		floats.Sub(total, own)
	}
	if total[0] = math.Round(total[0]); total[0] < 1 {
		return Heterogeneity{}, fmt.Errorf("frechet: want rows at two members at least, got none but those of this one")
	}
	dim := len(order)
	var out Heterogeneity
	if out.Own, err = Distance(own.normal(dim), statistics(total).normal(dim)); err != nil {
		return Heterogeneity{}, err
	}
	out.Mean, err = mean(ctx, g, out.Own, b)
	return out, err
}

// precise returns an error if the variance of a column is below the precision of a sum.
func precise(total []float64, order []int, b columnstats.Bounds, members int) error {
	n, dim := math.Round(total[0]), len(order)
	at := 1 + dim
	for i, column := range order {
		// Below this bound, a sum is mostly the rounding of the chunks that hide its values.
		noise := math.Ldexp(float64(b.Rows*float64(b.RMS[column]*b.RMS[column])), -26) * float64(members)
		mean := total[1+i] / n
		if total[at]-float64(n*float64(mean*mean)) <= noise && total[at] > noise {
			return fmt.Errorf("want columns with a spread beside their mean, got column %d with a mean of %g and nearly none: centre it, or leave it out", column+1, mean)
		}
		at += dim - i
	}
	return nil
}

// mean returns the mean of the distances of all members. None is above 4 Σ_i RMS_i²: for
// independent X and Y with the two distributions, the distance is at most E‖X−Y‖² ≤ 2E‖X‖² +
// 2E‖Y‖².
func mean(ctx context.Context, g collabdict.Group, own float64, b columnstats.Bounds) (float64, error) {
	most := 0.0
	for _, v := range b.RMS {
		most += 4 * float64(v*v)
	}
	blocks := columnstats.AppendBlock(columnstats.AppendBlock(nil, 1, 1), 1, most)
	total, err := g.Sum(ctx, collabdict.Summand{Entry: "distances", Values: []float64{1, math.Min(own, most)}, Blocks: blocks})
	if err != nil {
		return 0, fmt.Errorf("frechet: sum of the distances: %w", err)
	}
	return math.Max(0, total[1]) / math.Round(total[0]), nil
}
