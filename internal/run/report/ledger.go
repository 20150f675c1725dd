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

// Ledger summarises the decided slots of a run: the members of each sum, and sums that reveal
// more together than alone.
type Ledger struct {
	names     []string // of the roster
	most      int      // views that differ by at most this many members reveal something
	conserved string   // what all sums contain about rows, whatever the model is
	other     map[int]bool
	updates   map[int]updates // updates in sums, by length
	views     []View
	sums      map[int]*series
	running   map[string]*carried
	lone      []LoneChange
	told      int // of lone
	roster    []RosterChange
	round     int // round of the last sum
	latest    *consensus.Decision

	holds    map[int]string // descriptions of sums, by length
	gathered Entry
	opened   map[string]*Entry // entries of sums, by description
	order    []string          // keys of opened
}

// LoneChange reports two sums over views that differ by few members. All members have both
// totals, and learn the contribution of these members from the difference. Sealing does not
// help, since both sums are opened.
type LoneChange struct {
	Members []string `json:"members"` // members in only one of the two sums
	// Replaced are members in both sums, in one with an old key and in the other with a new
	// one: the difference between the two contributions is known.
	Replaced []string  `json:"replaced,omitempty"`
	Slots    [2]uint64 `json:"slots"`  // the numbers of the two sums
	Rounds   [2]int    `json:"rounds"` // their rounds; 0 is the start
	// Known is what all members now know exactly about the rows of these members together. It
	// is absent if they know it only up to the changes of the others' parts between the two
	// sums.
	Known string `json:"known,omitempty"`
	// Error is the error of the difference as an estimate of the members' contribution to a
	// network, measured from totals. It is relative to the error of guessing the mean contribution
	// of the others: 0 is exact, and 1, the largest value, is no better than the guess. It is
	// absent if not measured.
	Error *float64 `json:"error,omitempty"`
	// Change reports whether the members came back into a running total. The others then know how
	// their statistics have changed from the first slot to the second, up to the changes of the
	// others.
	Change bool `json:"change,omitempty"`
	// Beside is how far the total moved in the slot before, without these members, relative to its
	// move when they came back. Near 0, the move is almost theirs alone.
	Beside float64 `json:"beside,omitempty"`

	apart *difference // difference of a network's sums
}

// series is a group of sums that reveal something together.
type series struct {
	known string
	last  *consensus.Decision
	seen  []sighted // views so far

	errors subtraction
}

// sighted is a view, with the last sum over it.
type sighted struct {
	members []uint32
	slot    uint64
	round   int
	lone    map[int]bool // indices of views for which a LoneChange with this view was reported
}

// NewLedger returns the empty ledger of a run with a roster in rank order. The ledger reports
// views that differ by at most colluders + 1 members. conserved names what the sums reveal
// about rows whatever the model is, such as "N, mean and covariance"; it is empty if nothing.
func NewLedger(names []string, colluders int, conserved string) *Ledger {
	return &Ledger{names: names, most: colluders + 1, conserved: conserved, other: map[int]bool{}, updates: map[int]updates{}, sums: map[int]*series{}, running: map[string]*carried{}, holds: map[int]string{}, opened: map[string]*Entry{}}
}

// Named sets the names of a roster that has grown, in rank order.
func (l *Ledger) Named(names []string) { l.names = names }

// Called records the content of a sum before the sum is added. Sums of the same length have the
// same content.
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

// Knows copies the contents of sums from another ledger of the run.
func (l *Ledger) Knows(o *Ledger) {
	maps.Copy(l.other, o.other)
	maps.Copy(l.holds, o.holds)
	maps.Copy(l.updates, o.updates)
}

// Add records the decision of the next slot. It keeps d, and does not modify it.
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
		return // other counts are for different components each time
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

// contribution is what is known from sums at the start, which do not depend on the model.
const contribution = "contribution to a sum of the start"

// conserving is the key of sums that all reveal the same about rows, whatever their length.
// Other sums are compared with sums of the same length.
const conserving = -1

// addChange records a change of the roster.
func (l *Ledger) addChange(d *consensus.Decision) {
	a, err := d.Amendment()
	if err != nil {
		return // members decide no such change
	}
	c := RosterChange{After: l.round, Added: []string{}, Removed: l.namesOf(a.Removed), Paused: a.Pause, Resumed: a.Resume}
	for _, s := range a.Added {
		c.Added = append(c.Added, s.Name)
	}
	l.roster = append(l.roster, c)
}

// addView records the members of a sum if they have changed.
func (l *Ledger) addView(d *consensus.Decision) {
	v := View{Round: int(d.Round), Attempt: int(d.Attempt), Members: l.namesOf(d.Members), Missing: []Missing{}}
	for _, m := range d.Missing {
		v.Missing = append(v.Missing, Missing{Name: l.names[m.Member], Reason: m.Reason})
	}
	if n := len(l.views); n > 0 {
		last := &l.views[n-1]
		if last.Attempt == v.Attempt && slices.Equal(last.Members, v.Members) && slices.Equal(last.Missing, v.Missing) {
			if n == 1 && last.Round == 0 && len(v.Missing) == 0 {
				last.Round = v.Round // nothing happened before the first round
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

// compare finds earlier sums that reveal something together with d.
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

// organisations returns the names of members, each once, and those that occur twice: a member
// with a new key keeps its name.
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

// sight records the view of a sum and returns its index.
func (s *series) sight(d *consensus.Decision) int {
	i := slices.IndexFunc(s.seen, func(v sighted) bool { return slices.Equal(v.members, d.Members) })
	if i < 0 {
		i = len(s.seen)
		s.seen = append(s.seen, sighted{members: d.Members, lone: map[int]bool{}})
	}
	s.seen[i].slot, s.seen[i].round = d.Slot, int(d.Round)
	return i
}

// outside returns the members of only one of the views. All lists are in rank order.
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

// Views returns the members that took part: an entry for each round in which they, or the
// attempt that counts, changed.
func (l *Ledger) Views() []View { return l.views }

// RosterChanges returns the changes of the roster, in order.
func (l *Ledger) RosterChanges() []RosterChange { return l.roster }

// LoneChanges returns pairs of sums over views that differ by few members: all neighbouring
// pairs, and the first pair of any two other views.
func (l *Ledger) LoneChanges() []LoneChange { return l.lone }

// Last returns the decision of the last slot, nil if there is none.
func (l *Ledger) Last() *consensus.Decision { return l.latest }

// News returns warnings about what all members have learned about others since its last call.
func (l *Ledger) News() (news []Warning) {
	for _, c := range l.lone[l.told:] {
		w := c.warning()
		if !slices.ContainsFunc(news, func(before Warning) bool { return before.Text == w.Text }) {
			news = append(news, w)
		}
	}
	l.told = len(l.lone)
	return news
}

// line returns the warning about what all members now know.
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

// error returns the measured error, 1 if not measured.
func (c LoneChange) error() float64 {
	if c.Error == nil {
		return 1
	}
	return *c.Error
}

// precision describes how well the contribution to a network is known.
func (c LoneChange) precision() string {
	return fmt.Sprintf("to within about %.0f %% of its difference from the others'", math.Max(1, math.Round(100**c.Error)))
}

// Warnings returns what all members know about others at the end: a line for each group of
// members whose part in sums is known, the smallest group first.
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

// mostGroups is the largest number of groups with a warning of their own.
const mostGroups = 3
