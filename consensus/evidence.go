package consensus

import (
	"fmt"
	"maps"
	"slices"
)

// A CastVote is a vote as its member has signed it. Anybody who knows the member's key can
// check it, long after the run.
type CastVote struct {
	Member    uint32
	Slot      uint64
	Vote      Vote
	Chain     [32]byte // hash over the slots before
	Signature []byte
}

// Evidence is the signed votes for which an error names a member: first the vote that revealed
// the fault, then those that contradict it. Two contradicting votes of one member prove the
// fault ([TwoFaced]). A vote with another chain does not: its author may have been deceived in
// the slot before. Then the evidence has the votes that decided that slot here, for comparison
// with that of other members.
type Evidence struct {
	Run   [32]byte
	Votes []CastVote
}

// Signed returns the bytes that the member has signed, for the identity of the run.
func (v *CastVote) Signed(run [32]byte) []byte {
	return voteBytes(run, position{v.Slot, v.Chain}, v.Vote.Ballot, v.Vote.Value)
}

// contradicts reports whether no honest member signs both votes.
func (v *CastVote) contradicts(w *CastVote) bool {
	return v.Member == w.Member && v.Slot == w.Slot &&
		(v.Chain != w.Chain || v.Vote.Ballot == w.Vote.Ballot && v.Vote.Value != w.Vote.Value)
}

// TwoFaced returns each member's first pair of votes that no honest member signs: for two
// results in one ballot, or with two chains in one slot. The votes are of one run and correctly
// signed.
func TwoFaced(votes []CastVote) (pairs [][2]CastVote) {
	for i := range votes {
		named := func(p [2]CastVote) bool { return p[0].Member == votes[i].Member }
		for j := range votes[:i] {
			if votes[j].contradicts(&votes[i]) && !slices.ContainsFunc(pairs, named) {
				pairs = append(pairs, [2]CastVote{votes[j], votes[i]})
			}
		}
	}
	return pairs
}

// castVote returns a vote as its member has signed it.
func castVote(slot uint64, member int, ballot uint32, d Done) CastVote {
	return CastVote{Member: uint32(member), Slot: slot, Vote: Vote{ballot, d.Value}, Chain: d.Chain, Signature: d.Signature}
}

// votesOf returns the votes of a certificate for a slot, or none of nil.
func votesOf(slot uint64, c *Certificate) (votes []CastVote) {
	if c == nil {
		return nil
	}
	votes = make([]CastVote, 0, len(c.Votes))
	for _, v := range c.Votes {
		votes = append(votes, CastVote{v.Member, slot, Vote{c.Ballot, c.Value}, c.Chain, v.Signature})
	}
	return votes
}

// known returns the votes of a member that this member has counted in the slot.
func (b *ballots) known(member int) (votes []CastVote) {
	for _, ballot := range slices.Sorted(maps.Keys(b.done)) {
		if d, voted := b.done[ballot][member]; voted {
			votes = append(votes, castVote(b.number, member, ballot, d))
		}
	}
	return append(votes, votesOf(b.number, b.commit)...)
}

func (r *roster) isSigned(v *CastVote) bool {
	return r.decides(int(v.Member)) && (r.keys == nil || r.keys.Verify(int(v.Member), v.Signed(r.run), v.Signature))
}

// unmask ends the run if a vote contradicts a known one. It sends both to all members that vote,
// and returns true.
func (m *Machine) unmask(v CastVote, known []CastVote, e *Effects) bool {
	for _, w := range known {
		if w.contradicts(&v) && m.roster.isSigned(&v) {
			err := m.roster.twoVotesError(v, w)
			m.show(w.Slot, w.alone(), e)
			m.show(v.Slot, v.alone(), e)
			m.fail(e, err)
			return true
		}
	}
	return false
}

func (r *roster) twoVotesError(v, w CastVote) *MemberError {
	err := r.memberError(int(v.Member), fmt.Sprintf("signed votes for two results, %x and %x", w.Vote.Value.Digest[:4], v.Vote.Value.Digest[:4]))
	err.Evidence = &Evidence{Run: r.run, Votes: []CastVote{v, w}}
	return err
}

// proven returns the error that the two votes in a Leave prove, or nil if they prove nothing.
func (r *roster) proven(votes []CastVote) *MemberError {
	if len(votes) != 2 || !votes[0].contradicts(&votes[1]) || !r.isSigned(&votes[0]) || !r.isSigned(&votes[1]) {
		return nil
	}
	return r.twoVotesError(votes[0], votes[1])
}

// unmaskIn calls unmask with the votes of a certificate for the current slot.
func (m *Machine) unmaskIn(c *Certificate, e *Effects) bool {
	b := &m.slot.ballots
	for _, v := range votesOf(b.number, c) {
		if m.unmask(v, b.known(int(v.Member)), e) {
			return true
		}
	}
	return false
}

// receivePast names a member that has signed another result in the slot before this one.
// [Machine.accuse] sends two decisions of one slot to the others.
func (m *Machine) receivePast(from int, msg Message, e *Effects) {
	known := votesOf(msg.Slot, m.certified)
	switch b := msg.Body.(type) {
	case *Done:
		m.unmask(castVote(msg.Slot, from, msg.Ballot, *b), known, e)
	case *Commit:
		for _, v := range votesOf(msg.Slot, b.Certificate) {
			if m.unmask(v, known, e) {
				return
			}
		}
	}
}

// accuse ends the run because of a member's vote. The evidence is that vote, this member's own
// and, if the chains differ, the votes of the slot before. All members that vote get it, since
// one may have other votes of the same members.
func (m *Machine) accuse(from int, ballot uint32, d *Done, fault string, e *Effects) {
	b := &m.slot.ballots
	err := m.roster.memberError(from, fault)
	if v := castVote(b.number, from, ballot, *d); m.roster.isSigned(&v) {
		err.Evidence = &Evidence{Run: m.p.Run, Votes: []CastVote{v}}
		m.show(b.number, v.alone(), e)
		if b.vote != nil {
			err.Evidence.Votes = append(err.Evidence.Votes, castVote(b.number, b.self, b.vote.Ballot, b.ownDone()))
		}
		if d.Chain != b.chain && m.certified != nil {
			err.Evidence.Votes = append(err.Evidence.Votes, votesOf(b.number-1, m.certified)...)
			m.show(b.number-1, m.certified, e)
		}
	}
	m.fail(e, err)
}

// alone returns a certificate with this vote only. It is valid for no quorum.
func (v *CastVote) alone() *Certificate {
	return &Certificate{Ballot: v.Vote.Ballot, Value: v.Vote.Value, Chain: v.Chain, Votes: []SignedVote{{v.Member, v.Signature}}}
}

// show sends votes to each member that votes, before this member's run ends. The votes need not
// be those of a quorum.
func (m *Machine) show(slot uint64, c *Certificate, e *Effects) {
	for i := range m.roster.Size {
		if s := m.roster.rank(i); s != m.p.Self && m.roster.decides(s) {
			e.Sends = append(e.Sends, Send{To: s, Message: Message{Slot: slot, Ballot: c.Value.Attempt, Body: &Commit{c}}})
		}
	}
}
