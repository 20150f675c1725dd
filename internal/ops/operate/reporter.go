package operate

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/collabdict/collabdict/node"
)

// A Line describes what a process does, or what has changed.
type Line struct {
	Text string
	// Key is the text without its figures: two lines with the same key say the same.
	Key string
	// Present marks a line about the present state; on a terminal, the next line replaces it.
	Present bool
	// Common marks a line about the run as a whole, which is of interest from any member.
	Common bool
	// Event is the kind of event that the line reports; empty for other lines.
	Event EventKind
	// Member is the member that the event is about, if it is about one.
	Member string
}

// An EventKind is a kind of event in a run.
type EventKind string

// The kinds of events.
const (
	Begun     EventKind = "begun"     // a phase of the process began
	Restarted EventKind = "restarted" // the process resumed a run of an earlier one
	Left      EventKind = "left"      // a member left the sums
	Returned  EventKind = "returned"  // it is in the sums again
	Relayed   EventKind = "relayed"   // it is reached through another member
	Direct    EventKind = "direct"    // it is reached directly again
	Paused    EventKind = "paused"    // the run paused
	Resumed   EventKind = "resumed"   // it continued
	Changed   EventKind = "changed"   // members were added or removed
	Held      EventKind = "held"      // statistics of members are held back
	Counted   EventKind = "counted"   // they count again
	Wanted    EventKind = "wanted"    // members want different changes
	Agreed    EventKind = "agreed"    // something became of the own wish for a change
	Known     EventKind = "known"     // all members came to know something of a member; for the owner
)

const (
	// sayAfter is how long a wait takes before it is reported. A wait not much longer than usual
	// is not reported.
	sayAfter = 4 * time.Second
	// sayEvery is how often a log says how far a run is, or for whom it waits.
	sayEvery = 10 * time.Second
	// remindEvery is how often a process that waits for members to join says so.
	remindEvery = 30 * time.Second
	// quietMost is the longest time without a line, somewhat below a minute.
	quietMost = 50 * time.Second
	// loadAfter is how long reading rows takes before it is reported.
	loadAfter = 2 * time.Second
	// settleAfter is how long members must want different changes before that is reported:
	// operators write the same change one after the other.
	settleAfter = 2 * time.Second
	// longSum is the size in bytes of a sum whose progress is reported.
	longSum = 1 << 20
)

// A Reporter turns the successive statuses of a process into lines for people.
type Reporter struct {
	terminal bool
	each     bool      // whether every step is reported
	printed  time.Time // when the last line was returned
	before   *Status   // the last status; nil before the first

	here      string            // the last line about members that are here
	counted   time.Time         // when it was said
	advanced  time.Time         // when the last line about the rounds was said
	reachable bool              // the own addresses were reported
	via       map[string]string // the member through which each member was last reached
	out       []node.Absent     // members outside the sums at the last round
	held      []string          // members whose statistics are held back
	pause     pause
	waits     waits
	wishes    wishes
}

// NewReporter returns a reporter for a terminal, where a line about the present state replaces the
// last, or for a log. A log has a line about progress at most every ten seconds, or about each step.
func NewReporter(terminal, each bool) *Reporter {
	return &Reporter{terminal: terminal, each: each || terminal, via: map[string]string{}}
}

// Next returns the lines to show for the next status of the process. They depend only on the
// statuses so far.
func (r *Reporter) Next(s *Status) (lines []Line) {
	if r.before == nil {
		r.before, r.printed = s, s.Began
	}
	if r.before.Phase != s.Phase && s.Phase == Running && s.Resumed > 0 {
		lines = append(lines, happened(Restarted, fmt.Sprintf("resumes the run after round %d, from the state in its folder", s.Resumed)))
	}
	switch {
	case s.Phase == Joining && s.Node != nil:
		lines = append(lines, r.joining(s)...)
	case s.Phase == Running && s.Node != nil:
		lines = append(lines, r.running(s)...)
	case s.Phase == Running: // a simulation
		lines = append(lines, r.rounds(s)...)
	}
	for _, known := range s.Known[max(0, len(s.Known)-s.Knowns+r.before.Knowns):] {
		lines = append(lines, Line{Text: "warning: " + known.Text, Key: known.Text, Common: true, Event: Known})
	}
	if lines == nil {
		lines = r.heartbeat(s)
	}
	if lines != nil {
		r.printed = s.At
	}
	r.before = s
	return lines
}

