package consensus

import (
	"fmt"
	"math"
	"slices"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/consensus/session"
)

// Sealed is the sealed result of an attempt. The vote is for its digest. Removing the members'
// pads reveals the total.
type Sealed struct {
	Attempt uint32
	Header  Header
	Blocks  []collabdict.Block // bounds of a Sum
	Members []uint32
	Missing []Missing
	Commits [][32]byte // commitments to the members' pads, in the order of Members; nil without pads
	Words   []uint64   // of a Sum: the words with which the session ended
	Blobs   [][]byte   // of a Gather: one per member, in the order of Members
}

// digest returns the digest that members vote for.
func (s *Sealed) digest(run [32]byte, slot uint64) [32]byte {
	h := newHashing("sealed", run)
	h.number(slot)
	h.number(uint64(s.Attempt))
	h.Write(s.Header.Hash[:])
	h.number(uint64(s.Header.Kind))
	h.number(uint64(s.Header.Round))
	if r := s.Header.Running; r.Key != "" {
		h.bytes([]byte(r.Key))
		h.bytes([]byte(r.From))
		h.number(uint64(r.Size))
		h.Write(r.Base[:])
	}
	h.blocks(s.Blocks)
	h.ranks(s.Members)
	h.missing(s.Missing)
	h.number(uint64(len(s.Commits)))
	for _, c := range s.Commits {
		h.Write(c[:])
	}
	h.words(s.Words)
	h.number(uint64(len(s.Blobs)))
	for _, b := range s.Blobs {
		h.bytes(b)
	}
	return h.sum()
}

// onDisk reports whether the words are on disk only.
func (s *Sealed) onDisk() bool { return s.Header.Kind == Sum && s.Words == nil }

// results are the sealed results of a slot that this member has voted for or fetched.
type results struct {
	naming
	sealed  map[uint32]*Sealed // kept: by attempt
	digests map[uint32][32]byte
	unsaved []uint32 // attempts whose entry on disk is out of date
}

func newResults(n naming) results {
	return results{naming: n, sealed: map[uint32]*Sealed{}, digests: map[uint32][32]byte{}}
}

// keep keeps a sealed result with the given digest.
func (r *results) keep(sealed *Sealed, digest [32]byte) {
	if r.sealed[sealed.Attempt] != nil && r.digests[sealed.Attempt] == digest {
		return
	}
	r.sealed[sealed.Attempt], r.digests[sealed.Attempt] = sealed, digest
	r.unsaved = append(r.unsaved, sealed.Attempt)
}

// take keeps a sealed result from another member if its digest is that of a value.
func (r *results) take(sealed *Sealed, v Value) {
	if sealed.Attempt == v.Attempt && sealed.digest(r.run, r.slot) == v.Digest {
		r.keep(sealed, v.Digest)
	}
}

func (r *results) restore(attempt uint32, sealed *Sealed) {
	r.sealed[attempt], r.digests[attempt] = sealed, sealed.digest(r.run, r.slot)
}

// find returns the sealed result of a value, or nil if this member lacks it.
func (r *results) find(v Value) *Sealed {
	if s := r.sealed[v.Attempt]; s != nil && r.digests[v.Attempt] == v.Digest {
		return s
	}
	return nil
}

// decide drops all results except that of the decided attempt.
func (r *results) decide(attempt uint32) {
	for other := range r.sealed {
		if other != attempt {
			delete(r.sealed, other)
			delete(r.digests, other)
			r.unsaved = append(r.unsaved, other)
		}
	}
}

// takeUnsaved returns the attempts whose entries on disk have to be written.
func (r *results) takeUnsaved() []uint32 {
	unsaved := r.unsaved
	r.unsaved = nil
	return unsaved
}

// leaveToDisk drops the words of long results, which other members then get from the disk.
func (r *results) leaveToDisk() {
	for attempt, sealed := range r.sealed {
		if len(sealed.Words) > session.PartWords {
			bare := *sealed
			bare.Words = nil
			r.sealed[attempt] = &bare
		}
	}
}

// end records the result of this member's attempt. Exact results have the same bits at every
// member. In floating point all members adopt the sealer's result.
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

// votesOwn reports whether this member votes for its own result.
func (m *Machine) votesOwn(a *attempt) bool {
	return m.p.Scheme != Laplacian || a.result.Header.Kind == Gather || m.p.Self == a.sealer()
}

