package consensus

import (
	"cmp"
	"fmt"
	"slices"
)

// The ballots of a slot are those of a single-decree Paxos over the roster. What
// makes them safe stands in this file:
//
//   - a member acts in no ballot below the one it has promised, and says with its
//     promise what it last voted for;
//   - a view made from a quorum's promises finishes what the highest of the votes
//     among them was for, and starts anew only where there is none;
//   - a quorum's equal votes in one ballot decide, and quorums meet.

// maxBallot is above any ballot that members come to one after the other. Who was
// made to promise one at the end of the numbers would go on from the beginning.
const maxBallot = 1 << 30

// propose prepares this member's next ballot.
func (m *Machine) propose(e *Effects) {
	s := m.slot
	m.promise(m.rules.next(m.p.Self, s.promised))
	m.prepare(e)
}

// prepare asks for the promises of this member's ballot that it has promised.
func (m *Machine) prepare(e *Effects) {
	s := m.slot
	s.prepared = m.now
	s.promises = map[int]Promise{m.p.Self: m.ownPromise()}
	m.tell(e, s.promised, &Prepare{})
}

// promise leaves all lower ballots for good.
func (m *Machine) promise(ballot uint32) {
	s := m.slot
	s.promised, s.promises, s.dirty = ballot, nil, true
	m.since = m.now
	for b, a := range s.attempts {
		if b < ballot {
			a.leave()
		}
	}
}

// receivePrepare promises a ballot to its owner, unless this member works in an
// attempt that goes on.
func (m *Machine) receivePrepare(from int, ballot uint32, e *Effects) {
	s := m.slot
	if ballot == 0 || m.rules.owner(ballot) != from || ballot < s.promised || s.commit != nil || s.barred || !m.rules.decides(m.p.Self) {
		return
	}
	if ballot > s.promised {
		if ballot > maxBallot {
			return
		}
		if m.busy() {
			m.send(e, from, ballot, &Busy{Working: s.promised})
			return
		}
		m.promise(ballot)
	}
	p := m.ownPromise()
	m.send(e, from, ballot, &p)
}

func (m *Machine) ownPromise() Promise {
	s := m.slot
	p := Promise{Member: uint32(m.p.Self), Vote: s.vote, Joins: m.joins(), Chain: s.chain}
	if m.betweenRounds() {
		p.Amends = m.wished()
	}
	if m.p.Keys != nil {
		p.Signature = m.p.Keys.Sign(m.promiseBytes(s.promised, p))
	}
	return p
}

// joins says whether this member's learner has come to the slot under way.
func (m *Machine) joins() bool { return m.slot.call != nil || m.learner >= m.slot.number }

func (m *Machine) promiseBytes(ballot uint32, p Promise) []byte {
	h := newHashing("promise", m.p.Run)
	if p.Amends != [32]byte{} {
		h = newHashing("promise to amend", m.p.Run)
		h.Write(p.Amends[:])
	}
	h.number(m.slot.number)
	h.number(uint64(ballot))
	h.number(uint64(p.Member))
	h.Write(p.Chain[:])
	if p.Joins {
		h.number(1)
	}
	if p.Vote != nil {
		h.number(uint64(p.Vote.Ballot))
		h.value(p.Vote.Value)
	}
	d := h.sum()
	return d[:]
}

// checkPromise says whether a promise may enter the view of a ballot.
func (m *Machine) checkPromise(ballot uint32, p Promise) bool {
	if !m.rules.decides(int(p.Member)) || p.Chain != m.slot.chain {
		return false
	}
	if v := p.Vote; v != nil && (v.Ballot >= ballot || v.Value.Attempt > v.Ballot) {
		return false
	}
	return m.p.Keys == nil || m.p.Keys.Verify(int(p.Member), m.promiseBytes(ballot, p), p.Signature)
}

// receivePromise collects promises for the ballot that this member has prepared.
func (m *Machine) receivePromise(from int, ballot uint32, p *Promise, e *Effects) {
	s := m.slot
	if ballot != s.promised || s.promises == nil || s.own[ballot] != nil || int(p.Member) != from || !m.checkPromise(ballot, *p) {
		return
	}
	s.promises[from] = *p
	m.formView(false, e)
}

