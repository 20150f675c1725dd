package consensus

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/session"
)

// begin starts the session with this member's residue. The others' shares and
// commitments go to disk before its first frame leaves.
func (m *Machine) begin(a *attempt, e *Effects) {
	s := m.slot
	for from, b := range a.seeds {
		a.commits[from] = b.Commit
		if b.Share != nil {
			a.held[from] = *b.Share
		}
	}
	s.dirty = true
	lanes, err := m.residues(a)
	if err != nil {
		m.fail(e, err)
		return
	}
	plan := m.plans.plan(len(a.member))
	for lane, words := range lanes {
		x := plan.Session(len(words)).New(m.seats(a.view).in(lane, m.p.Self), words)
		a.lanes = append(a.lanes, x)
		m.sendFrames(a, lane, x.Start(), e)
	}
	m.monitor.step(m.now)
	early := a.early
	a.early, a.seeds = nil, nil
	for _, f := range early {
		m.receiveStep(f.from, Message{Ballot: s.ballots.promised, Body: f.step}, f.step, e)
	}
}

// residues returns what this member adds to the sessions: its vector with the
// chunks that it hands out taken off, those that it was handed put on, and its pad
// over all; or in lanes whose total is that.
func (m *Machine) residues(a *attempt) ([][]uint64, error) {
	units, err := a.layout.Encode(m.slot.call.values)
	if err != nil {
		return nil, fmt.Errorf("sum: %w", err)
	}
	if m.roster.Sealed {
		a.layout.AddMask(units, m.slot.naming.padMask(m.p.Self, a.view.Ballot, a.pad))
	}
	c := m.slot.naming.context(a.view.Ballot, m.p.Self)
	c.To = m.p.Self
	switch m.p.Protect {
	case chunking.Chunks:
		for _, chunk := range a.handedOut {
			a.layout.SubtractMask(units, chunk)
		}
		for _, from := range slices.Sorted(maps.Keys(a.seeds)) {
			if err := m.addHanded(a, from, units); err != nil {
				return nil, err
			}
		}
	case chunking.Sessions:
		lanes := a.layout.Lanes(units, m.p.lanes(), m.secret("lanes"), c)
		for i := range lanes {
			lanes[i] = a.layout.ToSession(lanes[i])
		}
		return lanes, nil
	case chunking.Shamir:
		return chunking.Split(units, m.p.threshold(), m.p.lanes(), m.secret("lanes"), c), nil
	}
	return [][]uint64{a.layout.ToSession(units)}, nil
}

// addHanded adds the chunk that a member has handed to this one, if any.
func (m *Machine) addHanded(a *attempt, from int, units []uint64) error {
	b := a.seeds[from]
	switch {
	case b == nil:
		return nil
	case len(b.Full) > 0:
		if len(b.Full) != len(units) || a.layout.Check(b.Full) != nil {
			return m.memberError(from, fmt.Sprintf("handed over a chunk of %d words that cannot be one of %d: run the same version everywhere", len(b.Full), len(units)))
		}
		a.layout.Add(units, b.Full)
	case len(b.Chunk) > 0:
		c := m.slot.naming.context(a.view.Ballot, from)
		c.To = m.p.Self
		a.layout.AddMask(units, chunking.Mask{Context: c, Purpose: chunking.ForChunk, Seed: [32]byte(b.Chunk)})
	}
	return nil
}

// choose returns k of 0..n-1 in an order that follows from a public seed.
func choose(seed [32]byte, n, k int) []int {
	return rand.New(rand.NewChaCha8(seed)).Perm(n)[:min(n, k)]
}

func (m *Machine) sendFrames(a *attempt, lane int, frames []session.Frame, e *Effects) {
	for _, f := range frames {
		m.send(e, f.To, a.view.Ballot, &Step{Lane: uint32(lane), Round: uint32(f.Round), Part: uint32(f.Part), Words: f.Words})
	}
}