// sealer returns the member whose result all members of the attempt adopt: the owner of the
// ballot if it is in the view, else the lowest rank.
func (a *attempt) sealer() int {
	if o := a.owner(a.view.Ballot); a.view.Ballot > 0 && a.view.has(o) {
		return o
	}
	return int(a.view.Members[0])
}

// fork is the number of members to which each member passes on the sealer's result.
const fork = 2

// relay returns the member that passes the sealer's result to this one, and those to which this
// one passes it. They form a tree with the sealer as its root.
func (a *attempt) relay() (from int, to []int) {
	members := a.members()
	n := len(members)
	root := slices.Index(members, a.sealer())
	place := (slices.Index(members, a.self) - root + n) % n
	member := func(place int) int { return members[(place+root)%n] }
	for i := fork*place + 1; i <= fork*place+fork && i < n; i++ {
		to = append(to, member(i))
	}
	return member((place - 1) / fork), to
}

func (m *Machine) tellSeal(a *attempt, sealed *Sealed, e *Effects) {
	if m.p.Scheme != Laplacian || sealed.Header.Kind == Gather {
		return
	}
	_, to := a.relay()
	for _, s := range to {
		m.send(e, s, a.view.Ballot, &Seal{Sealed: sealed})
	}
}

// receiveSeal takes a sealed result: the sealer's in the current attempt, or one that this
// member lacks to finish an attempt or to open the slot.
func (m *Machine) receiveSeal(from int, ballot uint32, b *Seal) {
	s := m.slot
	if m.roster.paused && b.Sealed.Header.Kind != Amend {
		return
	}
	if v := m.lacksSealed(); v != nil && v.Attempt == ballot {
		s.results.take(b.Sealed, *v)
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

// lacksSealed returns the value whose sealed result this member needs but lacks, or nil.
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
	if s := m.slot.results.find(v); s != nil {
		return s
	}
	if a := m.slot.attempts[v.Attempt]; a != nil && a.result != nil && a.digest == v.Digest {
		return a.result
	}
	return nil
}

// adoptSeal adopts the sealer's result and passes it on, after a check that it agrees with this
// member's own within the predicted tolerance.
func (m *Machine) adoptSeal(a *attempt, e *Effects) bool {
	if a.seal == nil {
		return false
	}
	apart, allowed, fault, detail := a.plan().compare(a.result, a.seal, a.digest, a.naming)
	if fault != "" {
		err := m.roster.memberError(a.sealedBy, fault)
		err.Detail = detail
		m.fail(e, err)
		return false
	}
	a.apart, a.allowed = apart, allowed
	m.tellSeal(a, a.seal, e)
	m.vote(m.slot.ballots.promised, a.seal, a.seal.digest(m.p.Run, m.slot.number), e)
	return true
}

// compare compares the sealer's result with a member's own, whose digest is given: same call,
// view and pads, and values within the plan's tolerance. It returns ‖own − seal‖₂ and the
// largest value allowed, or describes the fault, with a detail that may contain values.
func (p *Plan) compare(result, seal *Sealed, digest [32]byte, n naming) (apart, allowed float64, fault, detail string) {
	if len(seal.Words) != len(result.Words) {
		return 0, 0, fmt.Sprintf("passed on a total of %d values, want %d: run the same version everywhere", len(seal.Words), len(result.Words)), ""
	}
	frame := *seal
	frame.Words = result.Words
	if frame.digest(n.run, n.slot) != digest {
		return 0, 0, "passed on a total of another call, view or set of pads than this member's: run the same version everywhere", ""
	}
	i := 0
	for _, b := range result.Blocks {
		tolerance := p.tolerated(b.Bound)
		allowed += float64(b.Len) * tolerance * tolerance
		for end := i + b.Len; i < end; i++ {
			x, y := math.Float64frombits(result.Words[i]), math.Float64frombits(seal.Words[i])
			if d := math.Abs(x - y); !(d <= tolerance) {
				return 0, 0, fmt.Sprintf("passed on a total whose value %d is too far from this member's own", i),
					fmt.Sprintf("they differ by %.3g, want at most %.3g: run the same version everywhere", d, tolerance)
			}
			apart += (x - y) * (x - y)
		}
	}
	return math.Sqrt(apart), math.Sqrt(allowed), "", ""
}
