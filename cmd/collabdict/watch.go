package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/node"
)

const (
	watchEvery = time.Second
	// sayAfter and sayEvery bound how often a wait is told; one that is not much
	// longer than usual is not told at all.
	sayAfter = 4 * time.Second
	sayEvery = 10 * time.Second
)

// watch tells whom a node waits for, if that takes longer than usual, until the
// returned function is called. It first says after which round a run is gone on
// with, if that is so.
func (p *progress) watch(n *node.Node) (stop func()) {
	p.joined.Store(true)
	decided := 0
	_ = n.Decisions(func(d *consensus.Decision) error { // an error comes again with the first sum
		decided = int(d.Round)
		return nil
	})
	if decided > 0 {
		p.line(fmt.Sprintf("resumes the run after round %d, from the state in its folder", decided))
	}
	p.decided = decided
	p.waits.live = p.terminal != nil
	var through links
	return every(watchEvery, func(now time.Time) {
		for _, line := range through.look(n.Status().Links) {
			p.line(line)
		}
		if line := p.waits.look(n.Status, now); line != "" {
			p.show(line)
		}
	})
}

// waits is what has been told of waits and pauses.
type waits struct {
	mu     sync.Mutex
	said   time.Time
	paused time.Time // since when; zero if the run goes on
	by     uint32    // the change that has paused it; 0 if too few members are here
	slot   uint64
	took   []time.Duration // the last collectives
	held   []string        // members whose statistics are held back

	live    bool      // lines replace each other, so that there may be many
	summing uint64    // the slot of the last long sum
	began   time.Time // when it was seen first
}

// lastTook bounds the collectives whose median says what is usual: one that a lost
// member has held up does not make the next such wait a usual one.
const lastTook = 9

// usual notes what the last collective took, and returns what is usual.
func (w *waits) usual(s node.Status) time.Duration {
	if s.Slot != w.slot {
		w.slot, w.took = s.Slot, append(w.took, s.LastTook)
		w.took = w.took[max(0, len(w.took)-lastTook):]
	}
	if w.took == nil {
		return 0
	}
	return slices.Sorted(slices.Values(w.took))[len(w.took)/2]
}

// look takes a look at how the run goes and returns the line to show now, "" for none.
func (w *waits) look(status func() node.Status, now time.Time) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.line(status(), now)
}

// round notes the end of the round under way. It returns the line to show before it, "" for
// none: a run that was paused may go on, and even end, between two looks.
func (w *waits) round(now time.Time) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.paused.IsZero() {
		return ""
	}
	return w.resumed(now)
}

// resumed notes that the run goes on, and says why.
func (w *waits) resumed(now time.Time) string {
	agreed := w.by > 0
	w.paused, w.by, w.said = time.Time{}, 0, now
	if agreed {
		return "resumed: the members have agreed to continue"
	}
	return "resumed: enough members are connected"
}

// line returns the line to show of a status, "" for none.
func (w *waits) line(s node.Status, now time.Time) string {
	usual, sum := w.usual(s), w.sum(s, now)
	switch {
	case s.Paused && (w.paused.IsZero() || s.PausedBy != w.by):
		w.paused, w.by, w.said = now, s.PausedBy, now
		return pauseLine(s)
	case !s.Paused && !w.paused.IsZero():
		return w.resumed(now)
	case !slices.Equal(s.Held, w.held):
		line := heldLine(w.held, s)
		w.held, w.said = s.Held, now
		return line
	case !s.Paused && w.live && sum != "":
		return sum
	case now.Sub(w.said) < sayEvery || s.PausedBy > 0: // nobody waits
		return ""
	case s.Paused:
		w.said = now
		return fmt.Sprintf("%s; for %s now", pauseLine(s), now.Sub(w.paused).Round(time.Second))
	}
	line := cmp.Or(sum, waitingLine(s, usual))
	if line != "" {
		w.said = now
	}
	return line
}

// heldLine says whose statistics are held back, and until when, or whose count again.
func heldLine(before []string, s node.Status) string {
	if len(s.Held) == 0 {
		return fmt.Sprintf("the statistics of %s count again", strings.Join(before, ", "))
	}
	verb := "come"
	if s.HeldUntil == 1 {
		verb = "comes"
	}
	return fmt.Sprintf("the statistics of %s are held back until %d more %s: alone, they would show in the total", strings.Join(s.Held, ", "), s.HeldUntil, verb)
}

