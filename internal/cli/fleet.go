package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/run/launch"
	"github.com/collabdict/collabdict/internal/run/report"
)

// fleet shows the states of many nodes: all that the first node that still runs reports, and from
// the others only lines about the run, each once.
type fleet struct {
	*screen
	dir   string
	names []string
	page  *operate.Page // of the first node that still runs; nil if nobody reads it

	mu        sync.Mutex
	reporters []*operate.Reporter
	gone      []bool
	told      map[string]telling // by key
}

// telling is the last time that a line was shown, and the node that it came from.
type telling struct {
	node int
	last time.Time
}

func newFleet(s *screen, verbose bool, dir string, names []string) *fleet {
	f := &fleet{screen: s, dir: dir, names: names, gone: make([]bool, len(names)), told: map[string]telling{}}
	for range names {
		f.reporters = append(f.reporters, operate.NewReporter(s.terminal != nil, verbose))
	}
	return f
}

// next shows the next status of a node.
func (f *fleet) next(i int, s *operate.Status) {
	f.mu.Lock()
	defer f.mu.Unlock()
	speaks := true
	for _, gone := range f.gone[:i] {
		speaks = speaks && gone
	}
	if speaks {
		f.page.Next(s)
	}
	for _, l := range f.reporters[i].Next(s) {
		if (speaks || l.Common) && f.news(i, l, s.At) {
			l.Text = f.names[i] + ": " + l.Text
			f.show(l)
		}
	}
}

// sameFor is how long nodes report the same state of the run one after the other.
const sameFor = 5 * time.Second

// news reports whether no other node has said the same. A line about the present may be said again
// later.
func (f *fleet) news(i int, l operate.Line, now time.Time) bool {
	if l.Key == "" {
		return true
	}
	before, said := f.told[l.Key]
	if said && before.node != i && (!l.Present || now.Sub(before.last) < sameFor) {
		return false
	}
	f.told[l.Key] = telling{i, now}
	return true
}

// ended shows how a node has failed, and how to bring back one that was killed. It reports whether
// the node, by its own error, would fail in the same way again.
func (f *fleet) ended(i int, end report.End) (hopeless bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gone[i] = true
	var child *launch.ChildError
	if !errors.As(end.Err, &child) {
		return false
	}
	again := "collabdict run --dir " + filepath.Join(f.dir, f.names[i])
	switch {
	case child.Killed:
		f.line(fmt.Sprintf("%s; %s brings it back", child, again))
		return false
	case child.Code != interrupted.name:
		f.line(fmt.Sprintf("%s: error: %s", child.Name, child.Message))
	}
	if end.Run != nil {
		f.line(fmt.Sprintf("%s: the model of round %d is saved; %s resumes the run", child.Name, end.Run.Rounds, again))
	}
	return hearsay(child) == 0
}
