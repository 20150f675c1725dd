package consensus

import (
	"math/bits"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/testkit"
)

// A search visits all reachable worlds, breadth first.
type search struct {
	*model
	rules_ Rules
	index  map[[2]uint64]int32 // by digest
	queue  []world             // to be visited
	parent []int32
	label  []uint32   // of actions
	edges  [][2]int32 // steps without a fault, and by messages of live members
	ends   []ending
	bad    map[string]int32
	steps  int
	labels map[action]uint32
	acts   []action
}

// An ending is the reason why no step leads on from a world.
type ending byte

const (
	goesOn        ending = iota
	opened               // all live members have opened the slot
	tooFewUp             // too few live members for a quorum or a view
	tooFewHolders        // too few live holders of shares of a lost member's pad
	noBallots            // the search has no more ballots
)

// run visits at most limit worlds and reports whether those are all.
func (x *model) run(limit int) (*search, bool) {
	s := &search{model: x, index: map[[2]uint64]int32{}, bad: map[string]int32{}, labels: map[action]uint32{}}
	first := x.start()
	s.rules_ = x.bend(x.settings.Rules(x.size))
	if x.first {
		s.rules_.Least = x.size
	}
	if x.called {
		for self := range x.size {
			r := s.call(first.nodes[self], self)
			first.nodes[self] = r.node
			for _, p := range r.posts {
				first.sent[p/64] |= 1 << (p % 64)
			}
		}
	}
	s.visit(first, -1, action{}, true)
	for at := int32(0); len(s.queue) > 0; at++ {
		if int(at) == limit || s.found() {
			return s, false
		}
		w := s.queue[0]
		s.queue = s.queue[1:]
		s.step(w, at)
	}
	return s, true
}

func (s *search) visit(w world, from int32, a action, live bool) {
	s.tidy(&w)
	key := w.digest()
	id, known := s.index[key]
	if !known {
		id = int32(len(s.parent))
		s.index[key] = id
		s.queue = append(s.queue, w)
		s.parent = append(s.parent, from)
		s.label = append(s.label, s.number(a))
		s.ends = append(s.ends, s.ending(&w))
		s.violations(&w, func(v string) {
			if _, had := s.bad[v]; !had {
				s.bad[v] = id
			}
		})
	}
	if live && from >= 0 {
		s.edges = append(s.edges, [2]int32{id, from})
	}
	s.steps++
}

// found reports whether the search has found the fault that a mutant should cause.
func (s *search) found() bool {
	for v := range s.bad {
		if s.firstBad != "" && strings.HasPrefix(v, s.firstBad) {
			return true
		}
	}
	return false
}

func (s *search) number(a action) uint32 {
	n, known := s.labels[a]
	if !known {
		n = uint32(len(s.acts))
		s.labels[a] = n
		s.acts = append(s.acts, a)
	}
	return n
}

// tidy drops messages that can have no more effect: promises of a ballot whose owner has made
// its view.
func (s *search) tidy(w *world) {
	var viewed [8]bool
	w.each(func(p int) {
		if post := &s.posts[p]; post.kind == viewKind {
			viewed[post.ballot] = true
		}
	})
	w.each(func(p int) {
		if post := &s.posts[p]; post.kind == promiseKind && viewed[post.ballot] {
			w.sent[p/64] &^= 1 << (p % 64)
		}
	})
}

// trace returns the steps that lead to a world.
func (s *search) trace(id int32) string {
	var steps []string
	for ; id > 0; id = s.parent[id] {
		steps = append(steps, s.describe(s.acts[s.label[id]]))
	}
	slices.Reverse(steps)
	return strings.Join(steps, ", ")
}

