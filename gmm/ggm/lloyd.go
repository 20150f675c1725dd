package ggm

import "context"

// lloyd improves all clusterings side by side, one sum a step, and returns the one with
// the least squares within clusters after the last step.
func (s *starter) lloyd(ctx context.Context, all *whole, of []*clustering, steps int) (*clustering, error) {
	for range steps {
		local, err := clusterSums(s.rows, of)
		if err != nil {
			return nil, err
		}
		total, err := s.group.Sum(ctx, local, s.limits.clusterBlocks(nil, len(of), s.config.Components))
		if err != nil {
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
