package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus"
)

// Ledger sums up the decided slots of a run: who was in which sum, and which sums
// tell more together than each does alone.
type Ledger struct {
	names     []string // of the roster
	most      int      // members by which views that tell something differ
	conserved string   // what of the rows all sums have, whatever the model is
	other     map[int]bool
	updates   map[int]updates // of sums, by their length
	views     []View
	sums      map[int]*series
	running   map[string]*carried
	lone      []LoneChange
	told      int // of lone
	roster    []RosterChange
	round     int // of the last sum
	latest    *consensus.Decision

	holds    map[int]string // what sums hold in words, by their length
	gathered Entry
	opened   map[string]*Entry // of sums, by what they hold
	order    []string          // keys of opened
}

// LoneChange says that two sums are over views that differ by few members only. All
// members have both, and know what these members have added from the difference.
// Sealing does not help against that, as both sums are opened.
type LoneChange struct {
	Members []string `json:"members"` // in one of the two sums only
	// Replaced are those of the members that are in both sums, in one with an old key and in the
	// other with a new one: what is known of these is the difference.
	Replaced []string  `json:"replaced,omitempty"`
	Slots    [2]uint64 `json:"slots"`
	Rounds   [2]int    `json:"rounds"` // 0 is the start-up
	// Known is what all members now know of the rows of these members together, exactly.
	// Absent where they know it only up to the change of the others' parts between the
	// two sums.
	Known string `json:"known,omitempty"`
	// Error is how well the difference of the two sums tells what these members have added
	// to a network, as measured from totals: the size of the error as a share of that of
	// guessing that each has added as much as the others on average. 0 is exact; 1, the
	// largest, is no better than the guess. Nil where it is not measured.
	Error *float64 `json:"error,omitempty"`
	// Change says that the members have come back into a running total: what is known is
	// how their parts have changed from the first slot to the second. Beside is by how much
	// the total moved in the slot before, which these members were not in, as a share of
	// how it moved when they came back: the changes of the others hide theirs.
	Change bool    `json:"change,omitempty"`
	Beside float64 `json:"beside,omitempty"`

	apart *difference // of a network's sums
}

// series is sums that tell something together.
type series struct {
	known string
	last  *consensus.Decision
	seen  []sighted // the views so far

	errors subtraction
}

// sighted is a view, and the last sum over it.
type sighted struct {
	members []uint32
	slot    uint64
	round   int
	lone    map[int]bool // views, by index, that a LoneChange with it has been reported for
}

// NewLedger returns the empty ledger of a run with a roster, in rank order, of
// which as many members as given may collude. The ledger reports views that differ by one
// more at most. Conserved names what the sums tell of rows whatever the model is,
// such as "N, mean and covariance"; it is empty where that is nothing.
func NewLedger(names []string, colluders int, conserved string) *Ledger {
	return &Ledger{names: names, most: colluders + 1, conserved: conserved, other: map[int]bool{}, updates: map[int]updates{}, sums: map[int]*series{}, running: map[string]*carried{}, holds: map[int]string{}, opened: map[string]*Entry{}}
}

// Named gives the names of a roster that has grown, in rank order.
func (l *Ledger) Named(names []string) { l.names = names }

// Called notes what a sum holds before it is added. Sums of the same length hold the
// same.
func (l *Ledger) Called(blocks []collabdict.Block) {
	length, counts := 0, false
	for _, b := range blocks {
		length += b.Len
		counts = counts || b.Moment == collabdict.Counts
	}
	l.other[length] = !counts
	l.holds[length] = describe(blocks)
	if slices.ContainsFunc(blocks, func(b collabdict.Block) bool { return b.Moment == collabdict.Updates }) {
		l.updates[length] = slices.Clone(blocks)
	}
}

// Knows takes over from another ledger of the run what its sums hold.
func (l *Ledger) Knows(o *Ledger) {
	maps.Copy(l.other, o.other)
	maps.Copy(l.holds, o.holds)
	maps.Copy(l.updates, o.updates)
}