// said returns a line about something that has happened.
func said(text string) Line { return Line{Text: text, Key: text} }

// of returns the line as one about a member.
func (l Line) of(member string) Line { l.Member = member; return l }

// happened returns a line about an event.
func happened(kind EventKind, text string) Line { return Line{Text: text, Key: text, Event: kind} }

// joining reports the members that are here when they change, and once where to reach this one.
func (r *Reporter) joining(s *Status) (lines []Line) {
	n := s.Node
	if !r.reachable && len(n.Missing) == 0 && len(n.Addrs) > 0 && len(n.Present) < n.Want {
		r.reachable = true
		for _, a := range typed(n.Addrs) {
			lines = append(lines, said("this member is reached with --peer "+a))
		}
	}
	here := membersHere(n)
	if here != r.here && (len(n.Present) == n.Want || r.due(&r.counted, s.At)) {
		r.here = here
		lines = append(lines, Line{Text: here + beginsIn(n, s.At), Key: here, Present: true})
	}
	return lines
}

// due reports whether the next line about progress may be said, if the last one was said at the
// given time, and records it.
func (r *Reporter) due(last *time.Time, now time.Time) bool {
	if !r.each && !last.IsZero() && now.Sub(*last) < sayEvery {
		return false
	}
	*last = now
	return true
}

// typed returns the addresses that somebody would type to reach this process: one for each host.
// Those of this machine alone are left out if there are others. Members that have met tell each other
// the rest.
func typed(addrs []string) (chosen []string) {
	hosts := map[string]bool{}
	var here []string
	for _, a := range addrs {
		parts := strings.SplitN(a, "/", 4) // "", protocol, host, the rest
		host := parts[min(2, len(parts)-1)]
		if hosts[host] {
			continue
		}
		hosts[host] = true
		if ip, err := netip.ParseAddr(host); err == nil && ip.IsLoopback() {
			here = append(here, a)
		} else {
			chosen = append(chosen, a)
		}
	}
	if chosen == nil {
		return here[:min(1, len(here))]
	}
	return chosen
}

// membersHere says which members are here, which are missing, and which do not reach each other.
func membersHere(n *node.Status) string {
	line := fmt.Sprintf("%d of %d members are here: %s", len(n.Present), n.Want, names(n.Present))
	if len(n.Missing) > 0 {
		line += "; waiting for " + names(n.Missing)
	}
	for _, u := range n.Unreached {
		line += fmt.Sprintf("; %s and %s do not reach each other: %s; %s", u.A, u.B, u.Reason, u.Advice)
	}
	return line
}

// beginsIn says when the run begins, "" if it may begin now.
func beginsIn(n *node.Status, now time.Time) string {
	if begins := beginTime(n.BeginAt, now); begins != "" {
		return "; " + begins
	}
	return ""
}

// running reports the changes of a run, and its waits.
func (r *Reporter) running(s *Status) (lines []Line) {
	n := s.Node
	lines = append(lines, r.links(n.Links)...)
	lines = append(lines, r.roster(s)...)
	if line := r.wishes.next(s); line != "" {
		lines = append(lines, happened(Wanted, line))
	}
	if s.Agreement != "" && s.Agreement != r.before.Agreement {
		lines = append(lines, Line{Text: s.Agreement, Key: s.Agreement, Common: true, Event: Agreed})
	}
	if s.Round > r.before.Round { // the members in the sums change between rounds
		lines = append(lines, r.members(n)...)
	}
	lines = append(lines, r.pause.next(s, s.Round > r.before.Round)...)
	lines = append(lines, r.rounds(s)...)
	if !slices.Equal(n.Held, r.held) {
		if line := heldLine(r.held, n); line != "" {
			kind := Held
			if len(n.Held) == 0 {
				kind = Counted
			}
			lines = append(lines, happened(kind, line))
		}
		r.held = n.Held
	}
	if line, ok := r.waits.next(s, r.terminal); ok && lines == nil {
		lines = append(lines, line)
	}
	return lines
}

