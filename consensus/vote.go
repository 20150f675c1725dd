package consensus

import (
	"fmt"
	"maps"
	"slices"
)

// vote votes for a sealed result in a ballot. The vote and the result are on disk
// before anybody hears of it.
func (m *Machine) vote(ballot uint32, sealed *Sealed, digest [32]byte, e *Effects) {
	s := m.slot
	if !m.rules.decides(m.p.Self) {
		s.attempts[ballot].settled = true
		s.keep(sealed, digest)
		m.since = m.now
		return
	}
	s.promised = ballot
	s.vote = &Vote{Ballot: ballot, Value: Value{Attempt: sealed.Attempt, Digest: digest}}
	s.dirty = true
	s.keep(sealed, digest)
	m.since = m.now
	done := m.ownDone()
	m.count(m.p.Self, ballot, done, e)
	m.tell(e, ballot, &done)
}

// ownDone returns this member's last vote as it is told to the others.
func (m *Machine) ownDone() Done {
	s := m.slot
	d := Done{Value: s.vote.Value, Chain: s.chain}
	if m.p.Keys != nil {
		d.Signature = m.p.Keys.Sign(m.voteBytes(s.number, s.vote.Ballot, d.Value, d.Chain))
	}
	return d
}

func (m *Machine) voteBytes(slot uint64, ballot uint32, v Value, chain [32]byte) []byte {
	h := newHashing("vote", m.p.Run)
	h.number(slot)
	h.number(uint64(ballot))
	h.value(v)
	h.Write(chain[:])
	d := h.sum()
	return d[:]
}

// finishVote votes in a ballot that finishes an earlier attempt, if this member has
// its sealed result. Any member of the roster may.
func (m *Machine) finishVote(e *Effects) bool {
	s := m.slot
	sealed := m.sealedOf(*s.finish.Finish)
	if sealed == nil {
		return false
	}
	m.vote(s.finish.Ballot, sealed, s.finish.Finish.Digest, e)
	return true
}

// sealedOf returns the sealed result of a value, or nil if this member lacks it.
func (m *Machine) sealedOf(v Value) *Sealed {
	if s := m.slot.sealed[v.Attempt]; s != nil && m.slot.digests[v.Attempt] == v.Digest {
		return s
	}
	if a := m.slot.attempts[v.Attempt]; a != nil && a.result != nil && a.digest == v.Digest {
		return a.result
	}
	return nil
}

// receiveDone counts a vote.
func (m *Machine) receiveDone(from int, ballot uint32, d *Done, e *Effects) {
	s := m.slot
	if d.Chain != s.chain {
		m.fail(e, m.memberError(from, "has opened another result than this member in an earlier collective: run the same version everywhere"))
		return
	}
	if d.Value.Attempt > ballot || !m.rules.decides(from) || m.p.Keys != nil && !m.p.Keys.Verify(from, m.voteBytes(s.number, ballot, d.Value, d.Chain), d.Signature) {
		return
	}
	m.count(from, ballot, *d, e)
	if v := s.vote; s.commit == nil && v != nil && v.Ballot == ballot && v.Value != d.Value {
		m.fail(e, m.memberError(from, fmt.Sprintf("voted for %x, this member for %x: run the same version everywhere", d.Value.Digest[:4], v.Value.Digest[:4])))
	}
}

// count enters a vote, and the commit if a quorum has voted alike. Of each member
// the votes of the highest ballots are kept, as many as anybody needs.
func (m *Machine) count(member int, ballot uint32, d Done, e *Effects) {
	s := m.slot
	if s.commit != nil {
		return
	}
	if s.done[ballot] == nil {
		if len(s.done) >= keptBallots {
			lowest := slices.Min(slices.Collect(maps.Keys(s.done)))
			if ballot < lowest {
				return
			}
			delete(s.done, lowest)
		}
		s.done[ballot] = map[int]Done{}
	}
	votes := s.done[ballot]
	if _, doubled := votes[member]; doubled {
		return
	}
	votes[member] = d
	c := &Certificate{Ballot: ballot, Value: d.Value, Chain: d.Chain}
	for _, voter := range slices.Sorted(maps.Keys(votes)) {
		if votes[voter].Value == d.Value {
			c.Votes = append(c.Votes, SignedVote{Member: uint32(voter), Signature: votes[voter].Signature})
		}
	}
	if len(c.Votes) >= m.rules.Quorum {
		m.commit(c, e)
	}
}

// keptBallots bounds the ballots whose votes are kept.
const keptBallots = 64

// checkCertificate says whether a quorum has signed the votes of a certificate.
func (m *Machine) checkCertificate(slot uint64, chain [32]byte, c *Certificate) bool {
	if c == nil || c.Chain != chain || c.Value.Attempt > c.Ballot {
		return false
	}
	voted := map[uint32]bool{}
	for _, v := range c.Votes {
		if voted[v.Member] || !m.rules.decides(int(v.Member)) {
			return false
		}
		if m.p.Keys != nil && !m.p.Keys.Verify(int(v.Member), m.voteBytes(slot, c.Ballot, c.Value, chain), v.Signature) {
			return false
		}
		voted[v.Member] = true
	}
	return len(voted) >= m.rules.Quorum
}

// receiveCommit takes a certificate from whoever has it.
func (m *Machine) receiveCommit(c *Certificate, e *Effects) {
	if m.slot.commit == nil && m.checkCertificate(m.slot.number, m.slot.chain, c) {
		m.commit(c, e)
	}
}

// commit notes what the slot has decided, and forgets the secrets of all other
// attempts: they must never be told.
func (m *Machine) commit(c *Certificate, e *Effects) {
	s := m.slot
	s.commit, s.decided, s.dirty = c, m.now, true
	m.since = m.now
	for ballot := range s.attempts {
		if ballot != c.Value.Attempt {
			delete(s.attempts, ballot)
		}
	}
	for attempt := range s.sealed {
		if attempt != c.Value.Attempt {
			s.drop(attempt)
		}
	}
	s.done, s.own, s.views = map[uint32]map[int]Done{}, map[uint32]*View{}, map[uint32]*View{}
	s.promises, s.finish, s.vote = nil, nil, nil
	s.promised = c.Value.Attempt // no ballot matters any more
	m.passOn(e, c.Value.Attempt, &Commit{Certificate: c})
	m.replayHints(e)
}