// Add enters the decision of the next slot, which is kept and not modified.
func (l *Ledger) Add(d *consensus.Decision) {
	if d.Kind == consensus.Amend {
		l.addChange(d)
		return
	}
	l.latest, l.round = d, int(d.Round)
	l.addView(d)
	if d.Kind == consensus.Sum && d.Running != nil {
		l.addRunning(d)
	}
	l.enter(d)
	if d.Kind != consensus.Sum || d.Running != nil {
		return
	}
	if len(l.running) > 0 && !l.other[len(d.Total)] && l.updates[len(d.Total)] == nil {
		return // counts beside those that are carried on are of other components each time
	}
	key, known := len(d.Total), ""
	switch {
	case l.conserved != "" && !l.other[key]:
		key, known = conserving, l.conserved
	case d.Round == 0:
		known = contribution
	}
	s := l.sums[key]
	if s == nil {
		s = &series{}
		l.sums[key] = s
	}
	s.known = known
	from := len(l.lone)
	l.compare(s, d)
	l.measure(s, d, from)
	s.last = d
}

// contribution is what is known of sums that are of the start, and so do not depend on
// the model.
const contribution = "contribution to a sum of the start"

// conserving is the key of the sums that all tell the same of rows, however long they
// are. The others are compared with those of their own length.
const conserving = -1

// addChange notes how the roster was changed.
func (l *Ledger) addChange(d *consensus.Decision) {
	a, err := d.Amendment()
	if err != nil {
		return // no member has decided it
	}
	c := RosterChange{After: l.round, Added: []string{}, Removed: l.namesOf(a.Removed), Paused: a.Pause, Resumed: a.Resume}
	for _, s := range a.Added {
		c.Added = append(c.Added, s.Name)
	}
	l.roster = append(l.roster, c)
}

// addView notes who took part where that has changed.
func (l *Ledger) addView(d *consensus.Decision) {
	v := View{Round: int(d.Round), Attempt: int(d.Attempt), Members: l.namesOf(d.Members), Missing: []Missing{}}
	for _, m := range d.Missing {
		v.Missing = append(v.Missing, Missing{Name: l.names[m.Member], Reason: m.Reason})
	}
	if n := len(l.views); n > 0 {
		last := &l.views[n-1]
		if last.Attempt == v.Attempt && slices.Equal(last.Members, v.Members) && slices.Equal(last.Missing, v.Missing) {
			if n == 1 && last.Round == 0 && len(v.Missing) == 0 {
				last.Round = v.Round // nothing has happened before the first round
			}
			return
		}
	}
	l.views = append(l.views, v)
}

func (l *Ledger) namesOf(ranks []uint32) []string {
	names := make([]string, len(ranks))
	for i, r := range ranks {
		names[i] = l.names[r]
	}
	return names
}

// compare looks for sums that d tells something together with.
func (l *Ledger) compare(s *series, d *consensus.Decision) {
	now := s.sight(d)
	if s.last == nil {
		return
	}
	for i := range s.seen {
		before := &s.seen[i]
		lone := outside(before.members, d.Members)
		next := before.slot == s.last.Slot
		members, replaced := l.organisations(lone)
		if i == now || len(lone) == 0 || len(members) > l.most || !next && s.seen[now].lone[i] {
			continue
		}
		s.seen[now].lone[i], before.lone[now] = true, true
		l.lone = append(l.lone, LoneChange{
			Members: members, Replaced: replaced, Slots: [2]uint64{before.slot, d.Slot}, Rounds: [2]int{before.round, int(d.Round)}, Known: s.known,
		})
	}
}

// organisations returns the names of members, each once, and those that two of them have: a
// member that has come back with a new key keeps its name.
func (l *Ledger) organisations(ranks []uint32) (names, twice []string) {
	for _, name := range l.namesOf(ranks) {
		if slices.Contains(names, name) {
			twice = append(twice, name)
			continue
		}
		names = append(names, name)
	}
	return names, twice
}

// sight enters the view of a sum and returns its index.
func (s *series) sight(d *consensus.Decision) int {
	i := slices.IndexFunc(s.seen, func(v sighted) bool { return slices.Equal(v.members, d.Members) })
	if i < 0 {
		i = len(s.seen)
		s.seen = append(s.seen, sighted{members: d.Members, lone: map[int]bool{}})
	}
	s.seen[i].slot, s.seen[i].round = d.Slot, int(d.Round)
	return i
}

// outside returns the members of one view that are not in the other, in rank
// order, as both are.
func outside(a, b []uint32) (lone []uint32) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == b[0]:
			a, b = a[1:], b[1:]
		case a[0] < b[0]:
			lone, a = append(lone, a[0]), a[1:]
		default:
			lone, b = append(lone, b[0]), b[1:]
		}
	}
	return append(append(lone, a...), b...)
}

