package consensus

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"
)

// ballots are one member's ballots in one slot: a single-decree Paxos over the roster. The
// rules that make a slot safe are in this file:
//
//   - a member acts in no ballot below the one that it has promised, and its promise reports
//     its last vote;
//   - a view made from a quorum's promises finishes the attempt of the highest vote among them.
//     Only if there is no vote does it start a new attempt;
//   - a quorum's equal votes in one ballot decide, and two quorums have a member in common;
//   - a view leaves out a member only if an honest member would do so, too;
//   - while an amendment has paused the run, no view starts a new attempt.
//
// This type knows nothing of lost or slow members, nor of the content of sealed results. Fields
// marked kept are on disk before any message that follows from them leaves.
type ballots struct {
	*roster
	position
	preset *View // view of ballot 0; kept

	promised uint32           // kept: this member acts in no lower ballot
	vote     *Vote            // kept: the last vote
	made     map[uint32]*View // kept: this member's views, by ballot
	commit   *Certificate     // kept: the decision
	dirty    bool             // a field marked kept has changed

	views    map[uint32]*View        // views of a new attempt or an amendment, by ballot
	finish   *View                   // highest view that finishes an attempt
	promises map[int]Promise         // for this member's prepared ballot; nil without one
	prepared time.Duration           // time of prepare
	done     map[uint32]map[int]Done // votes by ballot and member
}

// A position is the number of a slot and the chain of decisions before it.
type position struct {
	number uint64
	chain  [32]byte // kept: hash over the slots before
}

// A roster is the members of the run, from the point of view of one of them.
type roster struct {
	Rules
	run   [32]byte
	self  int
	keys  Keys
	names []string // by rank
	// paused means that an amendment has paused the run: only another amendment can be decided.
	paused bool
}

// maxBallot is above any ballot that members reach by taking turns. A member that was made to
// promise one near the largest uint32 would wrap around.
const maxBallot = 1 << 30

// keptBallots is the largest number of ballots whose votes are kept.
const keptBallots = 64

func newBallots(r *roster, pos position, preset *View) ballots {
	return ballots{
		roster: r, position: pos, preset: preset,
		made: map[uint32]*View{}, views: map[uint32]*View{0: preset}, done: map[uint32]map[int]Done{},
	}
}

// restore sets the state that an earlier process has kept.
func (b *ballots) restore(promised uint32, vote *Vote, made []*View, commit *Certificate) {
	b.promised, b.vote, b.commit = promised, vote, commit
	for _, v := range made {
		b.made[v.Ballot] = v
		switch {
		case v.Finish == nil:
			b.views[v.Ballot] = v
		case b.finish == nil || v.Ballot > b.finish.Ballot:
			b.finish = v
		}
	}
}

// takeDirty reports whether a field marked kept has changed since the last call.
func (b *ballots) takeDirty() bool {
	dirty := b.dirty
	b.dirty = false
	return dirty
}

// forgetPreset leaves ballot 0 without a view, so that the members first agree on one.
func (b *ballots) forgetPreset() { delete(b.views, 0) }

// forgetSmaller forgets views of new attempts with fewer than the given number of members, and
// returns their ballots. They came before this member knew how many the slot needs.
func (b *ballots) forgetSmaller(least int) (forgotten []uint32) {
	for ballot, v := range b.views {
		if v.startsAnew() && len(v.Members) < least {
			delete(b.views, ballot)
			forgotten = append(forgotten, ballot)
		}
	}
	return forgotten
}

// Promises.

// promise promises a ballot, which leaves all lower ballots for good.
func (b *ballots) promise(ballot uint32) {
	if ballot < b.promised {
		panic(fmt.Sprintf("consensus: a promise of ballot %d after one of %d", ballot, b.promised))
	}
	b.promised, b.promises, b.dirty = ballot, nil, true
}

// prepare begins to collect promises for the promised ballot, which this member owns.
func (b *ballots) prepare(now time.Duration, promise Promise) {
	b.prepared, b.promises = now, map[int]Promise{b.self: promise}
}

// prepares reports whether this member is collecting promises.
func (b *ballots) prepares() bool { return b.promises != nil && b.made[b.promised] == nil }

// unprepared reports whether this member owns the promised ballot, but an earlier process
// stopped before it had made the view.
func (b *ballots) unprepared() bool {
	return b.promised > 0 && b.owner(b.promised) == b.self && b.promises == nil && b.made[b.promised] == nil
}