// links reports members that are now reached through another one, or directly again.
func (r *Reporter) links(now []node.Link) (lines []Line) {
	for _, l := range now {
		if before := r.via[l.Name]; l.Via != "" && l.Via != before {
			lines = append(lines, happened(Relayed, l.Name+" is reached through "+l.Via).of(l.Name))
		} else if l.Via == "" && before != "" {
			lines = append(lines, happened(Direct, l.Name+" is reached directly").of(l.Name))
		}
		r.via[l.Name] = l.Via
	}
	return lines
}

// roster reports members that have joined the run, or left it for good.
func (r *Reporter) roster(s *Status) []Line {
	if r.before.Roster == nil || slices.Equal(r.before.Roster, s.Roster) {
		return nil
	}
	var parts []string
	for _, m := range s.Roster {
		if !slices.Contains(r.before.Roster, m) {
			parts = append(parts, names([]string{m})+" joined")
		}
	}
	for _, m := range r.before.Roster {
		if !slices.Contains(s.Roster, m) {
			parts = append(parts, names([]string{m})+" left")
		}
	}
	if parts == nil {
		return nil
	}
	line := happened(Changed, fmt.Sprintf("the members have changed: %s; %d now", strings.Join(parts, ", "), len(s.Roster)))
	line.Common = true
	return []Line{line}
}

// members reports members that have left the sums, and those that are back. A member that was removed
// meanwhile is not back.
func (r *Reporter) members(n *node.Status) (lines []Line) {
	var out []node.Absent
	for _, m := range n.Absent {
		if !slices.Contains(n.Members, m.Name) {
			out = append(out, m)
		}
	}
	without := func(list []node.Absent, name string) bool {
		return !slices.ContainsFunc(list, func(m node.Absent) bool { return m.Name == name })
	}
	called := func(name string) string {
		if name == n.Name {
			return "this member"
		}
		return name
	}
	for _, m := range out {
		if without(r.out, m.Name) {
			lines = append(lines, happened(Left, fmt.Sprintf("without %s from now on: %s", called(m.Name), m.Reason)).of(m.Name))
		}
	}
	for _, m := range r.out {
		if slices.Contains(n.Members, m.Name) {
			lines = append(lines, happened(Returned, fmt.Sprintf("with %s again", called(m.Name))).of(m.Name))
		}
	}
	r.out = out
	return lines
}

// heldLine says whose statistics are held back, and until when, or whose are counted now. It says
// nothing of members that were removed meanwhile.
func heldLine(before []string, n *node.Status) string {
	if len(n.Held) == 0 {
		before = slices.DeleteFunc(slices.Clone(before), func(name string) bool {
			return !slices.Contains(n.Members, name) && !slices.ContainsFunc(n.Absent, func(m node.Absent) bool { return m.Name == name })
		})
		if len(before) == 0 {
			return ""
		}
		return fmt.Sprintf("the statistics of %s count from now on", strings.Join(before, ", "))
	}
	verb := "come"
	if n.HeldUntil == 1 {
		verb = "comes"
	}
	return fmt.Sprintf("the statistics of %s are held back until %d more %s: alone, they would show in the total", strings.Join(n.Held, ", "), n.HeldUntil, verb)
}

// rounds reports the last round, if it is new to this process. A log has the first and the last
// one, and one each [sayEvery]. On a terminal, a simulation is shown from its start: its first round
// may take long.
func (r *Reporter) rounds(s *Status) []Line {
	simulated := s.Node == nil
	switch {
	case s.Last != nil && s.Round > max(r.before.Round, s.Resumed):
		if last := s.Last.Converged || s.Round == s.Rounds; !last && !r.due(&r.advanced, s.At) {
			return nil
		}
		line := Line{Text: roundLine(s), Key: fmt.Sprint("round ", s.Round), Present: true}
		if simulated && r.terminal {
			line.Text = fmt.Sprintf("%s %d/%d  virtual time %s  %s", bar(s.Round, s.Rounds), s.Round, s.Rounds, s.Last.Virtual.Round(time.Millisecond), s.Last.progress()) + s.toGo()
		}
		return []Line{line}
	case simulated && r.terminal && s.Round == 0 && r.before == s: // the first status
		return []Line{{Text: bar(0, s.Rounds) + " start-up", Present: true}}
	}
	return nil
}