// formView makes the view of this member's ballot from the promises that have
// come, once there are enough and nobody is worth waiting for, or the wait is
// over. A ballot has one view for ever.
func (m *Machine) formView(over bool, e *Effects) {
	s := m.slot
	if s.commit != nil || s.promises == nil || s.own[s.promised] != nil {
		return
	}
	if !over && m.promisesToCome() {
		return
	}
	v := m.draft()
	if v == nil {
		return
	}
	s.own[v.Ballot], s.dirty = v, true
	m.tell(e, v.Ballot, v)
	m.adoptView(v, e)
}

// promisesToCome says whether members that are there and would be in the view have
// not promised yet.
func (m *Machine) promisesToCome() bool {
	s := m.slot
	for _, member := range m.watched {
		if !m.rules.decides(member) {
			continue
		}
		_, promised := s.promises[member]
		if promised || m.lost(member) {
			continue
		}
		if s.preset.has(member) || m.newRound() && m.near(member) && !m.silent(member) {
			return true
		}
	}
	return false
}

// draft returns the view that the promises allow, or nil if there are too few.
func (m *Machine) draft() *View {
	s := m.slot
	v := &View{Ballot: s.promised}
	for _, p := range s.promises {
		v.Promises = append(v.Promises, p)
	}
	slices.SortFunc(v.Promises, func(a, b Promise) int { return cmp.Compare(a.Member, b.Member) })
	if len(v.Promises) < m.rules.Quorum {
		return nil
	}
	if best := highestVote(v.Promises); best != nil {
		v.Finish = &best.Value
		return v
	}
	if m.amendedBy(v.Promises) {
		v.Amends = m.amends
		return v
	}
	m.divide(v)
	if len(v.Members) < m.rules.Least && len(s.outcast) > 0 {
		// Without them there is no view at all: their links may have been mended.
		s.outcast, s.stalls = map[int]bool{}, map[int]int{}
		m.divide(v)
	}
	if len(v.Members) < m.rules.Least {
		return nil
	}
	if m.held = m.loneChange(v.Members); m.held != "" {
		return nil
	}
	return v
}

// divide says who is in a view of this member's ballot, and why the others are not.
func (m *Machine) divide(v *View) {
	v.Members, v.Missing = nil, nil
	for i := range m.rules.Size {
		member := m.rules.rank(i)
		p, promised := m.slot.promises[member]
		if reason := m.whyOut(member, p, promised); reason == "" {
			v.Members = append(v.Members, uint32(member))
		} else {
			v.Missing = append(v.Missing, Missing{uint32(member), reason})
		}
	}
}

// highestVote returns the vote of the highest ballot, or nil if there is none.
func highestVote(promises []Promise) *Vote {
	var best *Vote
	for _, p := range promises {
		if p.Vote != nil && (best == nil || p.Vote.Ballot > best.Ballot) {
			best = p.Vote
		}
	}
	return best
}

// whyOut says why a member cannot be in the view of this member's ballot, "" if
// it can. Within a round a view may shrink, never grow.
func (m *Machine) whyOut(member int, p Promise, promised bool) string {
	s := m.slot
	switch {
	case m.rules.decides(member) && !promised:
		return m.whyAbsent(member)
	case !m.rules.decides(member) && !m.follows(member):
		return m.whyAbsent(member)
	case m.rules.decides(member) && !p.Joins:
		return "catching up"
	case !s.preset.has(member) && !m.newRound():
		return "comes in with the next round"
	case member != m.p.Self && m.tooSlow(member) && m.spareSlow():
		return "slow"
	case member != m.p.Self && m.outcast(member):
		return "its links hold the session up"
	}
	return ""
}

// follows says whether a member that does not promise can be in a view: one of the
// last view that was heard of a moment ago may be about to come to the slot, others
// have said that they have.
func (m *Machine) follows(member int) bool {
	s := m.slot
	if m.lost(member) {
		return false
	}
	return m.peer(member).ready(s.number) || s.preset.has(member) && m.near(member) && !m.silent(member)
}

// newRound says whether the slot under way is the first of its round.
func (m *Machine) newRound() bool {
	c := m.slot.call
	return c != nil && (c.header.Round != m.slot.round || m.slot.number == 0)
}

// receiveView takes a view from its owner, or from whoever has it.
func (m *Machine) receiveView(v *View, e *Effects) {
	s := m.slot
	if s.commit == nil && v.Ballot > 0 && m.checkView(v) == nil {
		m.adoptView(v, e)
	}
}

