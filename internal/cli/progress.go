package cli

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/node"
)

// progress shows the progress of training: a live line on a terminal, otherwise one line per
// round.
type progress struct {
	mu       sync.Mutex
	w        io.Writer
	terminal *os.File // terminal of the live line; nil if none
	rounds   int
	steps    bool // show the step of the centres in place of a loss
	began    time.Time
	last     string // the live line
	met      string // members present while joining
	beginAt  time.Time

	reachable bool // the own address was printed
	joined    atomic.Bool
	virtual   time.Duration // time of a simulation at the last round
	decided   int           // rounds decided before this process began
	pace      pace
	out       []node.Absent
	behind    bool // this member is absent
	waits     waits
}

func (a *app) newProgress(t *pipeline.Task) *progress {
	p := &progress{w: a.err, began: time.Now()}
	if t != nil {
		p.of(t)
	}
	switch to := a.err.(type) {
	case *os.File:
		if term.IsTerminal(int(to.Fd())) {
			p.terminal = to
		}
	case *logs:
		p.terminal = to.terminal
	}
	return p
}

// of sets the task that is trained.
func (p *progress) of(t *pipeline.Task) {
	of := t.Traits()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rounds, p.steps = of.Rounds, of.ByStep
}

// round shows the end of a round, and returns the duration of rounds, 0 if unknown. bytes
// counts what this participant has sent; it is 0 in a simulation.
func (p *progress) round(r algorithm.Progress, participants int, bytes int64) time.Duration {
	if r.Number <= p.decided {
		return 0
	}
	if line := p.waits.round(time.Now()); line != "" {
		p.show(line)
	}
	how := fmt.Sprintf("loss %.6g per row", r.Loss)
	switch {
	case r.Clusters > 0:
		how = fmt.Sprintf("%d clusters", r.Clusters)
	case p.steps:
		how = fmt.Sprintf("step %.3g", r.Loss)
	}
	line := fmt.Sprintf("round %d/%d  %s  %d participants", r.Number, p.rounds, how, participants)
	if d := r.Diversity; d != nil {
		line += fmt.Sprintf("  smallest contribution ≈ %s rows", report.Fixed(math.Exp(d.Min), 1))
	}
	for _, d := range r.LowDiversity {
		line += fmt.Sprintf("  component %d: %s", d.Component, d.Action)
	}
	if e := r.Encoder; e != nil {
		line += fmt.Sprintf("  information %s, %d of %d units", report.Fixed(e.Information, 2), e.Active, e.Latent)
	}
	if w := r.Weighting; w != nil {
		line += fmt.Sprintf("  weight %.3f", w.Weight)
		if w.Measured {
			line += fmt.Sprintf(", discrepancy %.3g", w.Discrepancy)
		}
	}
	if p.virtual > 0 && p.terminal != nil {
		line = fmt.Sprintf("%s %d/%d  virtual time %s  %s", bar(r.Number, p.rounds), r.Number, p.rounds, p.virtual.Round(time.Millisecond), how)
	}
	if bytes > 0 {
		line += fmt.Sprintf("  sent %s", byteCount(bytes))
	}
	each, known := p.pace.round(time.Now(), p.behind)
	switch left := p.rounds - r.Number; {
	case r.Converged:
		line += "  converged"
	case left > 0 && known:
		line += fmt.Sprintf("  at most %s to go", (each * time.Duration(left)).Round(time.Second))
	}
	p.show(line)
	return each
}

// start shows on a terminal that a simulation has begun: its first round may take long.
func (p *progress) start() {
	if p.terminal != nil {
		p.show(bar(0, p.rounds) + " start-up")
	}
}

// bar returns a progress bar.
func bar(done, of int) string {
	const width = 24
	full := width * done / max(of, 1)
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", width-full) + "]"
}

// show replaces the live line, or prints another line.
func (p *progress) show(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.terminal == nil {
		fmt.Fprintln(p.w, line)
		return
	}
	if width, _, err := term.GetSize(int(p.terminal.Fd())); err == nil {
		line = cut(line, width)
	}
	fmt.Fprint(p.w, replaced(p.last, line))
	p.last = line
}

// cut shortens a line to the width of a terminal: a line that wraps cannot be replaced.
func cut(line string, width int) string {
	if characters := []rune(line); width > 1 && len(characters) >= width {
		return string(characters[:width-1])
	}
	return line
}

// replaced returns the text that replaces last by line on a terminal.
func replaced(last, line string) string {
	return "\r" + line + strings.Repeat(" ", max(0, utf8.RuneCountInString(last)-utf8.RuneCountInString(line)))
}

// joining shows which members are present while they find each other, and once where to reach
// this member. After that, watch reports members that join.
func (p *progress) joining(s node.Status) {
	if p.joined.Load() {
		return
	}
	if !p.reachable && len(s.Missing) == 0 && len(s.Addrs) > 0 && len(s.Present) < s.Want {
		p.reachable = true
		for _, a := range s.Addrs {
			p.line("this member is reached with --peer " + a)
		}
	}
	line := fmt.Sprintf("%d of %d members are here: %s", len(s.Present), s.Want, names(s.Present))
	if len(s.Missing) > 0 {
		line += "; waiting for " + names(s.Missing)
	}
	for _, u := range s.Unreached {
		line += fmt.Sprintf("; %s and %s do not reach each other: %s; %s", u.A, u.B, u.Reason, u.Advice)
	}
	p.mu.Lock()
	p.met, p.beginAt = line, s.BeginAt
	p.mu.Unlock()
	p.show(line + beginsIn(s.BeginAt))
}

// remindEvery is the interval at which waiting for members is reported.
const remindEvery = 30 * time.Second

// remind repeats which members are present and which are missing, with the time waited, until
// the returned function is called.
func (p *progress) remind() (stop func()) {
	return every(remindEvery, func(time.Time) {
		p.mu.Lock()
		line, at := p.met, p.beginAt
		p.mu.Unlock()
		if line != "" {
			p.show(fmt.Sprintf("%s; for %s now", line, time.Since(p.began).Round(time.Second)) + beginsIn(at))
		}
	})
}

// beginsIn returns when the run begins, "" if it may begin now.
func beginsIn(at time.Time) string {
	if line := operate.BeginsIn(at, time.Now()); line != "" {
		return "; " + line
	}
	return ""
}

// every calls f at intervals until the returned function is called.
func every(interval time.Duration, f func(now time.Time)) (stop func()) {
	done := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case now := <-ticker.C:
				f(now)
			}
		}
	})
	return sync.OnceFunc(func() { close(done); running.Wait() })
}

// names removes the peer IDs from descriptions of members.
func names(members []string) string {
	short := make([]string, len(members))
	for i, m := range members {
		short[i], _, _ = strings.Cut(m, " (")
	}
	return strings.Join(short, ", ")
}

// line prints a line that is not replaced.
func (p *progress) line(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leave()
	fmt.Fprintln(p.w, line)
}

// end keeps the live line, and starts a new one.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leave()
}

func (p *progress) leave() {
	if p.last != "" {
		fmt.Fprintln(p.w)
		p.last = ""
	}
}

func byteCount(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f kB", float64(n)/1e3)
}
