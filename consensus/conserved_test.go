package consensus

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/internal/testkit"
)

// Linear algebra shows what an observer of all totals in a run knows about single members. The
// vector of member i at the parameters θ is c_i + g_i(θ). The part c_i is common to all its
// vectors, such as its number of rows. The part g_i(θ) differs. From slot to slot the parameters
// change, or stay the same once a model has converged. A coalition knows every total and its own
// vectors. It must not know a combination of only one honest member's symbols:
//
//   - never one that contains c_i;
//   - with HoldLoneReturn, none of the g_i alone, which show how the vector of a member has
//     changed. Otherwise only those of members that came back alone, from round 2 on.

const (
	conservedMost   = 5 // members; the last one joins later
	conservedThetas = 4
	conservedWidth  = conservedMost * (1 + conservedThetas)
)

func common(member int) int { return member }

func change(member, theta int) int { return conservedMost + member*conservedThetas + theta }

// A conserved is the state of a run: the machine that decides whose vectors count, and
// everything that was observed.
type conserved struct {
	m      *Machine
	mutant conservedMutant
	start  uint32 // number of slots before the first round
	theta  int
	before []uint32
	own    map[uint32][]uint64 // counted vector of each member
	total  []uint64
	seen   [][]uint64
	lone   map[uint32]bool // members that have come back alone, where that is allowed
}

// A conservedMutant breaks a rule of running totals.
type conservedMutant string

const (
	wholeAfterReturn  conservedMutant = "the whole vector after a return"
	reAnchored        conservedMutant = "a total over a smaller view in place of the running one"
	newcomerAlone     conservedMutant = "a newcomer's vector counts alone"
	countedAsInvited  conservedMutant = "who counts follows from who was invited, not from the view that is committed"
	removalSubtracted conservedMutant = "the vector of a member that leaves is taken out"
	rowsOverTheView   conservedMutant = "the number of rows of the view is summed beside"
	returnInTheStart  conservedMutant = "a member comes back alone in the start"
	changeWhenHeld    conservedMutant = "a member comes back alone though that is held back"
)

func newConserved(t *testing.T, policy OnLoneReturn, mutant conservedMutant) *conserved {
	t.Helper()
	p := Params{Settings: Settings{Scheme: Exact, Protect: chunking.Chunks, Colluders: 1, OnLoneReturn: policy}}
	for i := range conservedMost {
		p.Members = append(p.Members, fmt.Sprint(i))
	}
	m, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	m.roster.Rules = m.p.Rules(conservedMost - 1)
	return &conserved{m: m, mutant: mutant, start: 1, own: map[uint32][]uint64{}, total: make([]uint64, conservedWidth), lone: map[uint32]bool{}}
}

func (c *conserved) copy() *conserved {
	d := *c
	d.m = &Machine{p: c.m.p, plans: c.m.plans, totals: map[string]*runningTotal{}, slot: &slot{position: position{number: c.m.slot.number}}}
	r := *c.m.roster
	d.m.roster = &r
	for k, t := range c.m.totals {
		copied := *t
		d.m.totals[k] = &copied
	}
	d.own, d.lone, d.seen = maps.Clone(c.own), maps.Clone(c.lone), slices.Clone(c.seen)
	return &d
}

// slot decides a slot with a view, at the parameters θ.
func (c *conserved) slot(view []uint32, theta int) {
	round := uint32(max(0, int64(c.m.slot.number)-int64(c.start)+1))
	h := Header{Round: round, Running: RunningHeader{Key: "k", Size: conservedMost - 1}}
	counts := c.m.countedIn(h, view)
	var returns []uint32
	for _, member := range view {
		if c.own[member] != nil && !slices.Contains(c.before, member) {
			returns = append(returns, member)
		}
	}
	switch c.mutant {
	case newcomerAlone:
		counts = view
	case countedAsInvited:
		all := slices.Clone(view)
		for member := range uint32(conservedMost) { // all were invited, but one is lost
			if !slices.Contains(all, member) {
				all = append(all, member)
			}
		}
		slices.Sort(all)
		counts = slices.DeleteFunc(c.m.countedIn(h, all), func(m uint32) bool { return !slices.Contains(view, m) })
	case returnInTheStart, changeWhenHeld:
		for _, member := range returns {
			if !slices.Contains(counts, member) {
				counts = append(counts, member)
			}
		}
		slices.Sort(counts)
	}
	if c.mutant == reAnchored && len(view) < len(c.own) {
		c.total = make([]uint64, conservedWidth)
		c.own = map[uint32][]uint64{}
		counts = view
	}
	total := slices.Clone(c.total)
	for _, member := range counts {
		x := make([]uint64, conservedWidth)
		x[common(int(member))], x[change(int(member), theta)] = 1, 1
		for i, v := range x {
			if own := c.own[member]; own != nil && !(c.mutant == wholeAfterReturn && slices.Contains(returns, member)) {
				v = (v + prime - own[i]) % prime
			}
			total[i] = (total[i] + v) % prime
		}
		c.own[member] = x
	}
	c.total = total
	c.seen = append(c.seen, total)
	if c.mutant == rowsOverTheView {
		rows := make([]uint64, conservedWidth)
		for _, member := range view {
			rows[common(int(member))] = 1
		}
		c.seen = append(c.seen, rows)
	}
	for _, member := range returns {
		if slices.Contains(counts, member) && round >= firstLoneReturn && c.m.p.OnLoneReturn != HoldLoneReturn {
			c.lone[member] = true
		}
	}
	d := &Decision{Slot: c.m.slot.number, Members: view, Total: []float64{0}, Running: &Counted{Key: "k", Size: h.Running.Size, Members: counts}}
	c.m.updateTotal(d)
	c.m.slot.number++
	c.before = counts
}

