package consensus

import (
	"fmt"
	"maps"
	"slices"

	"github.com/collabdict/collabdict/chunking"
)

// leave drops what the session of an attempt needs: it is not gone on with.
func (a *attempt) leave() {
	a.here = false
	a.handedOut, a.dealtShares, a.early, a.lanes = nil, nil, nil, nil
	a.seeds, a.blobs, a.gathered = map[int]*Seeds{}, map[int][]byte{}, map[int]*Blob{}
}

// work goes one step further in the attempt that this member works in.
func (m *Machine) work(e *Effects) bool {
	s := m.slot
	a := m.attempt(s.ballots.promised)
	if a == nil || s.abstains || a.settled || !a.view.has(m.p.Self) || s.ballots.voted() {
		return false
	}
	switch {
	case !a.dealt:
		if s.call == nil || s.entered >= int64(s.ballots.promised) {
			return false
		}
		m.deal(a, e)
	case !a.here:
		return false // by an earlier process, whose session is lost
	case s.call.header.Kind == Gather:
		if len(a.blobs) < len(a.member) {
			return false
		}
		if m.compare(a, e) {
			m.end(a, &Sealed{Blobs: a.blobsOf()}, e)
		}
	case a.result != nil:
		return m.adoptSeal(a, e)
	case a.lanes == nil:
		if len(a.seeds) < m.seats(a.view).dealers() {
			return false
		}
		if m.compare(a, e) {
			m.begin(a, e)
		}
	default:
		return m.average(a, e)
	}
	return true
}

// deal draws the secrets of an attempt, once and for ever, and hands out what the
// others need of them.
func (m *Machine) deal(a *attempt, e *Effects) {
	s := m.slot
	s.entered, s.dirty = int64(s.ballots.promised), true
	a.dealt, a.here = true, true
	m.monitor.step(m.now)
	if s.call.header.Kind == Gather {
		a.blobs[m.p.Self] = s.call.blob
	} else if err := m.draw(a); err != nil {
		m.fail(e, err)
		return
	}
	for _, member := range m.opensTowards(a) {
		m.send(e, member, s.ballots.promised, m.dealt(a, member))
	}
	if m.roster.Committee != nil {
		m.replayEarly(e)
	}
	// what came before this member's own call
	for _, from := range slices.Sorted(maps.Keys(a.seeds)) {
		m.checkSeeds(from, a, a.seeds[from].Header, a.seeds[from].View, e)
	}
	for _, from := range slices.Sorted(maps.Keys(a.gathered)) {
		m.checkSeeds(from, a, a.gathered[from].Header, a.gathered[from].View, e)
	}
}

// opensTowards returns the members that this one's opening messages go to.
func (m *Machine) opensTowards(a *attempt) []int {
	if m.slot.call.header.Kind == Gather {
		return others(a.member, m.p.Self)
	}
	return m.seats(a.view).dealsTo(m.p.Self)
}

// draw draws the chunks, the pad and its shares from the call's entropy, which is
// used for nothing else in this ballot.
func (m *Machine) draw(a *attempt) error {
	s := m.slot
	var err error
	if a.layout, err = m.plans.layout(len(a.member), s.call.blocks); err != nil {
		return fmt.Errorf("sum: %w", err)
	}
	c, x := s.naming.context(s.ballots.promised, m.p.Self), m.seats(a.view)
	a.seeds = sized(a.seeds, x.dealers())
	if m.roster.Sealed {
		a.commits = sized(a.commits, x.dealers()+1)
		a.pad = m.secret("pad")
		a.commits[m.p.Self] = s.naming.commitment(m.p.Self, s.ballots.promised, a.pad)
	}
	if m.roster.Shares > 0 {
		holders := x.holders(m.p.Self)
		a.held = sized(a.held, len(holders))
		shares := chunking.SplitSecret(a.pad, len(holders), m.roster.Shares, m.secret("shares"))
		a.dealtShares = make(map[int]*chunking.Share, len(holders))
		for i, h := range holders {
			a.dealtShares[h] = &shares[i]
		}
	}
	if m.p.Protect == chunking.Chunks {
		a.handedOut = m.handOut(a, c)
	}
	return nil
}

// sized returns a map with room for so many entries from the start.
func sized[T any](was map[int]T, n int) map[int]T {
	is := make(map[int]T, n)
	maps.Copy(is, was)
	return is
}

