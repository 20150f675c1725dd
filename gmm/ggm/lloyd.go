package ggm

import (
	"context"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/columnstats"
)

// lloyd improves all clusterings side by side, one sum a step, and returns the one with
// the least squares within clusters after the last step.
func (s *starter) lloyd(ctx context.Context, all *whole, of []*clustering, steps int) (*clustering, error) {
	blocks := s.limits.clusterBlocks(nil, len(of), s.config.Components)
	same := columnstats.NewSameRows(s.carrier, s.limits.Bounds, s.known, s.config.Components)
	for range steps {
		local, err := clusterSums(s.rows, of)
		if err != nil {
			return nil, err
		}
		total, err := s.group.Accumulate(ctx, s.clusters(len(of)), local, blocks)
		if err != nil {
			return nil, err
		}
		if err := same.Check(total, blocks); err != nil {
			return nil, err
		}
		moveAll(of, total, all)
	}
	best := of[0]
	for _, c := range of {
		if c.between > best.between {
			best = c
		}
	}
	return best, nil
}

// clusters returns the running total of the steps of so many clusterings.
func (s *starter) clusters(clusterings int) collabdict.Running {
	one := s.known.Running(clustersKey, s.config.Components, nil, columnstats.NoProducts, 0)
	each := one
	each.Begin = func(from []float64) []float64 { return slices.Repeat(one.Begin(from), clusterings) }
	return each
}
