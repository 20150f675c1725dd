package local

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/collabdict/collabdict/internal/report"
)

// endTogether is how long the others have to end by themselves once a child has
// failed: enough to find a lost member.
const endTogether = 90 * time.Second

// RunAll starts a child for each name, whose folder is the name under dir, with
// the arguments for that folder, and returns how each ended. onLine is given each
// line that a child says on standard error. Children that still run long after
// another has failed are asked to stop.
func RunAll(ctx context.Context, dir string, names []string, args func(dir string) []string, onLine func(i int, line string)) ([]report.End, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ends := make([]report.End, len(names))
	var running sync.WaitGroup
	for i, name := range names {
		folder := filepath.Join(dir, name)
		c, err := Start(ctx, name, folder, args(folder), func(line string) { onLine(i, line) })
		if err != nil {
			stop()
			running.Wait()
			return nil, fmt.Errorf("start %s: %w", name, err)
		}
		running.Go(func() {
			if ends[i] = c.Wait(); ends[i].Err != nil {
				time.AfterFunc(endTogether, stop)
			}
		})
	}
	running.Wait()
	return ends, nil
}
