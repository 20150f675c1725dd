package launch

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/run/report"
)

// RunAll starts a child for each name, in the folder of that name under dir, with the arguments
// for that folder. It returns how each ended. onStatus receives the states of the children.
// onEnd receives the end of each child, and reports whether a restart would fail in the same
// way.
//
// RunAll does not restart a child. If somebody else has started a process in the folder, and
// that has finished with the others, its end counts as the member's. If a restart would not
// help, and the child has not begun the run, all children are stopped: the run cannot begin
// without it. The child's error is then returned.
func RunAll(ctx context.Context, dir string, names []string, args func(dir string) []string, onStatus func(i int, s *operate.Status), onEnd func(i int, end report.End) (hopeless bool)) ([]report.End, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ends := make([]report.End, len(names))
	children := make([]*Child, len(names))
	var running sync.WaitGroup
	for i, name := range names {
		folder := filepath.Join(dir, name)
		c, err := Start(ctx, name, folder, args(folder), func(s *operate.Status) { onStatus(i, s) })
		if err != nil {
			stop(fmt.Errorf("start %s: %w", name, err)) // unless a child has already stopped all
			running.Wait()
			return nil, context.Cause(ctx)
		}
		children[i] = c
		running.Go(func() {
			ends[i] = c.Wait()
			stopped := ctx.Err() != nil // children that end now were stopped
			if onEnd(i, ends[i]) && !stopped && !c.begun() {
				stop(ends[i].Err)
			}
		})
	}
	running.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for i, end := range ends {
		if end.Err != nil && end.Run == nil {
			if run := children[i].readReport(); run != nil {
				ends[i] = report.End{Run: run}
			}
		}
	}
	return ends, nil
}
