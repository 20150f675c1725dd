package cli

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"time"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/ops/outcome"
	"github.com/collabdict/collabdict/internal/run/launch"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/node"
)

// monitor tracks the state of a process, shows its user what changes, and reports to clients.
type monitor struct {
	dir      string
	logs     *logs         // remembers warnings; nil if nobody asks for them
	statuses *json.Encoder // for the parent of this process; nil if there is none
	screen   *screen
	page     *operate.Page // nil if nobody reads it; set before the first report
	port     string        // where the public status is served; "" for nowhere
	now      func() time.Time

	order    sync.Mutex // of reports
	reporter *operate.Reporter

	mu      sync.Mutex
	state   operate.Status // all that does not change by itself
	pace    pace
	node    *node.Node
	journal *journal.Journal // nil until it is open
}

// newMonitor returns the monitor of a process, which has a folder if it is one member's, and a name
// if it shows one member. If verbose, it shows every step.
func newMonitor(dir, name string, to io.Writer, verbose bool) *monitor {
	m := &monitor{dir: dir, screen: newScreen(to), now: time.Now}
	if l, ok := to.(*logs); ok {
		m.logs, m.now = l, l.now
	}
	m.reporter = operate.NewReporter(m.screen.terminal != nil, verbose)
	now := m.now().UTC()
	m.state = operate.Status{Release: release, Name: name, Phase: operate.Loading, Began: now, Since: now}
	return m
}

// serve serves the status over HTTP on the socket of the folder, and its public part at the
// address if one is given. This process holds the folder until the returned function is called.
func (m *monitor) serve(address string) (stop func(), err error) {
	folder, err := operate.Hold(m.dir)
	if err != nil {
		return nil, err
	}
	if err := folder.Serve(operate.Handler(m.status, m.whole)); err != nil {
		m.screen.line("warning: no status in " + m.dir + ": " + err.Error())
	}
	release := func() { _ = folder.Release() } // the next process replaces any leftover
	if address == "" {
		return release, nil
	}
	at, closeTCP, err := operate.ServeTCP(address, operate.Handler(m.status, func() *operate.Status { return m.whole().Public() }))
	if err != nil {
		release()
		return nil, &flagError{"http", err.Error(), "give an address of this machine with a free port, such as :9464"}
	}
	m.port = "http://" + at
	m.screen.line("status and metrics at " + m.port)
	return func() { _ = closeTCP(); release() }, nil
}

// change changes the state, and shows what follows.
func (m *monitor) change(f func(s *operate.Status)) {
	m.mu.Lock()
	f(&m.state)
	m.mu.Unlock()
	m.report()
}

// report shows the user what has changed since the last report, or goes on.
func (m *monitor) report() {
	m.order.Lock()
	defer m.order.Unlock()
	s := m.status()
	if m.statuses != nil {
		_ = m.statuses.Encode(launch.Message{Status: s}) // a parent that is gone ends this process
	}
	m.page.Next(s)
	for _, l := range m.reporter.Next(s) {
		m.screen.show(l)
	}
}

// watch reports every second until the returned function is called.
func (m *monitor) watch() (stop func()) {
	return every(time.Second, m.report)
}

// enter records the begin of a phase.
func (m *monitor) enter(p operate.Phase) {
	m.change(func(s *operate.Status) { s.Phase, s.Since = p, m.now().UTC() })
}

// trains records what is trained.
func (m *monitor) trains(t *pipeline.Task) {
	m.state.Model, m.state.Rounds = t.Kind.Name, t.Traits().Rounds
}

func (m *monitor) joining(n node.Status) {
	m.change(func(s *operate.Status) { s.Node = &n })
}

func (m *monitor) joined(n *node.Node) {
	decided := 0
	_ = n.Decisions(func(d *consensus.Decision) error { // an error is reported again with the first sum
		decided = int(d.Round)
		return nil
	})
	m.mu.Lock()
	m.node, m.state.Resumed = n, decided
	m.mu.Unlock()
	m.enter(operate.Running)
}

// begun reports whether the member has joined a run, and whether that had begun before.
func (m *monitor) begun() (joined, resumed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.node != nil, m.state.Resumed > 0
}

// completed records that the round in p has ended, with the number of members in the sums and, in a
// simulation, the virtual time.
func (m *monitor) completed(p algorithm.Progress, members int, virtual time.Duration) {
	catchingUp := false
	if s := m.status(); s.Node != nil {
		_, catchingUp = s.Out()
	}
	m.change(func(s *operate.Status) {
		s.Round, s.Last = p.Number, roundOf(p, members)
		s.Last.Virtual = virtual
		if each, known := m.pace.round(m.now(), catchingUp); known {
			s.Pace = each
		}
	})
}

