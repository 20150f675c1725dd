package cli

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
	// sayAfter and sayEvery limit how often a wait is reported. A wait not much longer than
	// usual is not reported.
	sayAfter = 4 * time.Second
	sayEvery = 10 * time.Second
)

// watch reports the members that a node waits for, if that takes longer than usual, until the
// returned function is called. If the run is resumed, it first reports after which round.
func (p *progress) watch(n *node.Node) (stop func()) {
	p.joined.Store(true)
	decided := 0
	_ = n.Decisions(func(d *consensus.Decision) error { // an error is reported again with the first sum
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

// waits tracks the reports of waits and pauses.
type waits struct {
	mu     sync.Mutex
	said   time.Time
	paused time.Time // begin of the pause; zero while the run continues
	by     uint32    // the change that paused the run; 0 if too few members are present
	slot   uint64
	took   []time.Duration // the last collectives
	held   []string        // members whose statistics are held back

	live    bool      // lines replace each other, so there may be many
	summing uint64    // slot of the last long sum
	began   time.Time // begin of that sum, as seen by line
}

// lastTook is the number of collectives whose median is the usual duration, so that one delayed
// by a lost member does not change it.
const lastTook = 9

// usual records the duration of the last collective, and returns the usual one.
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

// look reads the status and returns the line to show now, "" for none.
func (w *waits) look(status func() node.Status, now time.Time) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.line(status(), now)
}

// round records the end of the round under way. It returns the line to show before it, "" for
// none: a paused run may resume, and even end, between two looks.
func (w *waits) round(now time.Time) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.paused.IsZero() {
		return ""
	}
	return w.resumed(now)
}

// resumed records that the run continues, and returns the reason.
func (w *waits) resumed(now time.Time) string {
	agreed := w.by > 0
	w.paused, w.by, w.said = time.Time{}, 0, now
	if agreed {
		return "resumed: the members have agreed to continue"
	}
	return "resumed: enough members are connected"
}

// line returns the line to show for a status, "" for none.
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

// heldLine says whose statistics are held back, and until when, or whose are counted again.
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

// pauseLine says which change has paused the run, or which members are missing.
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

// waitedFor returns the names of members that delay a collective, and the longest wait.
func waitedFor(s node.Status) (names string, longest time.Duration) {
	list := make([]string, len(s.Waiting))
	for i, w := range s.Waiting {
		list[i] = w.Name
		longest = max(longest, w.For)
	}
	return strings.Join(list, ", "), longest
}

// waitingLine names the members that delay a collective much longer than usual.
func waitingLine(s node.Status, usual time.Duration) string {
	names, longest := waitedFor(s)
	if longest < sayAfter || longest < 3*usual {
		return ""
	}
	return fmt.Sprintf("waiting for %s %s (usual %s)", names, longest.Round(time.Second), usual.Round(100*time.Millisecond))
}

// longSum is the size in bytes of a sum whose progress is reported.
const longSum = 1 << 20

// sum reports the progress of a long sum after a while, and the members that it waits for if it
// stalls.
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

// members reports members that have left the sums, and those that are back.
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

// links maps each member to the one through which it was last reached.
type links map[string]string

// look returns lines about members that are now reached through another one, or directly again.
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
