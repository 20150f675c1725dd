package local

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/collabdict/collabdict/internal/report"
)

// RunAll starts a child for each name, whose folder is the name under dir, with
// the arguments for that folder, and returns how each ended. onLine is given each
// line that a child says on standard error, and onEnd how it has ended. A child
// that ends is not started again; if a process that somebody else has started in
// its folder has finished with the others, that is how the member has ended.
func RunAll(ctx context.Context, dir string, names []string, args func(dir string) []string, onLine func(i int, line string), onEnd func(i int, end report.End)) ([]report.End, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ends := make([]report.End, len(names))
	children := make([]*Child, len(names))
	var running sync.WaitGroup
	for i, name := range names {
		folder := filepath.Join(dir, name)
		c, err := Start(ctx, name, folder, args(folder), func(line string) { onLine(i, line) })
		if err != nil {
			stop()
			running.Wait()
			return nil, fmt.Errorf("start %s: %w", name, err)
		}
		children[i] = c
		running.Go(func() {
			ends[i] = c.Wait()
			onEnd(i, ends[i])
		})
	}
	running.Wait()
	for i, end := range ends {
		if end.Err != nil && end.Run == nil {
			if run := children[i].readReport(); run != nil {
				ends[i] = report.End{Run: run}
			}
		}
	}
	return ends, nil
}