// leaves removes a member's vector from the total if the mutant does so.
func (c *conserved) leaves(member uint32) {
	own := c.own[member]
	if c.mutant != removalSubtracted || own == nil {
		return
	}
	total := slices.Clone(c.total)
	for i, v := range own {
		total[i] = (total[i] + prime - v) % prime
	}
	c.total, c.seen = total, append(c.seen, total)
	delete(c.own, member)
}

// known returns a description of forbidden knowledge that a coalition of one has about another
// single member, or "".
func (c *conserved) known(coalition int) string {
	rows := slices.Clone(c.seen)
	for _, i := range symbols(coalition) {
		unit := make([]uint64, conservedWidth)
		unit[i] = 1
		rows = append(rows, unit)
	}
	all := rankOf(rows, nil)
	for member := range conservedMost {
		if member == coalition {
			continue
		}
		of := symbols(member)
		alone := all - rankOf(rows, of)       // dimension of what is known about the member alone
		changes := all - rankOf(rows, of[1:]) // dimension of what is known about its changes
		switch {
		case alone > changes:
			return fmt.Sprintf("%d knows what the vectors of %d have in common", coalition, member)
		case changes > 0 && !c.lone[uint32(member)]:
			return fmt.Sprintf("%d knows how the vector of %d has changed", coalition, member)
		}
	}
	return ""
}

// symbols returns the columns of a member. The first is that of the part that all its vectors
// have in common.
func symbols(member int) []int {
	out := []int{common(member)}
	for theta := range conservedThetas {
		out = append(out, change(member, theta))
	}
	return out
}

func rankOf(rows [][]uint64, without []int) int {
	copied := make([][]uint64, len(rows))
	for i, r := range rows {
		copied[i] = slices.Clone(r)
		for _, column := range without {
			copied[i][column] = 0
		}
	}
	return len(eliminate(copied))
}

// viewsOf returns the sets of members with which a slot may be decided.
func viewsOf(roster, least int) (views [][]uint32) {
	for set := range 1 << roster {
		var view []uint32
		for i := range roster {
			if set>>i&1 == 1 {
				view = append(view, uint32(i))
			}
		}
		if len(view) >= least {
			views = append(views, view)
		}
	}
	return views
}

// explore decides slots with all possible views, at the last parameters and at others. It
// returns the first fault and the number of runs explored. The last member joins with the third
// slot; a member leaves with the fourth.
func (c *conserved) explore(slots int, path string) (fault string, runs int) {
	if slots == 0 {
		return "", 1
	}
	roster := conservedMost - 1
	if c.m.slot.number >= 2 {
		roster = conservedMost
	}
	for _, view := range viewsOf(roster, 3) {
		for _, theta := range []int{c.theta, c.theta + 1} {
			if theta == conservedThetas || c.m.slot.number == 0 && theta > 0 {
				continue
			}
			next := c.copy()
			next.theta = theta
			if next.m.slot.number == 3 {
				next.leaves(0)
			}
			next.slot(view, theta)
			at := fmt.Sprintf("%s %v@%d", path, view, theta)
			for coalition := range conservedMost {
				if fault := next.known(coalition); fault != "" {
					return fault + " after" + at, runs
				}
			}
			fault, n := next.explore(slots-1, at)
			if runs += n; fault != "" {
				return fault, runs
			}
		}
	}
	return "", runs
}

// In every sequence of views, and whenever the model converges, no combination of totals
// reveals forbidden knowledge about a single member.
func TestNothingOfOneMemberAlone(t *testing.T) {
	slots := 4
	if !testkit.Long {
		slots = 2
	}
	for _, policy := range []OnLoneReturn{AllowLoneReturn, HoldLoneReturn} {
		fault, runs := newConserved(t, policy, "").explore(slots, "")
		t.Logf("%s: %d runs of %d slots", policy, runs, slots)
		if fault != "" {
			t.Errorf("%s: %s", policy, fault)
		}
	}
}

// Each rule is needed: without it, some run reveals a part that the rule protects.
func TestEveryRuleOfRunningTotalsIsNeeded(t *testing.T) {
	testkit.LongOnly(t)
	for _, mutant := range []conservedMutant{wholeAfterReturn, reAnchored, newcomerAlone, countedAsInvited, removalSubtracted, rowsOverTheView, returnInTheStart, changeWhenHeld} {
		policy := AllowLoneReturn
		if mutant == changeWhenHeld {
			policy = HoldLoneReturn
		}
		c := newConserved(t, policy, mutant)
		if mutant == returnInTheStart {
			c.start = 3
		}
		fault, runs := c.explore(4, "")
		t.Logf("%s: after %d runs: %s", mutant, runs, fault)
		if fault == "" {
			t.Errorf("%s: nothing is found in %d runs", mutant, runs)
		}
	}
}
