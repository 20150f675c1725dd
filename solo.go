package collabdict

import "context"

// Solo is a group of one participant: every sum is its own vector. It trains baselines: a
// participant alone, or all rows pooled in one place.
type Solo struct{ Whole }

var _ Group = Solo{}

// Membership returns that of one participant, who is always there.
func (Solo) Membership() Membership {
	return Membership{Size: 1, Alone: true, Included: true, Steady: true}
}

// Sum returns a copy of the values.
func (Solo) Sum(ctx context.Context, s Summand) ([]float64, error) {
	if err := CheckBlocks(s.Values, s.Blocks); err != nil {
		return nil, err
	}
	return append([]float64(nil), s.Values...), ctx.Err()
}

// Gather returns a copy of the blob.
func (Solo) Gather(ctx context.Context, _ Entry, blob []byte) ([][]byte, error) {
	return [][]byte{append([]byte(nil), blob...)}, ctx.Err()
}
