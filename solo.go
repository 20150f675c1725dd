package collabdict

import "context"

// Solo is a group of one participant: every sum is its own vector. It trains baselines: a
// participant alone, or all rows pooled in one place.
type Solo struct{}

var _ Group = Solo{}

// Size returns 1.
func (Solo) Size() int { return 1 }

// Sum returns a copy of x.
func (Solo) Sum(ctx context.Context, x []float64, blocks []Block) ([]float64, error) {
	if err := CheckBlocks(x, blocks); err != nil {
		return nil, err
	}
	return append([]float64(nil), x...), ctx.Err()
}

// Accumulate returns a copy of x.
func (s Solo) Accumulate(ctx context.Context, _ Running, x []float64, blocks []Block) ([]float64, error) {
	return s.Sum(ctx, x, blocks)
}

// Gather returns a copy of the blob.
func (Solo) Gather(ctx context.Context, blob []byte) ([][]byte, error) {
	return [][]byte{append([]byte(nil), blob...)}, ctx.Err()
}