// pauseLine says which change has paused the run, or who is missing for it to go on.
func pauseLine(s node.Status) string {
	if s.PausedBy > 0 {
		return fmt.Sprintf("paused by agreement, change %d: the run continues when %d members have a change with resume: true", s.PausedBy, s.Quorum)
	}
	var missing []string
	for _, m := range s.Absent {
		if m.Lost {
			missing = append(missing, m.Name)
		}
	}
	here := s.Want - len(missing)
	which := ""
	if want := s.Least - here; want < len(missing) {
		which = fmt.Sprintf("%d of ", want)
	}
	return fmt.Sprintf("paused: %d of the %d members needed are connected; waiting for %s%s",
		here, s.Least, which, strings.Join(missing, ", "))
}

// waitedFor names who holds a collective up, and for how long.
func waitedFor(s node.Status) (names string, longest time.Duration) {
	list := make([]string, len(s.Waiting))
	for i, w := range s.Waiting {
		list[i] = w.Name
		longest = max(longest, w.For)
	}
	return strings.Join(list, ", "), longest
}

// waitingLine says who holds up a collective that takes much longer than usual.
func waitingLine(s node.Status, usual time.Duration) string {
	names, longest := waitedFor(s)
	if longest < sayAfter || longest < 3*usual {
		return ""
	}
	return fmt.Sprintf("waiting for %s %s (usual %s)", names, longest.Round(time.Second), usual.Round(100*time.Millisecond))
}

// longSum is what has to come for a sum whose progress is told.
const longSum = 1 << 20

// sum says how far a long sum is that has been under way for a while, and whom it
// waits for if nothing gets on.
func (w *waits) sum(s node.Status, now time.Time) string {
	if s.Come.BytesInAll < longSum {
		return ""
	}
	if s.Slot != w.summing || w.began.IsZero() {
		w.summing, w.began = s.Slot, now
	}
	if now.Sub(w.began) < sayAfter {
		return ""
	}
	share := float64(s.Come.Bytes) / float64(s.Come.BytesInAll)
	line := fmt.Sprintf("sum %.0f %%, %.1f of %.1f MB", 100*share, float64(s.Come.Bytes)/1e6, float64(s.Come.BytesInAll)/1e6)
	if names, longest := waitedFor(s); longest >= sayAfter {
		line += fmt.Sprintf("; waiting for %s %s", names, longest.Round(time.Second))
	}
	return line
}

// members tells who is not in the sums any more, and who is again.
func (p *progress) members(s node.Status) {
	var out []node.Absent
	for _, m := range s.Absent {
		if !slices.Contains(s.Members, m.Name) {
			out = append(out, m)
		}
	}
	without := func(list []node.Absent, name string) bool {
		return !slices.ContainsFunc(list, func(m node.Absent) bool { return m.Name == name })
	}
	for _, m := range out {
		if without(p.out, m.Name) {
			p.line(fmt.Sprintf("without %s from now on: %s", called(m.Name, s), m.Reason))
		}
	}
	for _, m := range p.out {
		if without(out, m.Name) {
			p.line(fmt.Sprintf("with %s again", called(m.Name, s)))
		}
	}
	p.out, p.behind = out, !without(out, s.Name)
}

func called(name string, s node.Status) string {
	if name == s.Name {
		return "this member"
	}
	return name
}

// links is through which member each other one was reached last.
type links map[string]string

// look returns the lines to show about connections: those that another member passes on, and
// those that are direct after that.
func (l *links) look(now []node.Link) (lines []string) {
	if *l == nil {
		*l = links{}
	}
	for _, link := range now {
		if before := (*l)[link.Name]; link.Via != "" && link.Via != before {
			lines = append(lines, link.Name+" is reached through "+link.Via)
		} else if link.Via == "" && before != "" {
			lines = append(lines, link.Name+" is reached directly")
		}
		(*l)[link.Name] = link.Via
	}
	return lines
}
