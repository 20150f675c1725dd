package launch

import (
	"context"
	"io"
	"os"
)

// WithParent returns a context that ends when standard input does, which is how a
// process that Start has started learns that its parent is gone.
func WithParent(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	return ctx, cancel
}
