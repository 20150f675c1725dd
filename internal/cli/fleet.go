package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/collabdict/collabdict/internal/run/launch"
	"github.com/collabdict/collabdict/internal/run/report"
)

// fleet merges the output of many nodes: the progress of the first node that still runs, and
// from the others only unusual lines, each once.
type fleet struct {
	*progress
	dir   string
	names []string

	mu    sync.Mutex
	gone  map[int]bool
	told  map[string]time.Time // time of the last print, by line without its durations
	round int                  // last round shown
}

// say shows a line of a node if it is of interest.
func (f *fleet) say(i int, line string) {
	line = unstamped(line)
	f.mu.Lock()
	defer f.mu.Unlock()
	speaks := true
	for j := range i {
		speaks = speaks && f.gone[j]
	}
	var round int
	_, err := fmt.Sscanf(line, "round %d/", &round)
	switch {
	case err == nil:
		if speaks && round > f.round {
			f.round = round
			f.show(f.names[i] + ": " + line)
		}
	case speaks && strings.HasPrefix(line, "sum "):
		f.show(f.names[i] + ": " + line)
	case (speaks && !kept(line) || unusual(line)) && f.news(line):
		f.line(f.names[i] + ": " + line)
	}
}

var (
	durations = regexp.MustCompile(`\b\d[\dhmnµ.]*s\b`)
	shares    = regexp.MustCompile(`^sum .* MB; `)
)

// news reports whether a line was not shown a short while ago.
func (f *fleet) news(line string) bool {
	if f.told == nil {
		f.told = map[string]time.Time{}
	}
	key, now := durations.ReplaceAllString(shares.ReplaceAllString(line, ""), ""), time.Now()
	last, before := f.told[key]
	if before && (known(line) || now.Sub(last) < sayEvery/2) {
		return false
	}
	f.told[key] = now
	return true
}

// ended shows how to bring back a node that was killed. It reports whether the node, by its own
// error, would fail in the same way again.
func (f *fleet) ended(i int, end report.End) (hopeless bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gone == nil {
		f.gone = map[int]bool{}
	}
	f.gone[i] = true
	var child *launch.ChildError
	if !errors.As(end.Err, &child) {
		return false
	}
	if child.Killed {
		f.line(fmt.Sprintf("%s; collabdict run --dir %s brings it back", child, filepath.Join(f.dir, f.names[i])))
	}
	return !child.Killed && hearsay(child) == 0
}

// kept reports whether a line belongs only in the node's log, or comes again at the end.
func kept(line string) bool {
	return strings.Contains(line, "]  node: ") || strings.HasPrefix(line, "warning:") && !known(line)
}

// known reports whether a line says what all members now know about one of them. Such a line is
// shown at once, and only once.
func known(line string) bool {
	return strings.HasPrefix(line, "warning: privacy: ") && strings.Contains(line, "known to all members")
}

// unusual reports whether a line is of interest from any node.
func unusual(line string) bool {
	line = shares.ReplaceAllString(line, "")
	return slices.ContainsFunc([]string{"waiting for", "paused", "resumed:", "error:", "the model of", "the members have changed", "warning: the agreement has changed"}, func(prefix string) bool {
		return strings.HasPrefix(line, prefix)
	})
}
