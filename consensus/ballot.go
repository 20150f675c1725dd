package consensus

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"
)

// ballots are one member's ballots in one slot: a single-decree Paxos over the roster.
// What makes a slot safe stands in this file:
//
//   - a member acts in no ballot below the one it has promised, and says with its
//     promise what it last voted for;
//   - a view made from a quorum's promises finishes what the highest of the votes
//     among them was for, and starts anew only where there is none;
//   - a quorum's equal votes in one ballot decide, and quorums meet;
//   - a view leaves out a member only if an honest member would, too;
//   - while an amendment has paused the run, no view starts anew.
//
// It knows nothing of lost or slow members, nor of sealed results. What is marked kept is
// on disk before any message that follows from it leaves.
type ballots struct {
	*roster
	position
	preset *View // of ballot 0; kept

	promised uint32           // kept: acts in no lower ballot
	vote     *Vote            // kept: the last one
	own      map[uint32]*View // kept: views that this member has made of its ballots
	commit   *Certificate     // kept: what the slot has decided
	dirty    bool             // what is kept has changed

	views    map[uint32]*View        // of ballots that start anew or amend the roster
	finish   *View                   // the highest known that finishes an attempt
	promises map[int]Promise         // for the ballot that this member has prepared; nil if it has not
	prepared time.Duration           // when it did
	done     map[uint32]map[int]Done // votes by ballot and member
}

// position says which slot it is, of which run of decisions.
type position struct {
	number uint64
	chain  [32]byte // kept: over the slots before
}

// roster is the members that promise and vote, as one of them sees it.
type roster struct {
	Rules
	run   [32]byte
	self  int
	keys  Keys
	names []string // by rank
	// paused says that an amendment has paused the run: another one alone is decided.
	paused bool
}

// maxBallot is above any ballot that members come to one after the other. A member that
// was made to promise one at the end of the numbers would continue from the beginning.
const maxBallot = 1 << 30

// keptBallots bounds the ballots whose votes are kept.
const keptBallots = 64

func newBallots(r *roster, at position, preset *View) ballots {
	return ballots{
		roster: r, position: at, preset: preset,
		own: map[uint32]*View{}, views: map[uint32]*View{0: preset}, done: map[uint32]map[int]Done{},
	}
}

// restore takes up what an earlier process has kept.
func (b *ballots) restore(promised uint32, vote *Vote, own []*View, commit *Certificate) {
	b.promised, b.vote, b.commit = promised, vote, commit
	for _, v := range own {
		b.own[v.Ballot] = v
		switch {
		case v.Finish == nil:
			b.views[v.Ballot] = v
		case b.finish == nil || v.Ballot > b.finish.Ballot:
			b.finish = v
		}
	}
}

// takeDirty reports whether what is kept has changed since it was last asked.
func (b *ballots) takeDirty() bool {
	dirty := b.dirty
	b.dirty = false
	return dirty
}

// forgetPreset leaves ballot 0 without a view: the members agree on one first.
func (b *ballots) forgetPreset() { delete(b.views, 0) }

// Promises.

// promise leaves all lower ballots for good.
func (b *ballots) promise(ballot uint32) {
	if ballot < b.promised {
		panic(fmt.Sprintf("consensus: a promise of ballot %d after one of %d", ballot, b.promised))
	}
	b.promised, b.promises, b.dirty = ballot, nil, true
}

// prepare begins to collect the promises of the ballot promised, which is this member's.
func (b *ballots) prepare(now time.Duration, own Promise) {
	b.prepared, b.promises = now, map[int]Promise{b.self: own}
}

// prepares reports whether this member collects promises.
func (b *ballots) prepares() bool { return b.promises != nil && b.own[b.promised] == nil }

// unprepared reports whether the ballot promised is this member's, and an earlier
// process has not come to its view.
func (b *ballots) unprepared() bool {
	return b.promised > 0 && b.owner(b.promised) == b.self && b.promises == nil && b.own[b.promised] == nil
}

// mayPromise reports whether a member that prepares a ballot can have this one's
// promise: it can if this one has promised nothing higher.
func (b *ballots) mayPromise(from int, ballot uint32) bool {
	return ballot > 0 && b.owner(ballot) == from && b.commit == nil && b.decides(b.self) &&
		(ballot == b.promised || ballot > b.promised && ballot <= maxBallot)
}