// bar returns a progress bar.
func bar(done, all int) string {
	const width = 24
	full := width * done / max(all, 1)
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", width-full) + "]"
}

// heartbeat says what the process does, and for how long, after a time without a line.
func (r *Reporter) heartbeat(s *Status) []Line {
	inPhase, quiet := s.At.Sub(s.Since), s.At.Sub(r.printed)
	since, what, begins := inPhase, s.Activity(), ""
	switch {
	case s.Node == nil && s.Phase == Running: // a simulation
		return nil
	case s.Phase == Loading && inPhase >= loadAfter && (r.terminal || quiet >= inPhase):
	case s.Phase == Joining && r.here != "" && quiet >= remindEvery:
		since, what, begins = s.At.Sub(s.Began), r.here, beginsIn(s.Node, s.At)
	case quiet < quietMost:
		return nil
	case s.Phase == Running:
		since = quiet
		if len(waited(s.Node, time.Second)) > 0 { // what includes the time waited
			return []Line{{Text: what, Key: what, Present: true}}
		}
	}
	return []Line{{Text: fmt.Sprintf("%s; for %s now", what, since.Round(time.Second)) + begins, Key: what, Present: true}}
}

// pause follows the pauses of a run.
type pause struct {
	began time.Time // zero while the run continues
	by    uint32    // the change that paused the run; 0 if too few members are present
	said  time.Time
}

// next returns the lines about a pause. A paused run may resume, and even end, between two
// statuses; a completed round shows it.
func (p *pause) next(s *Status, completed bool) (lines []Line) {
	n := s.Node
	say := func(kind EventKind, text, key string) {
		lines, p.said = append(lines, Line{Text: text, Key: key, Present: true, Common: true, Event: kind}), s.At
	}
	if !p.began.IsZero() && (completed || !n.Paused) {
		text := "resumed: enough members are connected"
		if p.by > 0 {
			text = "resumed: the members have agreed to continue"
		}
		p.began, p.by = time.Time{}, 0
		say(Resumed, text, text)
	}
	if !n.Paused {
		return lines
	}
	text := pauseLine(n)
	switch {
	case p.began.IsZero() || n.PausedBy != p.by:
		p.began, p.by = s.At, n.PausedBy
		say(Paused, text, text)
	case n.PausedBy == 0 && s.At.Sub(p.said) >= sayEvery: // in a pause by agreement, nobody waits
		say("", fmt.Sprintf("%s; for %s now", text, s.At.Sub(p.began).Round(time.Second)), text)
	}
	return lines
}

// pauseLine says which change has paused the run, or which members are missing.
func pauseLine(n *node.Status) string {
	if n.PausedBy > 0 && n.Quorum == 0 { // of a finished run
		return fmt.Sprintf("paused by agreement, change %d", n.PausedBy)
	}
	if n.PausedBy > 0 {
		return fmt.Sprintf("paused by agreement, change %d: the run continues when %d members have a change with resume: true", n.PausedBy, n.Quorum)
	}
	var missing []string
	for _, m := range n.Absent {
		if m.Lost {
			missing = append(missing, m.Name)
		}
	}
	here := n.Want - len(missing)
	which := ""
	if want := n.Least - here; want < len(missing) {
		which = fmt.Sprintf("%d of ", want)
	}
	return fmt.Sprintf("paused: %d of the %d members needed are connected; waiting for %s%s",
		here, n.Least, which, strings.Join(missing, ", "))
}

// waits follows the waits of a run that is not paused.
type waits struct {
	said time.Time
	slot uint64
	took []time.Duration // the last collectives

	summing uint64    // slot of the last long sum
	began   time.Time // begin of that sum, as seen here
}

// lastTook is the number of collectives whose median is the usual duration, so that one delayed
// by a lost member does not change it.
const lastTook = 9

