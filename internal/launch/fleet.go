package launch

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/collabdict/collabdict/internal/report"
)

// RunAll starts a child for each name, whose folder is the name under dir, with
// the arguments for that folder, and returns how each ended. onLine is given each
// line that a child says on standard error, and onEnd how it has ended, which says
// whether it could not do better if started again. A child that ends is not started
// again; if a process that somebody else has started in its folder has finished with
// the others, that is how the member has ended. One that could not do better and has
// not begun the run, which cannot begin without it, is the end of all, and its error is
// returned.
func RunAll(ctx context.Context, dir string, names []string, args func(dir string) []string, onLine func(i int, line string), onEnd func(i int, end report.End) (hopeless bool)) ([]report.End, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ends := make([]report.End, len(names))
	children := make([]*Child, len(names))
	var running sync.WaitGroup
	for i, name := range names {
		folder := filepath.Join(dir, name)
		c, err := Start(ctx, name, folder, args(folder), func(line string) { onLine(i, line) })
		if err != nil {
			stop(fmt.Errorf("start %s: %w", name, err)) // unless a child has stopped all before
			running.Wait()
			return nil, context.Cause(ctx)
		}
		children[i] = c
		running.Go(func() {
			ends[i] = c.Wait()
			stopped := ctx.Err() != nil // what is ended now says nothing
			if !stopped && onEnd(i, ends[i]) && !c.begun() {
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