// ownPromise returns the promise of the ballot promised, signed.
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

// checkPromise reports whether a promise may enter the view of a ballot.
func (b *ballots) checkPromise(ballot uint32, p Promise) bool {
	if !b.decides(int(p.Member)) || p.Chain != b.chain {
		return false
	}
	if v := p.Vote; v != nil && (v.Ballot >= ballot || v.Value.Attempt > v.Ballot) {
		return false
	}
	return b.keys == nil || b.keys.Verify(int(p.Member), b.promiseBytes(ballot, p), p.Signature)
}

// receivePromise collects a promise for the ballot that this member has prepared, and
// reports whether it was of use. Until the view is made, a member may say anew whether it
// joins and whom it would leave out, but not what it has voted for.
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

// names reports whether a promise is for leaving a member out.
func (p *Promise) names(member int) bool {
	_, in := slices.BinarySearch(p.Without, uint32(member))
	return in
}

// mayLeaveOut reports whether a view that starts anew may go on without a member: one that is
// not in the view of ballot 0; one that says itself that it will not come; or one that so
// many would leave out that not all of them can be colluders.
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

// draft returns what the promises make of this member's ballot: a view that finishes the
// attempt of the highest vote; or if there is none and a quorum wants the amendment, one
// that makes it; or one that starts anew, whose members are still to be chosen. It
// returns nil if the promises are too few, or one that starts anew is not allowed. No
// amendment is zero.
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

// startsAnew reports whether a new attempt is made in a view.
func (v *View) startsAnew() bool { return v.Finish == nil && !v.amends() }

