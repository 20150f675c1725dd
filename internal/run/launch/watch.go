package launch

import (
	"context"
	"io"
	"os"
)

// WithParent returns a context that ends when standard input ends. A process started by Start
// learns in this way that its parent is gone.
func WithParent(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	return ctx, cancel
}