// secret derives a secret of this member in the ballot at hand.
func (m *Machine) secret(purpose string) [32]byte {
	return m.slot.naming.secret(m.entropy, m.slot.ballots.promised, purpose)
}

// handOut returns the chunks for this member's partners, by their ranks.
func (m *Machine) handOut(a *attempt, c chunking.Context) []chunking.Mask {
	partners := m.seats(a.view).partners(m.p.Self, m.entropy, c)
	chunks := make([]chunking.Mask, 0, len(partners))
	for _, to := range partners {
		c.To = to
		chunks = append(chunks, chunking.Mask{Context: c, Purpose: chunking.ForChunk, Seed: chunking.Seed(m.entropy, c)})
	}
	return chunks
}

// dealt returns the message that opens the attempt towards a member.
func (m *Machine) dealt(a *attempt, to int) Body {
	c := m.slot.call
	if c.header.Kind == Gather {
		return &Blob{Header: c.header, View: m.seats(a.view).digest, Data: c.blob}
	}
	seeds := &Seeds{Header: c.header, View: m.seats(a.view).digest, Commit: a.commits[m.p.Self], Share: a.dealtShares[to]}
	for i := range a.handedOut {
		chunk := &a.handedOut[i]
		if chunk.To != to {
			continue
		}
		if m.p.Full {
			seeds.Full = make([]uint64, a.layout.Words())
			a.layout.AddMask(seeds.Full, *chunk)
		} else {
			seeds.Chunk = chunk.Seed[:]
		}
	}
	return seeds
}

// receiveDeal takes Seeds or a Blob. They may come before this member's call,
// and before the view that they belong to.
func (m *Machine) receiveDeal(from int, msg Message, e *Effects) {
	s := m.slot
	a := m.attempt(msg.Ballot)
	if a == nil || msg.Ballot > s.ballots.promised {
		if s.ballots.commit == nil && msg.Ballot >= s.ballots.promised {
			m.keepEarly(from, msg)
		}
		return
	}
	if msg.Ballot < s.ballots.promised || !a.view.has(from) || !a.view.has(m.p.Self) || a.lanes != nil || a.result != nil {
		return
	}
	switch b := msg.Body.(type) {
	case *Seeds:
		if b.Header.Kind == Sum && a.seeds[from] == nil && m.checkSeeds(from, a, b.Header, b.View, e) && m.checkShare(from, a, b, e) {
			a.seeds[from] = b
		}
	case *Blob:
		if b.Header.Kind == Gather && a.blobs[from] == nil && m.checkSeeds(from, a, b.Header, b.View, e) {
			a.blobs[from], a.gathered[from] = append([]byte{}, b.Data...), b
		}
	}
}

// checkSeeds ends the run if a member is about to compute something else. Before
// this member's own call there is nothing to compare with. Parameters are compared
// when all have told theirs: most members show which of them differ.
func (m *Machine) checkSeeds(from int, a *attempt, h Header, view [32]byte, e *Effects) bool {
	if m.slot.call == nil {
		return true
	}
	own := m.slot.call.header
	h.Parameters = own.Parameters
	detail := "other bounds or settings"
	switch {
	case h.Kind != own.Kind || h.Round != own.Round || h.Length != own.Length:
		detail = fmt.Sprintf("a %s of %d values in round %d, this member a %s of %d in round %d",
			h.Kind, h.Length, h.Round, own.Kind, own.Length, own.Round)
	case h != own:
	case view != m.seats(a.view).digest:
		detail = "in another view or on another topology"
	default:
		return true
	}
	m.fail(e, m.memberError(from, "calls "+detail+": run the same version with the same settings everywhere"))
	return false
}

// checkShare ends the run if a member's Seeds lack what this member is to hold.
func (m *Machine) checkShare(from int, a *attempt, b *Seeds, e *Effects) bool {
	deals, holds := m.seats(a.view).dealt(from, m.p.Self)
	holds = holds && m.roster.Shares > 0
	if holds == (b.Share != nil) && deals {
		return true
	}
	m.fail(e, m.memberError(from, "dealt its pad to other members than this member expects: run the same version everywhere"))
	return false
}

func (a *attempt) blobsOf() [][]byte {
	blobs := make([][]byte, len(a.member))
	for i, s := range a.member {
		blobs[i] = a.blobs[s]
	}
	return blobs
}