// fix makes a view the one that this member's ballot has for ever.
func (b *ballots) fix(v *View) {
	if b.own[v.Ballot] != nil || v.Ballot != b.promised {
		panic(fmt.Sprintf("consensus: a second view of ballot %d, or one not promised", v.Ballot))
	}
	b.own[v.Ballot], b.dirty = v, true
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

func countRequests(promises []Promise, amends [32]byte) (n int) {
	for _, p := range promises {
		if p.Amends == amends {
			n++
		}
	}
	return n
}

// checkView reports why a view does not follow from its promises. The roster may be
// amended between rounds only.
func (b *ballots) checkView(v *View, betweenRounds bool) error {
	promised := map[uint32]bool{}
	for _, p := range v.Promises {
		if promised[p.Member] || !b.checkPromise(v.Ballot, p) {
			return fmt.Errorf("view of ballot %d: the promise of member %d is doubled or not its own", v.Ballot, p.Member)
		}
		promised[p.Member] = true
	}
	if len(promised) < b.Quorum {
		return fmt.Errorf("view of ballot %d: want the promises of %d members, got %d", v.Ballot, b.Quorum, len(promised))
	}
	best := highestVote(v.Promises)
	if best == nil && v.amends() {
		return b.checkAmends(v, betweenRounds)
	}
	if best == nil {
		return b.checkMembers(v, promised)
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

func (b *ballots) checkAmends(v *View, betweenRounds bool) error {
	if n := countRequests(v.Promises, v.Amends); n < b.Quorum || v.Finish != nil || len(v.Members)+len(v.Missing) > 0 || !betweenRounds {
		return fmt.Errorf("view of ballot %d: want %d members to want an amendment, between two rounds, got %d", v.Ballot, b.Quorum, n)
	}
	return nil
}

func (b *ballots) checkMembers(v *View, promised map[uint32]bool) error {
	if b.paused {
		return fmt.Errorf("view of ballot %d: want an amendment while the run is paused, got none", v.Ballot)
	}
	if v.Finish != nil {
		return fmt.Errorf("view of ballot %d: finishes attempt %d, which has no votes", v.Ballot, v.Finish.Attempt)
	}
	if len(v.Members) < b.Least || len(v.Members)+len(v.Missing) != b.Size {
		return fmt.Errorf("view of ballot %d: want at least %d of %d members and the others missing, got %d and %d", v.Ballot, b.Least, b.Size, len(v.Members), len(v.Missing))
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
			return fmt.Errorf("view of ballot %d: leaves out member %d, which fewer than %d of the promises would do", v.Ballot, out.Member, b.witnesses())
		}
	}
	return nil
}

// adopt makes a view known, and reports whether it is of use. Of those that finish an
// attempt the highest counts.
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

// working returns the view that starts anew or amends the roster in the ballot
// promised, nil if none is known.
func (b *ballots) working() *View { return b.views[b.promised] }

// finishing returns the view that finishes an attempt in the ballot promised or above,
// nil if none is known.
func (b *ballots) finishing() *View {
	if b.finish == nil || b.finish.Ballot < b.promised {
		return nil
	}
	return b.finish
}

// newest returns the view of the highest ballot that matters, nil if none is known but
// that of ballot 0.
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

// cast votes for a value, and promises the ballot with it.
func (b *ballots) cast(ballot uint32, v Value) Done {
	if ballot < b.promised || b.votedIn(ballot) {
		panic(fmt.Sprintf("consensus: a vote in ballot %d after a promise of %d or a vote", ballot, b.promised))
	}
	b.promised, b.vote, b.dirty = ballot, &Vote{Ballot: ballot, Value: v}, true
	return b.ownDone()
}

// votedIn reports whether this member has voted in a ballot or above it.
func (b *ballots) votedIn(ballot uint32) bool { return b.vote != nil && b.vote.Ballot >= ballot }

// voted reports whether this member has voted in the ballot promised.
func (b *ballots) voted() bool { return b.votedIn(b.promised) }

// ownDone returns this member's last vote as it is told to the others.
func (b *ballots) ownDone() Done {
	d := Done{Value: b.vote.Value, Chain: b.chain}
	if b.keys != nil {
		d.Signature = b.keys.Sign(b.voteBytes(b.position, b.vote.Ballot, d.Value))
	}
	return d
}

func (b *ballots) voteBytes(at position, ballot uint32, v Value) []byte {
	h := newHashing("vote", b.run)
	h.number(at.number)
	h.number(uint64(ballot))
	h.value(v)
	h.Write(at.chain[:])
	d := h.sum()
	return d[:]
}

// receiveDone counts a vote. It returns the certificate if that makes one, or what no
// honest member does.
func (b *ballots) receiveDone(from int, ballot uint32, d Done) (c *Certificate, fault string) {
	if d.Chain != b.chain {
		return nil, "has opened another result than this member in an earlier collective: run the same version everywhere"
	}
	if d.Value.Attempt > ballot || !b.decides(from) || b.keys != nil && !b.keys.Verify(from, b.voteBytes(b.position, ballot, d.Value), d.Signature) {
		return nil, ""
	}
	if c = b.count(from, ballot, d); c != nil {
		return c, ""
	}
	if v := b.vote; b.commit == nil && v != nil && v.Ballot == ballot && v.Value != d.Value {
		return nil, fmt.Sprintf("voted for %x, this member for %x: run the same version everywhere", d.Value.Digest[:4], v.Value.Digest[:4])
	}
	return nil, ""
}

// count enters a vote, and returns a certificate if a quorum has voted alike. Of each
// member the votes of the highest ballots are kept, as many as anybody needs.
func (b *ballots) count(member int, ballot uint32, d Done) *Certificate {
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

// checkCertificate reports whether a quorum has signed the votes of a certificate for a
// slot.
func (b *ballots) checkCertificate(at position, c *Certificate) bool {
	if c == nil || c.Chain != at.chain || c.Value.Attempt > c.Ballot {
		return false
	}
	voted := map[uint32]bool{}
	for _, v := range c.Votes {
		if voted[v.Member] || !b.decides(int(v.Member)) {
			return false
		}
		if b.keys != nil && !b.keys.Verify(int(v.Member), b.voteBytes(at, c.Ballot, c.Value), v.Signature) {
			return false
		}
		voted[v.Member] = true
	}
	return len(voted) >= b.Quorum
}

// decide notes what the slot has decided. No ballot matters any more.
func (b *ballots) decide(c *Certificate) {
	b.commit, b.dirty = c, true
	b.done, b.own, b.views = map[uint32]map[int]Done{}, map[uint32]*View{}, map[uint32]*View{}
	b.promises, b.finish, b.vote = nil, nil, nil
	b.promised = c.Value.Attempt
}
