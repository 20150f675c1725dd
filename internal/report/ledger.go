package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/collabdict/collabdict/consensus"
)

// Ledger sums up the decided slots of a run: who was in which sum, and which sums
// tell more together than each does alone.
type Ledger struct {
	names  []string // of the roster
	most   int      // members by which views that tell something differ
	views  []View
	sums   map[int]*series // by length
	lone   []LoneChange
	roster []RosterChange
	round  int // of the last sum
	latest *consensus.Decision
}

// LoneChange says that two sums of the same length are over views that differ by
// few members only: what these have added is the difference of the sums, but for
// what the statistics of the others have changed in between. Sealing does not help
// against that, as both sums are public.
type LoneChange struct {
	Members []string  `json:"members"` // in one of the two sums only
	Slots   [2]uint64 `json:"slots"`
	Rounds  [2]int    `json:"rounds"` // 0 is the start-up
	// Drift is ‖change of the sum between two slots of one view next to these‖₂ over
	// ‖difference of the two sums‖₂: about the relative error with which the
	// difference shows the members' statistics. Absent if there are no such slots.
	Drift *float64 `json:"drift,omitempty"`
}

// series is the sums of one length.
type series struct {
	last    *consensus.Decision
	moved   float64   // by how much the sum changed between the last two slots of one view
	known   bool      // moved is
	seen    []sighted // the views so far
	pending []gap     // whose drift is not known yet
}

// sighted is a view, and the last sum over it.
type sighted struct {
	members []uint32
	slot    uint64
	round   int
	lone    map[int]bool // views, by index, that a LoneChange with it has been told of
}

// gap is a LoneChange by its index, and the difference of the two sums.
type gap struct {
	index      int
	difference float64
}

// NewLedger returns the empty ledger of a run with a roster, in rank order, of
// which as many members as given may collude: views that differ by one more at
// most are told of.
func NewLedger(names []string, colluders int) *Ledger {
	return &Ledger{names: names, most: colluders + 1, sums: map[int]*series{}}
}

// Add enters the decision of the next slot, whose total is kept and not modified.
func (l *Ledger) Add(d *consensus.Decision) {
	if d.Kind == consensus.Amend {
		l.addChange(d)
		return
	}
	l.latest, l.round = d, int(d.Round)
	l.addView(d)
	if d.Kind != consensus.Sum {
		return
	}
	s := l.sums[len(d.Total)]
	if s == nil {
		s = &series{}
		l.sums[len(d.Total)] = s
	}
	l.compare(s, d)
	s.last = d
}

// addChange notes how the roster was changed.
func (l *Ledger) addChange(d *consensus.Decision) {
	a, err := d.Amendment()
	if err != nil {
		return // no member has decided it
	}
	c := RosterChange{After: l.round, Added: []string{}, Removed: l.namesOf(a.Removed)}
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
	difference := distance(d.Total, s.last.Total)
	adjacent := slices.Equal(s.last.Members, d.Members)
	if adjacent {
		s.moved, s.known = difference, true
		for _, g := range s.pending {
			l.lone[g.index].Drift = ratio(difference, g.difference)
		}
		s.pending = nil
	}
	for i := range s.seen {
		before := &s.seen[i]
		lone := outside(before.members, d.Members)
		next := before.slot == s.last.Slot
		if i == now || len(lone) == 0 || len(lone) > l.most || !next && s.seen[now].lone[i] {
			continue
		}
		s.seen[now].lone[i], before.lone[now] = true, true
		c := LoneChange{
			Members: l.namesOf(lone), Slots: [2]uint64{before.slot, d.Slot}, Rounds: [2]int{before.round, int(d.Round)},
		}
		switch {
		case next && s.known:
			c.Drift = ratio(s.moved, difference)
		case next:
			s.pending = append(s.pending, gap{len(l.lone), difference})
		}
		l.lone = append(l.lone, c)
	}
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
// order.
func outside(a, b []uint32) []uint32 {
	var lone []uint32
	for _, m := range a {
		if !slices.Contains(b, m) {
			lone = append(lone, m)
		}
	}
	for _, m := range b {
		if !slices.Contains(a, m) {
			lone = append(lone, m)
		}
	}
	slices.Sort(lone)
	return lone
}

func distance(a, b []float64) float64 {
	var square float64
	for i := range a {
		d := a[i] - b[i]
		square += float64(d * d)
	}
	return math.Sqrt(square)
}

func ratio(a, b float64) *float64 {
	if b == 0 {
		return nil
	}
	r := a / b
	return &r
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

// Warnings tells of lone changes in a line.
func (l *Ledger) Warnings() []string {
	if len(l.lone) == 0 {
		return nil
	}
	first := l.lone[0]
	line := fmt.Sprintf("privacy: two sums differ by %s alone (rounds %d and %d)", strings.Join(first.Members, ", "), first.Rounds[0], first.Rounds[1])
	if more := len(l.lone) - 1; more > 0 {
		line += fmt.Sprintf(", and %d more pairs by few members", more)
	}
	return []string{line + ": whoever subtracts them learns about what the members in question added; lone_changes in the result lists them"}
}