// checkView reports why a view does not follow from its promises.
func (m *Machine) checkView(v *View) error {
	promised := map[uint32]bool{}
	for _, p := range v.Promises {
		if promised[p.Member] || !m.checkPromise(v.Ballot, p) {
			return fmt.Errorf("view of ballot %d: the promise of member %d is doubled or not its own", v.Ballot, p.Member)
		}
		promised[p.Member] = true
	}
	if len(promised) < m.rules.Quorum {
		return fmt.Errorf("view of ballot %d: want the promises of %d members, got %d", v.Ballot, m.rules.Quorum, len(promised))
	}
	best := highestVote(v.Promises)
	if best == nil && v.amends() {
		return m.checkAmends(v)
	}
	if best == nil {
		return m.checkMembers(v, promised)
	}
	for _, p := range v.Promises {
		if p.Vote != nil && p.Vote.Ballot == best.Ballot && p.Vote.Value != best.Value {
			return fmt.Errorf("view of ballot %d: two values have votes in ballot %d", v.Ballot, best.Ballot)
		}
	}
	if v.Finish == nil || *v.Finish != best.Value || len(v.Members) > 0 || v.amends() {
		return fmt.Errorf("view of ballot %d: want it to finish attempt %d, which has votes", v.Ballot, best.Value.Attempt)
	}
	return nil
}

func (m *Machine) checkAmends(v *View) error {
	if n := countWishes(v.Promises, v.Amends); n < m.rules.Quorum || v.Finish != nil || len(v.Members)+len(v.Missing) > 0 || !m.betweenRounds() {
		return fmt.Errorf("view of ballot %d: want %d members to want an amendment, between two rounds, got %d", v.Ballot, m.rules.Quorum, n)
	}
	return nil
}

func (m *Machine) checkMembers(v *View, promised map[uint32]bool) error {
	if v.Finish != nil {
		return fmt.Errorf("view of ballot %d: finishes attempt %d, which has no votes", v.Ballot, v.Finish.Attempt)
	}
	if len(v.Members) < m.rules.Least || len(v.Members)+len(v.Missing) != m.rules.Size {
		return fmt.Errorf("view of ballot %d: want at least %d of %d members and the others missing, got %d and %d", v.Ballot, m.rules.Least, m.rules.Size, len(v.Members), len(v.Missing))
	}
	if reason := m.loneChange(v.Members); reason != "" {
		return fmt.Errorf("view of ballot %d: %s", v.Ballot, reason)
	}
	for i, member := range v.Members {
		if m.rules.decides(int(member)) && !promised[member] || !m.rules.belongs(int(member)) || i > 0 && member <= v.Members[i-1] {
			return fmt.Errorf("view of ballot %d: member %d is out of order or has not promised", v.Ballot, member)
		}
	}
	for i, out := range v.Missing {
		if !m.rules.belongs(int(out.Member)) || v.has(int(out.Member)) || i > 0 && out.Member <= v.Missing[i-1].Member {
			return fmt.Errorf("view of ballot %d: member %d is missing out of order, or is in the view", v.Ballot, out.Member)
		}
	}
	return nil
}

// adoptView makes a view known. Of those that finish an attempt the highest counts.
func (m *Machine) adoptView(v *View, e *Effects) {
	s := m.slot
	switch {
	case v.Finish != nil:
		if s.finish != nil && v.Ballot <= s.finish.Ballot {
			return
		}
		s.finish = v
	case s.views[v.Ballot] == nil && v.Ballot >= s.promised:
		s.views[v.Ballot] = v
		m.since = m.now
	default:
		return
	}
	if m.rules.Committee != nil {
		if v.Ballot > s.promised { // who does not promise follows the views
			m.promise(v.Ballot)
		}
		m.passOn(e, v.Ballot, v)
	}
	m.replayEarly(e)
}

// digest returns what the members of a view compare before they work in it.
func (v *View) digest(m *Machine) [32]byte { return m.seats(v).digest }

// hash covers who the members are, and what their sessions do.
func (v *View) hash(m *Machine) [32]byte {
	h := newHashing("view", m.p.Run)
	h.number(m.slot.number)
	h.Write(m.slot.chain[:])
	h.number(uint64(v.Ballot))
	h.ranks(v.Members)
	h.missing(v.Missing)
	plan := m.plans.plan(len(v.Members)).Session(1).Digest()
	h.Write(plan[:])
	return h.sum()
}