// Views returns who took part from which round on: an entry where that, or the
// attempt that counts, has changed.
func (l *Ledger) Views() []View { return l.views }

// RosterChanges returns how the roster was changed, in order.
func (l *Ledger) RosterChanges() []RosterChange { return l.roster }

// LoneChanges returns the pairs of sums over views that differ by few members: all
// that follow each other, and of any two other views the first pair.
func (l *Ledger) LoneChanges() []LoneChange { return l.lone }

// Last returns the decision of the last slot, nil before the first.
func (l *Ledger) Last() *consensus.Decision { return l.latest }

// News returns what all members have come to know of others since it was called last.
func (l *Ledger) News() (lines []string) {
	for _, c := range l.lone[l.told:] {
		if line := c.line(); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	l.told = len(l.lone)
	return lines
}

// line says what is known.
func (c LoneChange) line() string {
	members := slices.Clone(c.Members)
	joined := func() string {
		who := strings.Join(members, " and ")
		if len(members) > 1 {
			who += " together"
		}
		return who
	}
	sums := fmt.Sprintf("the sums of rounds %d and %d differ by %s alone", c.Rounds[0], c.Rounds[1], joined())
	for i, m := range members {
		if slices.Contains(c.Replaced, m) {
			members[i] += " (the difference between its new key and its old key)"
		}
	}
	who := joined()
	switch {
	case c.Change:
		return fmt.Sprintf("privacy: how the statistics of %s have changed since round %d is now known to all members, up to the others' changes in round %d", who, c.Rounds[0], c.Rounds[1])
	case c.Slots[0] == c.Slots[1]:
		return fmt.Sprintf("privacy: %s of %s are now exactly known to all members: they joined in round %d, and the agreement accepts lone changes", c.Known, who, c.Rounds[1])
	}
	switch c.Known {
	case "":
		switch {
		case c.Error == nil:
			return fmt.Sprintf("privacy: the contribution of %s is now known to all members, up to the others' changes meanwhile: %s", who, sums)
		case *c.Error >= 1:
			return fmt.Sprintf("privacy: nobody can do better than guess the contribution of %s, since the others have changed more meanwhile: %s", who, sums)
		}
		return fmt.Sprintf("privacy: the contribution of %s is now known to all members, %s: %s", who, c.precision(), sums)
	case contribution:
		return fmt.Sprintf("privacy: the contribution of %s to the start is now exactly known to all members: %s", who, sums)
	}
	verb := "are"
	if !strings.Contains(c.Known, ",") {
		verb = "is"
	}
	if c.Error != nil && *c.Error < 1 {
		sums = "and the contribution, " + c.precision() + ": " + sums
		return fmt.Sprintf("privacy: %s of %s %s now exactly known to all members, %s", c.Known, who, verb, sums)
	}
	return fmt.Sprintf("privacy: %s of %s %s now exactly known to all members: %s", c.Known, who, verb, sums)
}

// error returns the measured error, 1 where there is none.
func (c LoneChange) error() float64 {
	if c.Error == nil {
		return 1
	}
	return *c.Error
}

// precision says how well the contribution to a network is known.
func (c LoneChange) precision() string {
	return fmt.Sprintf("to within about %.0f %% of its difference from the others'", math.Max(1, math.Round(100**c.Error)))
}

// Warnings tells what all members know of others at the end: a line for each group of
// members whose part in sums is known, the smallest first.
func (l *Ledger) Warnings() (lines []string) {
	var groups []string
	bySize := func(a, b LoneChange) int {
		return cmp.Or(cmp.Compare(len(a.Members), len(b.Members)), cmp.Compare(a.error(), b.error()))
	}
	for _, c := range slices.SortedStableFunc(slices.Values(l.lone), bySize) {
		who := fmt.Sprint(c.Members, c.Replaced, c.Known)
		if slices.Contains(groups, who) {
			continue
		}
		groups = append(groups, who)
		if len(lines) < mostGroups {
			lines = append(lines, c.line())
		}
	}
	if more := len(groups) - mostGroups; more > 0 {
		lines = append(lines, fmt.Sprintf("privacy: more groups of members whose part in sums is known: %d (lone_changes in the result lists them)", more))
	}
	return lines
}

// mostGroups bounds the warnings of one run.
const mostGroups = 3
