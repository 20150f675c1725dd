package cli

import (
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/collabdict/collabdict/internal/journal/ledger"
	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/node"
)

// monitor tracks the state of a participant's process, and reports it to clients.
type monitor struct {
	dir   string
	logs  *logs
	began time.Time

	mu     sync.Mutex
	phase  operate.Phase
	since  time.Time
	name   string
	model  string
	round  int
	rounds int
	pace   time.Duration
	joins  *node.Status // last status while joining
	node   *node.Node
}

func newMonitor(dir, name string, l *logs) *monitor {
	now := l.now()
	return &monitor{dir: dir, name: name, logs: l, began: now, phase: operate.Loading, since: now}
}

// serve serves the status over HTTP on the socket of the folder, and its public part at the
// address if one is given. This process holds the folder until the returned function is called.
func (m *monitor) serve(address string, say func(line string)) (stop func(), err error) {
	folder, err := operate.Hold(m.dir)
	if err != nil {
		return nil, err
	}
	if err := folder.Serve(operate.Handler(m.status, m.whole)); err != nil {
		say("warning: no status in " + m.dir + ": " + err.Error())
	}
	release := func() { _ = folder.Release() } // the next process replaces any leftover
	if address == "" {
		return release, nil
	}
	at, closeTCP, err := operate.ServeTCP(address, operate.Handler(m.status, func() *operate.Status { return m.whole().Public() }))
	if err != nil {
		release()
		return nil, &usageError{fmt.Sprintf("--http: %s", err), "give an address of this machine with a free port, such as :9464"}
	}
	say("status and metrics at http://" + at)
	return func() { _ = closeTCP(); release() }, nil
}

// enter records the begin of a phase.
func (m *monitor) enter(p operate.Phase) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.phase, m.since = p, m.logs.now()
}

// learns records the model and the largest number of rounds.
func (m *monitor) learns(model string, rounds int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.model, m.rounds = model, rounds
}

func (m *monitor) joining(s node.Status) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.joins = &s
}

func (m *monitor) joined(n *node.Node) {
	m.enter(operate.Running)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.node = n
}

// ended records the end of a round, and the duration of a round if known.
func (m *monitor) ended(round int, each time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.round = round
	if each > 0 {
		m.pace = each
	}
}

// status returns the current state of the process, without privacy spent and resources used.
func (m *monitor) status() *operate.Status {
	warned, warns := m.logs.lastWarnings()
	m.mu.Lock()
	s := &operate.Status{
		Release: release, Name: m.name, Model: m.model, Phase: m.phase, At: m.logs.now().UTC(), Began: m.began.UTC(), Since: m.since.UTC(),
		Round: m.round, Rounds: m.rounds, Pace: m.pace, Warned: warned, Warns: warns, Node: m.joins,
	}
	n := m.node
	m.mu.Unlock()
	if n != nil {
		now, id := n.Status(), n.RunID()
		s.Node, s.Run = &now, hex.EncodeToString(id[:])
	}
	return s
}

// whole returns the status with the figures of the ledger and the process, which takes longer.
func (m *monitor) whole() *operate.Status {
	s := m.status()
	s.Spent, s.Process = spentIn(m.dir), processOf(m.dir)
	return s
}

// spentIn returns the differential privacy spent by a folder, from its ledger. An unreadable
// ledger ends the run elsewhere.
func spentIn(dir string) (list []operate.Spent) {
	book, err := ledger.Open(dir)
	if err != nil {
		return nil
	}
	for _, spent := range []struct {
		by report.EntryKind
		of string
	}{{report.NoiseEntry, ofNoise}, {report.ReleaseEntry, ofReleases}} {
		if loss, n := ledger.Spent(book.Records(), spent.by); n > 0 {
			list = append(list, operate.Spent{By: spent.by, Spend: ledger.SpendOf(loss, usualDelta, spent.of)})
		}
	}
	return list
}

func processOf(dir string) operate.Process {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(heap)
	p := operate.Process{Goroutines: runtime.NumGoroutine(), HeapBytes: heap[0].Value.Uint64()}
	if info, err := os.Stat(filepath.Join(dir, store.StateFile)); err == nil {
		p.StateBytes = info.Size()
	}
	return p
}

// flush writes the audit log to disk every second.
func (m *monitor) flush(audit *participant.Audit, shown *progress) (stop func()) {
	failed := false
	return every(time.Second, func(time.Time) {
		err := audit.Flush()
		if err != nil && !failed {
			shown.line("warning: " + err.Error())
		}
		failed = err != nil
	})
}

// quietMost is the longest time without a line on standard error, somewhat below a minute.
const quietMost = 50 * time.Second

// heartbeat prints what the process does, and for how long, after a time without output. On a
// terminal, it does so from the start until the others are connected.
func (m *monitor) heartbeat(shown *progress) (stop func()) {
	return every(time.Second, func(time.Time) {
		now := m.logs.now()
		if line := heartbeat(m.status(), now, m.logs.quiet(now), shown.terminal != nil); line != "" {
			shown.show(line)
		}
	})
}

// loadAfter is how long reading rows takes before it is reported.
const loadAfter = 2 * time.Second

func heartbeat(s *operate.Status, now time.Time, quiet time.Duration, live bool) string {
	at := now.Sub(s.Since).Round(time.Second)
	loads := s.Phase == operate.Loading && at >= loadAfter && (live || quiet >= at)
	if quiet < quietMost && !loads {
		return ""
	}
	what := s.Activity()
	if s.Phase == operate.Running {
		at = quiet.Round(time.Second)
	}
	if s.Node != nil && len(s.Node.Waiting) > 0 && s.Phase == operate.Running {
		return what // includes the time waited
	}
	return fmt.Sprintf("%s; for %s now", what, at)
}

// interrupted prints at once that a signal was received. After stop returns, the line is either
// printed or never will be.
func (m *monitor) interrupted(ctx context.Context, shown *progress) (stop func()) {
	said := make(chan struct{})
	unsaid := context.AfterFunc(ctx, func() {
		defer close(said)
		next := "shutting down cleanly"
		if m.status().Phase == operate.Saving {
			next = "the results are written first"
		}
		shown.line("interrupted: " + next + "; press Ctrl-C again to end at once")
	})
	return func() {
		if !unsaid() {
			<-said
		}
	}
}