// usual records the duration of the last collective, and returns the usual one.
func (w *waits) usual(n *node.Status) time.Duration {
	if n.Slot != w.slot {
		w.slot, w.took = n.Slot, append(w.took, n.LastTook)
		w.took = w.took[max(0, len(w.took)-lastTook):]
	}
	if w.took == nil {
		return 0
	}
	return slices.Sorted(slices.Values(w.took))[len(w.took)/2]
}

// next returns the line about a long sum, or a wait much longer than usual. On a terminal, a long
// sum is reported with each status.
func (w *waits) next(s *Status, terminal bool) (line Line, ok bool) {
	usual, sum := w.usual(s.Node), w.sum(s)
	text := cmp.Or(sum, waitLine(s.Node, usual))
	if s.Node.Paused || text == "" || s.At.Sub(w.said) < sayEvery && !(terminal && sum != "") {
		return line, false
	}
	w.said = s.At
	waitedFor := names(waited(s.Node, sayAfter))
	return Line{Text: text, Key: "waiting for " + waitedFor, Present: true, Common: waitedFor != ""}, true
}

// waited returns the members that have been waited for at least so long.
func waited(n *node.Status, least time.Duration) (names []string) {
	for _, w := range n.Waiting {
		if w.For >= least {
			names = append(names, w.Name)
		}
	}
	return names
}

// longestWait returns how long the run has waited for a member.
func longestWait(n *node.Status) (longest time.Duration) {
	for _, w := range n.Waiting {
		longest = max(longest, w.For)
	}
	return longest
}

// waitLine names the members that delay a collective much longer than usual.
func waitLine(n *node.Status, usual time.Duration) string {
	longest := longestWait(n)
	if longest < sayAfter || longest < 3*usual {
		return ""
	}
	return fmt.Sprintf("waiting for %s %s (usual %s)", names(waited(n, 0)), longest.Round(time.Second), usual.Round(100*time.Millisecond))
}

// sum describes the progress of a long sum after a while, and the members that it waits for.
func (w *waits) sum(s *Status) string {
	n := s.Node
	if n.Come.BytesInAll < longSum {
		return ""
	}
	if n.Slot != w.summing || w.began.IsZero() {
		w.summing, w.began = n.Slot, s.At
	}
	if s.At.Sub(w.began) < sayAfter {
		return ""
	}
	share := float64(n.Come.Bytes) / float64(n.Come.BytesInAll)
	line := fmt.Sprintf("sum %.0f %%, %.1f of %.1f MB", 100*share, float64(n.Come.Bytes)/1e6, float64(n.Come.BytesInAll)/1e6)
	if longest := longestWait(n); longest >= sayAfter {
		line += fmt.Sprintf("; waiting for %s %s", names(waited(n, 0)), longest.Round(time.Second))
	}
	return line
}

// wishes follows the changes of the members that members want.
type wishes struct {
	seen  string
	since time.Time // when seen was first true
	told  string
}

// next returns a line about members that want different changes, once for each situation that
// lasts.
func (w *wishes) next(s *Status) string {
	line := otherWishes(s.Node)
	if line != w.seen {
		w.seen, w.since = line, s.At
	}
	if line == w.told || s.At.Sub(w.since) < settleAfter {
		return ""
	}
	w.told = line
	return line
}

// otherWishes describes the changes that other members want and this one does not, "" if there
// are none.
func otherWishes(n *node.Status) string {
	mine := slices.IndexFunc(n.Wanted, func(w node.Wanted) bool { return w.Own })
	var groups []string
	for i, w := range n.Wanted {
		if i != mine {
			groups = append(groups, strings.Join(w.Names, ", "))
		}
	}
	switch {
	case groups == nil:
		return ""
	case mine >= 0:
		return fmt.Sprintf("members want different changes: %s the one in this agreement, %s another one; %d must want the same: compare the files",
			strings.Join(n.Wanted[mine].Names, ", "), strings.Join(groups, " another one, "), n.Quorum)
	}
	return fmt.Sprintf("members want a change that this agreement does not have: %s; %d must want the same", strings.Join(groups, "; another one: "), n.Quorum)
}
