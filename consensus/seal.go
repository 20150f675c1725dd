package consensus

import (
	"fmt"
	"math"
	"slices"

	"github.com/collabdict/collabdict/chunking"
)

// end notes what this member's attempt came to. Exact results are the same bits
// at every member; in floating point all adopt the sealer's.
func (m *Machine) end(a *attempt, result *Sealed, e *Effects) {
	s := m.slot
	result.Attempt, result.Header = a.view.Ballot, s.call.header
	result.Members, result.Missing = a.view.Members, a.view.Missing
	a.result, a.digest = m.plans.digestOf(m.p.Run, s.number, result)
	result = a.result
	m.monitor.step(m.now)
	if s.ballots.commit == nil && m.votesOwn(a) {
		m.tellSeal(a, result, e)
		m.vote(s.ballots.promised, result, a.digest, e)
	}
}

// votesOwn says whether this member votes for its own result.
func (m *Machine) votesOwn(a *attempt) bool {
	return m.p.Scheme != Laplacian || a.result.Header.Kind == Gather || m.p.Self == m.sealer(a)
}

// sealer returns whose result all members of an attempt adopt: the owner of the
// ballot, or the lowest rank.
func (m *Machine) sealer(a *attempt) int {
	if o := m.roster.owner(a.view.Ballot); a.view.Ballot > 0 && a.view.has(o) {
		return o
	}
	return a.member[0]
}

// fork is the number of members that each passes the sealer's result on to.
const fork = 2

// heirs returns whom a member passes the sealer's result on to, and from whom it
// gets it: the places of a tree whose root is the sealer.
func (m *Machine) heirs(a *attempt) (from int, to []int) {
	n := len(a.member)
	root := slices.Index(a.member, m.sealer(a))
	place := (slices.Index(a.member, m.p.Self) - root + n) % n
	at := func(place int) int { return a.member[(place+root)%n] }
	for i := fork*place + 1; i <= fork*place+fork && i < n; i++ {
		to = append(to, at(i))
	}
	return at((place - 1) / fork), to
}

func (m *Machine) tellSeal(a *attempt, sealed *Sealed, e *Effects) {
	if m.p.Scheme != Laplacian || sealed.Header.Kind == Gather {
		return
	}
	_, to := m.heirs(a)
	for _, s := range to {
		m.send(e, s, a.view.Ballot, &Seal{Sealed: sealed})
	}
}

// receiveSeal takes a sealed result: the sealer's of the attempt at hand, or the
// one that this member lacks to finish an attempt or to open the slot.
func (m *Machine) receiveSeal(from int, ballot uint32, b *Seal) {
	s := m.slot
	if v := m.lacksSealed(); v != nil && v.Attempt == ballot {
		if b.Sealed.digest(m.p.Run, s.number) == v.Digest {
			s.keep(b.Sealed, v.Digest)
		}
		return
	}
	if v := s.ballots.working(); v != nil && s.ballots.commit == nil && m.fetches(v) {
		m.receiveAmendment(v, b.Sealed)
		return
	}
	a := s.attempts[ballot]
	if a != nil && ballot == s.ballots.promised && a.here && a.seal == nil && s.ballots.commit == nil && m.p.Scheme == Laplacian {
		a.seal, a.sealedBy = b.Sealed, from
	}
}

// lacksSealed returns the value whose sealed result this member needs and does not
// have.
func (m *Machine) lacksSealed() *Value {
	s := m.slot
	var v *Value
	switch {
	case s.ballots.commit != nil:
		v = &s.ballots.commit.Value
	case s.ballots.finishing() != nil:
		v = s.ballots.finish.Finish
	}
	if v == nil || m.sealedOf(*v) != nil {
		return nil
	}
	return v
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

// adoptSeal takes the sealer's result for this member's own, after checking that
// the two agree as closely as the plan predicts, and passes it on.
func (m *Machine) adoptSeal(a *attempt, e *Effects) bool {
	if a.seal == nil {
		return false
	}
	if err := m.checkSeal(a); err != nil {
		m.fail(e, err)
		return false
	}
	m.tellSeal(a, a.seal, e)
	m.vote(m.slot.ballots.promised, a.seal, a.seal.digest(m.p.Run, m.slot.number), e)
	return true
}

// checkSeal compares the sealer's result with this member's own.
func (m *Machine) checkSeal(a *attempt) error {
	own, seal := *a.result, *a.seal
	if len(seal.Words) != len(own.Words) {
		return m.memberError(a.sealedBy, fmt.Sprintf("passed on a total of %d values, want %d: run the same version everywhere", len(seal.Words), len(own.Words)))
	}
	frame := seal
	frame.Words = own.Words
	if frame.digest(m.p.Run, m.slot.number) != a.digest {
		return m.memberError(a.sealedBy, "passed on a total of another call, view or other pads than this member's: run the same version everywhere")
	}
	plan := m.plans.plan(len(a.member))
	i, apart, open := 0, 0.0, 0.0
	for _, b := range own.Blocks {
		tolerance := plan.tolerated(b.Bound)
		open += float64(b.Len) * tolerance * tolerance
		for end := i + b.Len; i < end; i++ {
			x, y := math.Float64frombits(own.Words[i]), math.Float64frombits(seal.Words[i])
			if d := math.Abs(x - y); !(d <= tolerance) {
				err := m.memberError(a.sealedBy, fmt.Sprintf("passed on a total whose value %d is too far from this member's own", i))
				err.Detail = fmt.Sprintf("they differ by %.3g, want at most %.3g: run the same version everywhere", d, tolerance)
				return err
			}
			apart += (x - y) * (x - y)
		}
	}
	a.apart, a.open = math.Sqrt(apart), math.Sqrt(open)
	return nil
}

// commitment returns what a member publishes of its pad before the session.
func (m *Machine) commitment(member int, ballot uint32, pad [chunking.SeedSize]byte) [32]byte {
	h := newHashing("commitment", m.p.Run)
	h.number(m.slot.number)
	h.number(uint64(ballot))
	h.number(uint64(member))
	h.Write(pad[:])
	return h.sum()
}