// receiveStep takes a frame of the session. Those of members that have begun
// already are kept until this one does.
func (m *Machine) receiveStep(from int, msg Message, b *Step, e *Effects) {
	s := m.slot
	if m.roster.Committee != nil && int(b.Lane) >= m.p.lanes() {
		m.receiveOpening(from, msg, e)
		return
	}
	a := s.attempts[msg.Ballot]
	if a == nil || !a.dealt { // in a large roster not all wait for this member's deal
		if s.ballots.commit == nil && msg.Ballot >= s.ballots.promised {
			m.keepEarly(from, msg)
		}
		return
	}
	if !a.here || a.result != nil || !a.view.has(from) {
		return
	}
	if a.lanes == nil {
		if len(a.early) < m.earlyFrames(a) && len(b.Words) <= m.frameWords(a) {
			a.early = append(a.early, frame{from, b})
		}
		return
	}
	if int(b.Lane) >= len(a.lanes) {
		m.fail(e, m.memberError(from, fmt.Sprintf("sent a frame of lane %d, want one of %d: run the same version everywhere", b.Lane, len(a.lanes))))
		return
	}
	before := s.heard()
	if err := a.lanes[b.Lane].Receive(from, int(b.Round), int(b.Part), b.Words); err != nil {
		m.fail(e, m.memberError(from, "sent what no session has: "+err.Error()+": run the same version everywhere"))
	}
	if s.heard() > before {
		m.monitor.step(m.now)
	}
}

// heard returns how many frames have come in the session of a long sum under way:
// one whose rounds take long enough for others to wonder.
func (s *slot) heard() (frames uint32) {
	if a := s.attempts[s.ballots.promised]; a != nil && a.lanes != nil && a.layout.Words() > session.PartWords {
		for _, x := range a.lanes {
			frames += uint32(x.Progress().Frames)
		}
	}
	return frames
}

// earlyFrames bounds the frames that can reach this member before its session
// begins: in Laplacian sessions two of a neighbour, in others all of a session, of
// which the parts of two vectors, where they travel in parts.
func (m *Machine) earlyFrames(a *attempt) int {
	frames := m.plans.plan(len(a.member)).Rounds()*(m.p.Fan+1) + 2*len(a.member)
	if a.layout != nil && m.frameWords(a) < a.layout.Words() {
		frames += partsOf(m.slot.values())
	}
	return m.p.lanes() * frames
}

// frameWords returns the most words of a frame of the attempt's sessions, of which a
// Gather has none.
func (m *Machine) frameWords(a *attempt) int {
	if a.layout == nil {
		return 0
	}
	words := a.layout.Words()
	if _, inParts := m.plans.plan(len(a.member)).Session(words).(*session.Circulant); inParts {
		words = min(words, session.PartWords)
	}
	return words
}

// average goes on with the lanes and, when enough of them have ended, puts the
// result together.
func (m *Machine) average(a *attempt, e *Effects) bool {
	results := make([][]uint64, len(a.lanes))
	ended := 0
	moved := false
	for lane, x := range a.lanes {
		before := x.Round()
		frames := x.Advance()
		m.sendFrames(a, lane, frames, e)
		moved = moved || len(frames) > 0 || x.Round() > before
		if x.Done() {
			results[lane] = x.Result()
			ended++
		}
	}
	if moved {
		m.monitor.step(m.now)
	}
	if ended < m.p.threshold() {
		return false
	}
	words, err := m.join(a, results)
	if err != nil {
		m.fail(e, fmt.Errorf("sum: %w", err))
		return false
	}
	for _, x := range a.lanes {
		a.rounds = max(a.rounds, x.Round())
	}
	var commits [][32]byte
	if m.roster.Sealed && m.roster.Committee == nil {
		for _, s := range a.member {
			commits = append(commits, a.commits[s])
		}
	}
	m.end(a, &Sealed{Blocks: m.slot.call.blocks, Words: words, Commits: commits}, e)
	return true
}

// join puts the lanes' totals together.
func (m *Machine) join(a *attempt, results [][]uint64) ([]uint64, error) {
	switch m.p.Protect {
	case chunking.Sessions:
		for i, words := range results {
			units, err := a.layout.FromSession(words)
			if err != nil {
				return nil, err
			}
			results[i] = units
		}
		units, err := a.layout.JoinLanes(results)
		return a.layout.ToSession(units), err
	case chunking.Shamir:
		return chunking.Join(results, m.p.threshold())
	}
	return results[0], nil
}

// waiting returns whom this member's sessions wait for.
func (a *attempt) waiting() []int {
	var w []int
	for _, x := range a.lanes {
		w = append(w, x.Waiting()...)
	}
	slices.Sort(w)
	return slices.Compact(w)
}

// round returns the round of the lane that is least far, of those under way: what
// that one lacks is sent again.
func (a *attempt) round() uint32 {
	least := -1
	for _, x := range a.lanes {
		if least < 0 || !x.Done() && x.Round() < least {
			least = x.Round()
		}
	}
	return uint32(max(least, 0))
}

// partsOf returns the parts of two vectors of up to two words a value, 0 if nothing is
// known of them.
func partsOf(values int) int {
	if values == 0 {
		return 0
	}
	return 4 * (values + 1) / session.PartWords
}