// stuck counts, by their ending, the worlds from which no opened world can be reached without a
// fault. It returns the first one without an explanation.
func (s *search) stuck() (counts map[ending]int, first int32) {
	start := make([]int32, len(s.parent)+1)
	for _, e := range s.edges {
		start[e[0]+1]++
	}
	for i := range s.parent {
		start[i+1] += start[i]
	}
	back, at := make([]int32, len(s.edges)), slices.Clone(start)
	for _, e := range s.edges {
		back[at[e[0]]] = e[1]
		at[e[0]]++
	}
	good := make([]bool, len(s.parent))
	var queue []int32
	for id, k := range s.ends {
		if k == opened {
			good[id] = true
			queue = append(queue, int32(id))
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, from := range back[start[queue[0]]:start[queue[0]+1]] {
			if !good[from] {
				good[from] = true
				queue = append(queue, from)
			}
		}
	}
	counts, first = map[ending]int{}, -1
	for id, k := range s.ends {
		if !good[id] {
			counts[k]++
			if k == goesOn && first < 0 {
				first = int32(id)
			}
		}
	}
	return counts, first
}

func (s *search) node(w *world, member int) *node { return &s.nodes[w.nodes[member]] }

func (s *search) step(w world, id int32) {
	for self := range s.size {
		n := s.node(&w, self)
		if !n.up {
			s.restart(w, id, self)
			continue
		}
		if w.crashes > 0 {
			next := w
			next.nodes[self] = s.intern(node{self: self, disk: n.disk, log: n.log, failed: n.failed})
			next.crashes--
			s.visit(next, id, action{what: 'x', self: int8(self)}, false)
		}
		if n.failed {
			continue
		}
		if n.log == nil {
			s.act(&w, id, self, n.machine)
		}
		if sl := n.machine.slot; sl.number == 0 && sl.ballots.commit != nil && !sl.opener.(*openPads).shown && s.lacksPads(&w, sl) {
			s.take(&w, id, action{what: 's', self: int8(self)}, true, func(m *Machine, e *Effects) { m.pressOpening(e) }, nil)
		}
	}
}

func (s *search) restart(w world, id int32, self int) {
	if w.restarts == 0 {
		return
	}
	a := action{what: 'r', self: int8(self), n: w.restarts}
	key := localKey{node: w.nodes[self], action: a}
	r, known := s.results[key]
	if !known {
		n := s.node(&w, self)
		m := s.still(must(Resume(s.since(s.params(self), n.log), s.saved(n), [32]byte{byte(self), byte(w.restarts), 99})))
		s.spoil(self, m, n.log, true)
		r = result{node: s.intern(node{self: self, machine: m, disk: n.disk, log: n.log, up: true, failed: n.failed})}
		s.results[key] = r
	}
	next := w
	next.nodes[self] = r.node
	next.restarts--
	if s.called && s.nodes[r.node].log == nil {
		r = s.call(r.node, self)
		next.nodes[self] = r.node
		for _, p := range r.posts {
			next.sent[p/64] |= 1 << (p % 64)
		}
	}
	s.visit(next, id, a, false)
}

func (s *search) saved(n *node) Saved {
	saved := Saved{Last: n.log}
	first, second := map[string][]byte{}, map[string][]byte{}
	for name, b := range n.disk {
		if of, after := strings.CutPrefix(name, "1"); after {
			second[of] = b
		} else {
			first[name] = b
		}
	}
	saved.Slots = map[uint64]map[string][]byte{}
	if len(first) > 0 {
		saved.Slots[0] = s.damage(first)
	}
	if len(second) > 0 {
		saved.Slots[1] = second
	}
	return saved
}

// take adds a local step to the search, if it is worthwhile.
func (s *search) take(w *world, id int32, a action, live bool, do func(m *Machine, e *Effects), worth func(r result) bool) {
	key := localKey{node: w.nodes[a.self], action: a}
	if a.what == 'd' || a.what == 'o' {
		key.helper = w.nodes[a.other]
	}
	r := s.local(key, do)
	if worth != nil && !worth(r) {
		return
	}
	next := *w
	next.nodes[a.self] = r.node
	for _, p := range r.posts {
		next.sent[p/64] |= 1 << (p % 64)
	}
	if next != *w {
		s.visit(next, id, a, live)
	}
}

// act takes the steps of a member that has not opened the slot. Messages that have no effect
// before the last of their kind are taken together, once all are there. That loses no outcome:
// taking some of them earlier changes nothing that another member can see.
func (s *search) act(w *world, id int32, self int, m *Machine) {
	sl := m.slot
	if !m.calls() {
		s.take(w, id, action{what: 'c', self: int8(self)}, true, s.enter(self, m), nil)
		return
	}
	if b := m.roster.next(self, sl.ballots.promised); sl.ballots.commit == nil && b <= s.ballots && sl.ballots.made[b] == nil {
		s.take(w, id, action{what: 'p', self: int8(self)}, true, func(m *Machine, e *Effects) { s.deafen(m); m.propose(e) }, nil)
	}
	var seeds, steps, promises, opening []int16
	votes := map[uint32][]int16{}
	w.each(func(p int) {
		post := &s.posts[p]
		if post.mask>>self&1 == 0 {
			return
		}
		switch post.kind {
		case prepareKind, viewKind:
			if sl.ballots.commit == nil {
				s.hand(w, id, self, []int16{int16(p)}, nil, nil)
			}
		case promiseKind:
			if sl.ballots.promises != nil && post.ballot == sl.ballots.promised && sl.ballots.made[post.ballot] == nil {
				promises = append(promises, int16(p))
			}
		case seedsKind:
			if post.ballot == sl.ballots.promised {
				seeds = append(seeds, int16(p))
			}
		case stepKind:
			if post.ballot == sl.ballots.promised {
				steps = append(steps, int16(p))
			}
		case doneKind:
			votes[post.ballot] = append(votes[post.ballot], int16(p))
		case padsKind, sharesKind:
			opening = append(opening, int16(p))
		}
	})
	if a := sl.attempts[sl.ballots.promised]; a != nil && a.here && sl.ballots.commit == nil {
		if a.lanes == nil && len(seeds) >= len(a.view.Members)-1 {
			s.hand(w, id, self, seeds, nil, nil)
		}
		if a.lanes != nil && a.result == nil && len(steps) >= len(a.view.Members)-1 {
			s.hand(w, id, self, steps, nil, nil)
		}
	}
	for set := 1; set < 1<<len(promises); set++ {
		var chosen []int16
		for i, p := range promises {
			if set>>i&1 == 1 {
				chosen = append(chosen, p)
			}
		}
		s.hand(w, id, self, chosen, func(m *Machine, e *Effects) { s.deafen(m); m.formView(true, e) }, func(r result) bool {
			return s.nodes[r.node].machine.slot.ballots.made[sl.ballots.promised] != nil
		})
	}
	if sl.ballots.commit == nil {
		for b := range s.ballots + 1 {
			if votes[b] != nil {
				s.hand(w, id, self, votes[b], nil, func(r result) bool { return r.committed })
			}
		}
	} else if opening != nil {
		s.hand(w, id, self, opening, nil, func(r result) bool { return r.opened })
	}
	for other := range s.size {
		if n := s.node(w, other); other != self && n.up && !n.failed {
			s.ask(w, id, self, other)
		}
	}
}

// enter returns the step of a member's call, with different entropy after a restart.
func (s *search) enter(self int, m *Machine) func(m *Machine, e *Effects) {
	entropy := [32]byte{byte(self), m.entropy[2]}
	return func(m *Machine, e *Effects) {
		m.enter(s.modelCall(self, entropy), e)
	}
}

func (s *search) call(node int32, self int) result {
	return s.local(localKey{node: node, action: action{what: 'c', self: int8(self)}}, s.enter(self, s.nodes[node].machine))
}

func (s *search) hand(w *world, id int32, self int, posts []int16, then func(*Machine, *Effects), worth func(result) bool) {
	a := action{what: 'm', self: int8(self), n: int8(len(posts))}
	copy(a.posts[:], posts)
	if len(posts) > len(a.posts) {
		panic("too many messages at once")
	}
	live := true
	for _, p := range posts {
		live = live && s.node(w, s.posts[p].from).up
	}
	s.take(w, id, a, live, func(m *Machine, e *Effects) {
		for _, p := range posts {
			s.receive(m, &s.posts[p], e)
		}
		if then != nil {
			then(m, e)
		}
	}, worth)
}

// lacksPads reports whether a pad of the decided attempt has not been sent, or only by a member
// that is down.
func (s *search) lacksPads(w *world, sl *slot) bool {
	sealed := sl.results.sealed[sl.ballots.commit.Value.Attempt]
	if sealed == nil {
		return false
	}
	told := uint8(0)
	w.each(func(p int) {
		if post := &s.posts[p]; post.kind == padsKind && post.ballot == sealed.Attempt && s.node(w, post.from).up {
			told |= 1 << post.from
		}
	})
	for _, r := range sealed.Members {
		if told>>r&1 == 0 {
			return true
		}
	}
	return false
}

// ask lets a member ask another one for decisions. It takes only the part of the answer that
// decides, or all of it if that opens the slot.
func (s *search) ask(w *world, id int32, self, other int) {
	ask := func(what byte, worth func(result) bool, wanted func(Body) bool) {
		s.take(w, id, action{what: what, self: int8(self), other: int8(other)}, true, func(m *Machine, e *Effects) {
			helper := copyOf(s.node(w, other).machine)
			var question, answer Effects
			copyOf(m).sendHeartbeat(other, &question)
			for _, send := range question.Sends {
				helper.receive(self, send.Message, &answer)
			}
			for _, send := range answer.Sends {
				if wanted(send.Message.Body) {
					m.receive(other, send.Message, e)
				}
			}
		}, worth)
	}
	ask('d', nil, func(b Body) bool {
		switch b.(type) {
		case *Commit, *Seal, *View:
			return true
		}
		return false
	})
	ask('o', func(r result) bool { return r.opened }, func(b Body) bool {
		switch b.(type) {
		case *Commit, *Seal, *Pads, *Shares:
			return true
		}
		return false
	})
}

// ending returns the reason why no step leads on from a world.
func (s *search) ending(w *world) ending {
	live, done, promised, committed := uint8(0), 0, uint32(0), false
	for self := range s.size {
		n := s.node(w, self)
		if !n.up {
			continue
		}
		live |= 1 << self
		if n.log != nil {
			done++
		} else {
			promised = max(promised, n.machine.slot.ballots.promised)
		}
		committed = committed || n.log != nil || n.machine.slot.ballots.commit != nil
	}
	count := bits.OnesCount8(live)
	switch {
	case live > 0 && done == count:
		return opened
	case s.mutant != noShares && s.holdersLost(w, live):
		return tooFewHolders
	case committed: // the remaining steps need no quorum
		return goesOn
	case count < s.rules_.Quorum || count < s.rules_.Least:
		return tooFewUp
	}
	for self := range s.size {
		if live>>self&1 == 1 && s.rules_.next(self, promised) <= s.ballots {
			return goesOn
		}
	}
	return noBallots
}

// holdersLost reports whether an attempt with votes has a lost member whose pad the live
// members have too few shares to rebuild.
func (s *search) holdersLost(w *world, live uint8) (yes bool) {
	w.each(func(p int) {
		post := &s.posts[p]
		if post.kind != doneKind {
			return
		}
		if v := s.viewOf(w, post.ballot); v != 0 && v&^live != 0 && bits.OnesCount8(v&live) < s.rules_.Shares {
			yes = true
		}
	})
	return yes
}

// viewOf returns the members of a ballot's new attempt, 0 if there is none.
func (s *search) viewOf(w *world, ballot uint32) (view uint8) {
	if ballot == 0 {
		return 1<<s.size - 1
	}
	w.each(func(p int) {
		if post := &s.posts[p]; post.kind == viewKind && post.ballot == ballot {
			for _, r := range post.view.Members {
				view |= 1 << r
			}
		}
	})
	return view
}

// violations reports broken invariants.
func (s *search) violations(w *world, report func(string)) {
	var first *Decision
	for self := range s.size {
		n := s.node(w, self)
		if n.failed {
			report("a member has failed")
		}
		if n.log == nil {
			continue
		}
		if first != nil && first.Chain != n.log.Chain {
			report("S1: two totals")
		}
		first = n.log
		if s.paused && n.log.Kind != Amend {
			report("S5: a sum is decided while the run is paused")
		}
		if s.hears && len(n.log.Missing) > 0 {
			report("S4: a member that all hear is left out")
		}
		if s.first && n.log.Kind == Sum && len(n.log.Missing) > 0 {
			report("R3: a running total begins without a member")
		}
		if s.running {
			if wrong := s.checkRunning(self, n.machine, n.log); wrong != "" {
				report(wrong)
			}
		} else if wrong := s.check(n.log); wrong != "" {
			report("wrong sum: " + wrong)
		}
	}
	var votes [8][16]uint8 // by ballot and value
	var known [4]knownAttempt
	w.each(func(p int) {
		post := &s.posts[p]
		a, bit := &known[post.ballot], uint8(1)<<post.from
		switch post.kind {
		case seedsKind:
			if a.dealt&bit != 0 {
				report("S3: dealt twice")
			}
			a.dealt |= bit
		case stepKind:
			a.begun |= bit
		case padsKind:
			a.pads |= bit
		case sharesKind:
			a.shares |= bit
		case doneKind:
			votes[post.ballot][post.value%16] |= bit
		}
	})
	chosen := -1
	for b := range votes {
		for v, set := range votes[b] {
			if bits.OnesCount8(set) < s.rules_.Quorum {
				continue
			}
			if chosen >= 0 && chosen != v {
				report("S1: two values have a quorum")
			}
			chosen = v
		}
	}
	for b := range known {
		if known[b].begun != 0 {
			known[b].view = s.viewOf(w, uint32(b))
		} else {
			known[b] = knownAttempt{}
		}
	}
	most := s.learned(known)
	if most > 1 {
		report("S2: a difference of totals is known")
	}
	if most > 0 && chosen < 0 {
		report("S2: a total is known before the decision")
	}
}

// learned returns the largest knowledge of a coalition of one.
func (s *search) learned(known [4]knownAttempt) int {
	most, seen := s.knows[known]
	if !seen {
		for c := range s.size {
			most = max(most, learned(s.size, 1<<c, known[:], s.rules_.Shares))
		}
		s.knows[known] = most
	}
	return most
}

func (s *search) log(t *testing.T, began time.Time) {
	counts, _ := s.stuck()
	t.Logf("%d worlds, %d steps, %d local states, %d messages in %s; not live: %d too few up, %d too few holders of shares, %d ballots used up, %d unexplained",
		len(s.parent), s.steps, len(s.nodes), len(s.posts), time.Since(began).Round(time.Millisecond),
		counts[tooFewUp], counts[tooFewHolders], counts[noBallots], counts[goesOn])
}

// In no order of ballots can a member that all hear be left out.
func TestWhomAllHearIsInEveryOrderOfEvents(t *testing.T) {
	x := newModel(3, 1, 0, 0)
	x.called, x.hears, x.least = true, true, 2
	if testkit.Full {
		x.ballots = 2
	}
	x.searched(t, 10_000_000)
}

// searched searches all states of a model and fails the test if any of them is bad, or if their
// number exceeds most.
func (x *model) searched(t *testing.T, most int) *search {
	t.Helper()
	began := time.Now()
	s, all := x.run(most)
	s.log(t, began)
	if !all {
		t.Error("the search was cut off")
	}
	for v, id := range s.bad {
		t.Errorf("%s: %s", v, s.trace(id))
	}
	return s
}

// These invariants hold in every order of events, with lost, late and doubled messages, a member
// that stops and one that comes back. Each slot has one total, which continues the previous one.
// Only that total is known of any vector. Each member knows which of its vectors is counted. No
// secret is drawn twice. A total can always be reached as long as enough members are up.
func TestEveryOrderOfEvents(t *testing.T) {
	x := newModel(3, 1, 1, 1)
	x.called, x.running = true, true
	switch {
	case testkit.Full: // takes time and memory
		x.ballots = 2
	case !testkit.Long:
		x.restarts = 0
	}
	s := x.searched(t, 400_000_000)
	if _, first := s.stuck(); first >= 0 {
		t.Errorf("stuck: %s", s.trace(first))
	}
}

// In every order of events, a running total begins with all members, or waits for them, even if
// smaller views would do for other sums.
func TestEveryOrderOfAFirstTotal(t *testing.T) {
	testkit.LongOnly(t)
	x := newModel(3, 1, 1, 1)
	x.called, x.first, x.least = true, true, 2
	s := x.searched(t, 10_000_000)
	if _, first := s.stuck(); first >= 0 {
		t.Errorf("stuck: %s", s.trace(first))
	}
}

// In every order of events, a slot in which a quorum requests a pause decides either the pause
// or the sum.
func TestEveryOrderOfAPause(t *testing.T) {
	testkit.LongOnly(t)
	x := newModel(3, 1, 1, 1)
	x.called, x.wants = true, x.of(pauses(1))
	s := x.searched(t, 10_000_000)
	if _, first := s.stuck(); first >= 0 {
		t.Errorf("stuck: %s", s.trace(first))
	}
	kinds := map[Kind]bool{}
	for i := range s.nodes {
		if d := s.nodes[i].log; d != nil {
			kinds[d.Kind] = true
		}
	}
	if !kinds[Sum] || !kinds[Amend] {
		t.Errorf("decides %v, want the sum in some orders and the pause in others", kinds)
	}
}

// In every order of events, a slot of a paused run decides only an amendment, and can always
// decide the one that a quorum requests.
func TestEveryOrderWhilePaused(t *testing.T) {
	x := newModel(3, 2, 1, 1)
	x.called, x.paused, x.wants, x.least = true, true, x.of(resumes(2)), 2
	if !testkit.Long {
		x.restarts = 0
	}
	s := x.searched(t, 10_000_000)
	if _, first := s.stuck(); first >= 0 {
		t.Errorf("stuck: %s", s.trace(first))
	}
}

// In every order of events, a paused run decides only amendments, even if one member ignores the
// pause.
func TestEveryOrderOfABrokenPause(t *testing.T) {
	testkit.LongOnly(t)
	x := newModel(3, 2, 1, 1)
	x.called, x.paused, x.wants, x.least, x.deaf = true, true, x.of(resumes(2)), 2, 1
	x.searched(t, 10_000_000)
}
