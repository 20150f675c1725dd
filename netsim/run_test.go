package netsim

import "context"

// run is New and Run in one.
func run(ctx context.Context, c Config, part Participant) (*Report, error) {
	n, err := New(c)
	if err != nil {
		return nil, err
	}
	return n.Run(ctx, part)
}
