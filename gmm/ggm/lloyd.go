package ggm

import (
	"cmp"
	"context"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/columnstats"
)

// lloyd improves all clusterings side by side, with one sum per step. For each number of
// centres it returns the clustering with the smallest sum of squares within clusters after the
// last step.
func (s *starter) lloyd(ctx context.Context, all *whole, of [][]*clustering, steps int) (map[int]*clustering, error) {
	var blocks []collabdict.Block
	parts := make([][]collabdict.Block, len(of))
	checks := make([]*columnstats.SameRows, len(of))
	for i, same := range of {
		parts[i] = s.limits.clusterBlocks(nil, len(same), same[0].k())
		blocks = append(blocks, parts[i]...)
		checks[i] = columnstats.NewSameRows(s.carrier, s.limits.Bounds, s.known, same[0].k())
	}
	for range steps {
		var local []float64
		for _, same := range of {
			own, err := clusterSums(s.rows, same, s.config.Diversity)
			if err != nil {
				return nil, err
			}
			local = append(local, own...)
		}
		s.blur.Add(local, blocks, s.vector(), true)
		total, err := s.group.Accumulate(ctx, s.clusters(of), local, blocks)
		if err != nil {
			return nil, err
		}
		for i, same := range of {
			if err := checks[i].Check(total, parts[i]); err != nil {
				return nil, err
			}
			total = moveAll(same, total, all)
		}
	}
	best := map[int]*clustering{}
	for _, same := range of {
		best[same[0].k()] = slices.MaxFunc(same, func(a, b *clustering) int { return cmp.Compare(a.between, b.between) })
	}
	return best, nil
}

// clusters returns the running total of the steps of clusterings.
func (s *starter) clusters(of [][]*clustering) collabdict.Running {
	r := s.known.Running(clustersKey, 1, nil, columnstats.NoProducts, 0)
	r.Begin = func(from []float64) (out []float64) {
		for _, same := range of {
			one := s.known.Running(clustersKey, same[0].k(), nil, columnstats.NoProducts, 0).Begin(from)
			out = append(out, slices.Repeat(one, len(same))...)
		}
		return out
	}
	return r
}