// roundOf returns what the owner of a folder is shown of the round in p.
func roundOf(p algorithm.Progress, members int) *operate.Round {
	r := &operate.Round{Loss: report.Of(p.Loss), Objective: report.Of(p.Objective), Step: p.Step, Members: members, Clusters: p.Clusters, Converged: p.Converged}
	if d := p.Diversity; d != nil {
		r.Contribution = report.Of(math.Exp(d.Min))
	}
	for _, d := range p.LowDiversity {
		r.LowDiversity = append(r.LowDiversity, operate.LowDiversity{Component: d.Component, Action: d.Action})
	}
	if e := p.Encoder; e != nil {
		r.Information, r.ActiveUnits, r.Latent = report.Of(e.Information), e.Active, e.Latent
	}
	if w := p.Weighting; w != nil {
		r.Weight = report.Of(w.Weight)
		if w.Measured {
			r.Discrepancy = report.Of(w.Discrepancy)
		}
	}
	return r
}

// learned records what all members have come to know of a member.
func (m *monitor) learned(w report.Warning) {
	m.change(func(s *operate.Status) {
		s.Knowns++
		s.Known = append(s.Known, operate.Warning{At: m.now().UTC(), Warning: w})
		s.Known = slices.Clone(s.Known[max(0, len(s.Known)-mostWarned):])
	})
}

// status returns the present state of the process, without privacy spent and resources used.
func (m *monitor) status() *operate.Status {
	m.mu.Lock()
	s, n := m.state, m.node
	m.mu.Unlock()
	s.At = m.now().UTC()
	if m.logs != nil {
		s.Warned, s.Warns, s.NodeWarns = m.logs.lastWarnings()
	}
	if n != nil {
		now, id := n.Status(), n.RunID()
		s.Node, s.Run = &now, hex.EncodeToString(id[:])
		for _, member := range n.Roster() {
			s.Roster = append(s.Roster, fmt.Sprintf("%s (%s)", member.Name, member.ID))
		}
	}
	return &s
}

// whole returns the status with the figures of the ledger and the process, which takes longer.
func (m *monitor) whole() *operate.Status {
	s := m.status()
	m.mu.Lock()
	j := m.journal
	m.mu.Unlock()
	s.Spent, s.Process = spentIn(j), processOf(m.dir)
	return s
}

// pace measures the duration of rounds.
type pace struct {
	ended time.Time // end of the last round; zero if none
	took  []time.Duration
}

// lastRounds is the number of rounds whose median is the pace, so that a pause or a lost member
// in one round does not change it.
const lastRounds = 9

// round records that another round has ended, and returns the duration of rounds if known. replayed
// marks one that this member only catches up on: its duration does not count.
func (p *pace) round(now time.Time, replayed bool) (each time.Duration, known bool) {
	if !p.ended.IsZero() && !replayed {
		p.took = append(p.took, now.Sub(p.ended))
		p.took = p.took[max(0, len(p.took)-lastRounds):]
	}
	p.ended = now
	if replayed || p.took == nil {
		return 0, false
	}
	return slices.Sorted(slices.Values(p.took))[len(p.took)/2], true
}

// spentIn returns the differential privacy that a journal says was spent, nil if it is unreadable,
// which ends the run elsewhere.
func spentIn(j *journal.Journal) []operate.Spent {
	if j == nil {
		return nil
	}
	records, err := j.Records()
	if err != nil {
		return nil
	}
	return outcome.Spent(records)
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

// keeps takes the journal of the folder, and writes it to disk every second.
func (m *monitor) keeps(j *journal.Journal) (stop func()) {
	m.mu.Lock()
	m.journal = j
	m.mu.Unlock()
	failed := false
	return every(time.Second, func() {
		err := j.Flush()
		if err != nil && !failed {
			m.screen.line("warning: " + err.Error())
		}
		failed = err != nil
	})
}

// interrupted shows at once that a signal was received. After stop returns, the line is either
// shown or never will be.
func (m *monitor) interrupted(ctx context.Context) (stop func()) {
	said := make(chan struct{})
	unsaid := context.AfterFunc(ctx, func() {
		defer close(said)
		next := "shutting down cleanly"
		if m.status().Phase == operate.Saving {
			next = "the results are written first"
		}
		m.screen.line("interrupted: " + next + "; press Ctrl-C again to end at once")
	})
	return func() {
		if !unsaid() {
			<-said
		}
	}
}

// every calls f at intervals until the returned function is called.
func every(interval time.Duration, f func()) (stop func()) {
	done := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				f()
			}
		}
	})
	return sync.OnceFunc(func() { close(done); running.Wait() })
}