// mayPromise reports whether this member may promise a ballot to the sender of a Prepare: the
// sender owns it, and this member has promised nothing higher.
func (b *ballots) mayPromise(from int, ballot uint32) bool {
	return ballot > 0 && b.owner(ballot) == from && b.commit == nil && b.decides(b.self) &&
		(ballot == b.promised || ballot > b.promised && ballot <= maxBallot)
}

// ownPromise returns this member's signed promise of the promised ballot.
func (b *ballots) ownPromise(joins bool, without []uint32, amends [32]byte) Promise {
	p := Promise{Member: uint32(b.self), Vote: b.vote, Joins: joins, Without: without, Chain: b.chain, Amends: amends}
	if b.keys != nil {
		p.Signature = b.keys.Sign(b.promiseBytes(b.promised, p))
	}
	return p
}

func (b *ballots) promiseBytes(ballot uint32, p Promise) []byte {
	h := newHashing("promise", b.run)
	if p.Amends != [32]byte{} {
		h = newHashing("promise to amend", b.run)
		h.Write(p.Amends[:])
	}
	h.number(b.number)
	h.number(uint64(ballot))
	h.number(uint64(p.Member))
	h.Write(p.Chain[:])
	h.ranks(p.Without)
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

// checkPromise reports whether a promise is valid for the view of a ballot.
func (b *ballots) checkPromise(ballot uint32, p Promise) bool {
	if !b.decides(int(p.Member)) || p.Chain != b.chain {
		return false
	}
	if v := p.Vote; v != nil && (v.Ballot >= ballot || v.Value.Attempt > v.Ballot) {
		return false
	}
	return b.keys == nil || b.keys.Verify(int(p.Member), b.promiseBytes(ballot, p), p.Signature)
}

// receivePromise collects a promise for this member's prepared ballot, and reports whether it
// counts. Until the view is made, a member may renew its promise, but not its vote.
func (b *ballots) receivePromise(from int, ballot uint32, p Promise) bool {
	if ballot != b.promised || !b.prepares() || int(p.Member) != from || !b.checkPromise(ballot, p) {
		return false
	}
	if before, had := b.promises[from]; had && !before.Vote.same(p.Vote) {
		return false
	}
	b.promises[from] = p
	return true
}

func (v *Vote) same(w *Vote) bool { return v == w || v != nil && w != nil && *v == *w }

// names reports whether a promise asks to leave out a member.
func (p *Promise) names(member int) bool {
	_, in := slices.BinarySearch(p.Without, uint32(member))
	return in
}

// mayLeaveOut reports whether a NEW view may leave out a member: it is not in the view of
// ballot 0, its own promise names it, or more promises name it than there are colluders.
func (b *ballots) mayLeaveOut(member int, promises []Promise) bool {
	if !b.preset.has(member) {
		return true
	}
	witnesses := 0
	for i := range promises {
		p := &promises[i]
		if !p.names(member) {
			continue
		}
		if int(p.Member) == member {
			return true
		}
		witnesses++
	}
	return witnesses >= b.witnesses()
}

// Views.

// draft returns the view that follows from the promises for this member's ballot. The view
// finishes the attempt of the highest vote. Without a vote, it amends the roster if a quorum
// requests that. Otherwise it starts a new attempt, whose members the caller chooses. draft
// returns nil with too few promises, or for a new attempt while the run is paused. amends is
// zero for no amendment.
func (b *ballots) draft(amends [32]byte) *View {
	v := &View{Ballot: b.promised}
	for _, p := range b.promises {
		v.Promises = append(v.Promises, p)
	}
	slices.SortFunc(v.Promises, func(p, q Promise) int { return cmp.Compare(p.Member, q.Member) })
	if len(v.Promises) < b.Quorum {
		return nil
	}
	if best := highestVote(v.Promises); best != nil {
		v.Finish = &best.Value
	} else if amends != [32]byte{} && countRequests(v.Promises, amends) >= b.Quorum {
		v.Amends = amends
	}
	if v.startsAnew() && b.paused {
		return nil
	}
	return v
}

func (v *View) startsAnew() bool { return v.Finish == nil && !v.amends() }

// fix makes v the only view that its ballot will ever have. This member owns the ballot.
func (b *ballots) fix(v *View) {
	if b.made[v.Ballot] != nil || v.Ballot != b.promised {
		panic(fmt.Sprintf("consensus: a second view of ballot %d, or one not promised", v.Ballot))
	}
	b.made[v.Ballot], b.dirty = v, true
}

// highestVote returns the vote of the highest ballot, or nil without votes.
func highestVote(promises []Promise) *Vote {
	var best *Vote
	for _, p := range promises {
		if p.Vote != nil && (best == nil || p.Vote.Ballot > best.Ballot) {
			best = p.Vote
		}
	}
	return best
}

func countRequests(promises []Promise, amends [32]byte) (n int) {
	for _, p := range promises {
		if p.Amends == amends {
			n++
		}
	}
	return n
}

// checkView returns an error if a view does not follow from its promises. least is the smallest
// number of members of a new attempt, and amendable reports whether the roster may change.
func (b *ballots) checkView(v *View, amendable bool, least int) error {
	promised := map[uint32]bool{}
	for _, p := range v.Promises {
		if promised[p.Member] || !b.checkPromise(v.Ballot, p) {
			return fmt.Errorf("view of ballot %d: the promise of member %d is invalid or a second one", v.Ballot, p.Member)
		}
		promised[p.Member] = true
	}
	if len(promised) < b.Quorum {
		return fmt.Errorf("view of ballot %d: want the promises of %d members, got %d", v.Ballot, b.Quorum, len(promised))
	}
	best := highestVote(v.Promises)
	if best == nil && v.amends() {
		return b.checkAmends(v, amendable)
	}
	if best == nil {
		return b.checkMembers(v, promised, least)
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

func (b *ballots) checkAmends(v *View, amendable bool) error {
	if n := countRequests(v.Promises, v.Amends); n < b.Quorum || v.Finish != nil || len(v.Members)+len(v.Missing) > 0 || !amendable {
		return fmt.Errorf("view of ballot %d: want an amendment that %d members request, in a slot where the roster may change, got %d", v.Ballot, b.Quorum, n)
	}
	return nil
}

func (b *ballots) checkMembers(v *View, promised map[uint32]bool, least int) error {
	if b.paused {
		return fmt.Errorf("view of ballot %d: want an amendment while the run is paused, got none", v.Ballot)
	}
	if v.Finish != nil {
		return fmt.Errorf("view of ballot %d: finishes attempt %d, which has no votes", v.Ballot, v.Finish.Attempt)
	}
	if len(v.Members) < least || len(v.Members)+len(v.Missing) != b.Size {
		return fmt.Errorf("view of ballot %d: want at least %d of %d members and all others missing, got %d and %d missing", v.Ballot, least, b.Size, len(v.Members), len(v.Missing))
	}
	for i, member := range v.Members {
		if b.decides(int(member)) && !promised[member] || !b.belongs(int(member)) || i > 0 && member <= v.Members[i-1] {
			return fmt.Errorf("view of ballot %d: member %d is out of order or has not promised", v.Ballot, member)
		}
	}
	for i, out := range v.Missing {
		if !b.belongs(int(out.Member)) || v.has(int(out.Member)) || i > 0 && out.Member <= v.Missing[i-1].Member {
			return fmt.Errorf("view of ballot %d: member %d is missing out of order, or is in the view", v.Ballot, out.Member)
		}
		if !b.mayLeaveOut(int(out.Member), v.Promises) {
			return fmt.Errorf("view of ballot %d: leaves out member %d, which fewer than %d promises name", v.Ballot, out.Member, b.witnesses())
		}
	}
	return nil
}

// adopt stores a view, and reports whether it was new and relevant. Of the views that finish an
// attempt, only that of the highest ballot counts.
func (b *ballots) adopt(v *View) bool {
	switch {
	case v.Finish != nil:
		if b.finish != nil && v.Ballot <= b.finish.Ballot {
			return false
		}
		b.finish = v
	case b.views[v.Ballot] == nil && v.Ballot >= b.promised:
		b.views[v.Ballot] = v
	default:
		return false
	}
	return true
}

// working returns the view of the promised ballot that starts a new attempt or amends the
// roster, or nil if none is known.
func (b *ballots) working() *View { return b.views[b.promised] }

// finishing returns the view that finishes an attempt in the promised ballot or a higher one,
// or nil if none is known.
func (b *ballots) finishing() *View {
	if b.finish == nil || b.finish.Ballot < b.promised {
		return nil
	}
	return b.finish
}

// newest returns the view of the highest ballot that matters, or nil if only that of ballot 0
// is known.
func (b *ballots) newest() *View {
	if v := b.finishing(); v != nil {
		return v
	}
	if v := b.working(); v != nil && v.Ballot > 0 {
		return v
	}
	return nil
}

// viewed returns the highest ballot whose view is known.
func (b *ballots) viewed() (highest uint32) {
	for ballot := range b.views {
		highest = max(highest, ballot)
	}
	if b.finish != nil {
		highest = max(highest, b.finish.Ballot)
	}
	return highest
}

// Votes.

// cast votes for a value in a ballot, which also promises the ballot.
func (b *ballots) cast(ballot uint32, v Value) Done {
	if ballot < b.promised || b.votedIn(ballot) {
		panic(fmt.Sprintf("consensus: a vote in ballot %d after a promise of %d or a vote", ballot, b.promised))
	}
	b.promised, b.vote, b.dirty = ballot, &Vote{Ballot: ballot, Value: v}, true
	return b.ownDone()
}

// votedIn reports whether this member has voted in a ballot or a higher one.
func (b *ballots) votedIn(ballot uint32) bool { return b.vote != nil && b.vote.Ballot >= ballot }

// voted reports whether this member has voted in the promised ballot.
func (b *ballots) voted() bool { return b.votedIn(b.promised) }

// ownDone returns this member's last vote as a message.
func (b *ballots) ownDone() Done {
	d := Done{Value: b.vote.Value, Chain: b.chain}
	if b.keys != nil {
		d.Signature = b.keys.Sign(voteBytes(b.run, b.position, b.vote.Ballot, d.Value))
	}
	return d
}

// voteBytes returns what a member signs when it votes in a slot of a run.
func voteBytes(run [32]byte, slot position, ballot uint32, v Value) []byte {
	h := newHashing("vote", run)
	h.number(slot.number)
	h.number(uint64(ballot))
	h.value(v)
	h.Write(slot.chain[:])
	d := h.sum()
	return d[:]
}

// receiveDone counts a vote. It returns a certificate if the vote completes one, or describes
// the fault if no honest member sends such a vote.
func (b *ballots) receiveDone(from int, ballot uint32, d Done) (c *Certificate, fault string) {
	if d.Chain != b.chain {
		return nil, "has opened another result than this member in an earlier collective: run the same version everywhere"
	}
	if d.Value.Attempt > ballot || !b.decides(from) || b.keys != nil && !b.keys.Verify(from, voteBytes(b.run, b.position, ballot, d.Value), d.Signature) {
		return nil, ""
	}
	if c = b.tally(from, ballot, d); c != nil {
		return c, ""
	}
	if v := b.vote; b.commit == nil && v != nil && v.Ballot == ballot && v.Value != d.Value {
		return nil, fmt.Sprintf("voted for %x, this member for %x: run the same version everywhere", d.Value.Digest[:4], v.Value.Digest[:4])
	}
	return nil, ""
}

// tally enters a vote, and returns a certificate if a quorum has voted for the same value. It
// keeps the votes of the highest keptBallots ballots.
func (b *ballots) tally(member int, ballot uint32, d Done) *Certificate {
	if b.commit != nil {
		return nil
	}
	if b.done[ballot] == nil {
		if len(b.done) >= keptBallots {
			lowest := slices.Min(slices.Collect(maps.Keys(b.done)))
			if ballot < lowest {
				return nil
			}
			delete(b.done, lowest)
		}
		b.done[ballot] = map[int]Done{}
	}
	votes := b.done[ballot]
	if _, doubled := votes[member]; doubled {
		return nil
	}
	votes[member] = d
	c := &Certificate{Ballot: ballot, Value: d.Value, Chain: d.Chain}
	for _, voter := range slices.Sorted(maps.Keys(votes)) {
		if votes[voter].Value == d.Value {
			c.Votes = append(c.Votes, SignedVote{Member: uint32(voter), Signature: votes[voter].Signature})
		}
	}
	if len(c.Votes) < b.Quorum {
		return nil
	}
	return c
}

// checkCertificate reports whether a quorum has signed the votes of a certificate for a slot.
func (b *ballots) checkCertificate(pos position, c *Certificate) bool {
	if c == nil || c.Chain != pos.chain || c.Value.Attempt > c.Ballot {
		return false
	}
	voted := map[uint32]bool{}
	for _, v := range c.Votes {
		if voted[v.Member] || !b.decides(int(v.Member)) {
			return false
		}
		if b.keys != nil && !b.keys.Verify(int(v.Member), voteBytes(b.run, pos, c.Ballot, c.Value), v.Signature) {
			return false
		}
		voted[v.Member] = true
	}
	return len(voted) >= b.Quorum
}

// decide stores the certificate of the decision, after which no ballot matters.
func (b *ballots) decide(c *Certificate) {
	b.commit, b.dirty = c, true
	b.done, b.made, b.views = map[uint32]map[int]Done{}, map[uint32]*View{}, map[uint32]*View{}
	b.promises, b.finish, b.vote = nil, nil, nil
	b.promised = c.Value.Attempt
}
