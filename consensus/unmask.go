package consensus

import (
	"errors"
	"slices"
	"time"

	"github.com/collabdict/collabdict/consensus/session"
)

// In a large roster nobody is told all pads: the members of the decided attempt add
// them up in one more session, whose partial sums tell nothing that the decision
// has not. If members are lost it is begun anew without them, and others put their
// pads together. All that is done here may be done twice.

// unmasking is a member's part in adding up the pads of a decided attempt.
type unmasking struct {
	epoch   uint32
	lost    []Substitute
	tries   int           // epochs before it
	since   time.Duration // of its last step
	session session.Session
	early   []frame
}

// unmasks says whether a sealed result is opened by the sum of all pads.
func (m *Machine) unmasks(sealed *Sealed) bool {
	return m.roster.Committee != nil && m.roster.Sealed && sealed.Header.Kind == Sum
}

// unmaskOn goes on with the sum of the pads and says whether it is known.
func (m *Machine) unmaskOn(sealed *Sealed, e *Effects) bool {
	s := m.slot
	if s.padSum != nil {
		return true
	}
	if s.unmask == nil {
		s.unmask = &unmasking{since: m.now}
	}
	u := s.unmask
	if u.session == nil && !m.unmaskBegin(sealed, e) {
		return false
	}
	before := u.session.Round()
	m.sendUnmask(u.session.Advance(), e)
	if u.session.Round() > before {
		u.since = m.now
		m.monitor.step(m.now)
	}
	if !u.session.Done() {
		return false
	}
	s.padSum, s.padSumNew = u.session.Result(), true
	return true
}

// unmaskBegin enters the session with this member's pad, and with those that it
// stands in for, once it has put them together.
func (m *Machine) unmaskBegin(sealed *Sealed, e *Effects) bool {
	s := m.slot
	u := s.unmask
	a := s.attempts[sealed.Attempt]
	members := m.unmaskMembers(sealed)
	place, in := slices.BinarySearch(members, m.p.Self)
	if a == nil || !a.dealt || len(members) < 2 || !in {
		return false
	}
	layout, err := m.plans.layout(len(sealed.Members), sealed.Blocks)
	if err != nil {
		return false // total reports it
	}
	pads := make([]uint64, layout.Words())
	layout.AddMask(pads, m.padMask(m.p.Self, sealed.Attempt, a.pad))
	for _, l := range u.lost {
		if int(l.By) != m.p.Self {
			continue
		}
		pad, known := m.padFromShares(int(l.Member), sealed.Attempt, a.commits[int(l.Member)])
		if !known {
			return false
		}
		layout.AddMask(pads, m.padMask(int(l.Member), sealed.Attempt, pad))
	}
	plan := m.plans.plan(len(members)).unmasking(len(pads))
	u.session = plan.New(session.Placement{Self: m.p.Self, Members: members, Guess: place}, pads)
	a.leave() // nobody needs anything of its session any more
	m.sendUnmask(u.session.Start(), e)
	for _, f := range u.early {
		_ = u.session.Receive(f.from, int(f.step.Round), int(f.step.Part), f.step.Words) // as in receiveUnmask
	}
	u.early = nil
	return true
}

// unmaskMembers returns who takes part in the epoch, in rank order.
func (m *Machine) unmaskMembers(sealed *Sealed) []int {
	u := m.slot.unmask
	if len(u.lost) == 0 {
		return m.seats(&View{Ballot: sealed.Attempt, Members: sealed.Members, Missing: sealed.Missing}).ranks
	}
	var members []int
	for _, r := range sealed.Members {
		if !slices.ContainsFunc(u.lost, func(l Substitute) bool { return l.Member == r }) {
			members = append(members, int(r))
		}
	}
	return members
}

func (m *Machine) sendUnmask(frames []session.Frame, e *Effects) {
	s := m.slot
	lane := uint32(m.p.lanes()) + s.unmask.epoch
	for _, f := range frames {
		m.send(e, f.To, s.ballots.commit.Value.Attempt, &Step{Lane: lane, Round: uint32(f.Round), Part: uint32(f.Part), Words: f.Words})
	}
}

// receiveUnmask takes a frame of the sum of the pads. A frame that no such session
// has is of no use: there will be another epoch.
func (m *Machine) receiveUnmask(from int, msg Message, b *Step, e *Effects) {
	s := m.slot
	if !s.ofDecided(from, msg) {
		return
	}
	u := s.unmask
	if u == nil {
		u = &unmasking{since: m.now}
		s.unmask = u
	}
	if b.Lane != uint32(m.p.lanes())+u.epoch || s.padSum != nil {
		return
	}
	if u.session == nil {
		// Longer vectors travel in parts where so many members are.
		if len(u.early) < earlyUnmask+m.earlyParts() && len(b.Words) <= session.PartWords {
			u.early = append(u.early, frame{from, b})
		}
		return
	}
	_ = u.session.Receive(from, int(b.Round), int(b.Part), b.Words)
}

// earlyParts returns the parts of two vectors of up to two words a value, as far as
// this member knows of them.
func (m *Machine) earlyParts() int {
	if c := m.slot.call; c != nil {
		return 4 * (int(c.header.Length) + 1) / session.PartWords
	}
	return 0
}

// earlyUnmask bounds the frames that are kept before a member enters the session:
// more rounds than any plan has.
const earlyUnmask = 64

func (m *Machine) unmaskWaits() []int {
	if u := m.slot.unmask; u.session != nil {
		return u.session.Waiting()
	}
	return nil
}

// unmaskAgain sends frames again that a member of the session waits for.
func (m *Machine) unmaskAgain(to int, b *Beat, e *Effects) {
	if u := m.slot.unmask; u != nil && u.session != nil && b.State == Opening {
		for round := int(b.Round); round <= int(b.Round)+1; round++ {
			m.sendUnmask(u.session.Again(to, round), e)
		}
	}
}

// receiveOpened takes the sum of the pads from one who has it.
func (m *Machine) receiveOpened(msg Message, b *Opened) {
	s := m.slot
	if s.ballots.commit == nil || m.roster.Committee == nil || s.padSum != nil || msg.Ballot != s.ballots.commit.Value.Attempt {
		return
	}
	sealed := m.sealedOf(s.ballots.commit.Value)
	if sealed == nil || !m.unmasks(sealed) {
		return
	}
	s.padSum = b.Words
	if err := m.total(sealed, &Decision{}); err != nil {
		s.padSum = nil // of another sum: whoever knows better is asked next
		return
	}
	s.padSumNew = true
}

// receiveReopen begins the sum of the pads anew.
func (m *Machine) receiveReopen(from int, msg Message, b *Reopen, e *Effects) {
	s := m.slot
	switch {
	case m.roster.Committee == nil || !m.checkReopen(b):
		return
	case !s.ofDecided(from, msg) || s.padSum != nil || s.unmask != nil && b.Epoch <= s.unmask.epoch:
		return
	}
	m.reopen(b, e)
}

// checkReopen reports whether those who are lost, and who stands in for them, are of the
// roster.
func (m *Machine) checkReopen(b *Reopen) bool {
	return !slices.ContainsFunc(b.Lost, func(l Substitute) bool {
		return !m.roster.belongs(int(l.Member)) || !m.roster.belongs(int(l.By))
	})
}

// reopen enters an epoch, and gives its shares of lost members' pads to those who
// stand in for them.
func (m *Machine) reopen(b *Reopen, e *Effects) {
	s := m.slot
	attempt := s.ballots.commit.Value.Attempt
	next := &unmasking{epoch: b.Epoch, lost: b.Lost, since: m.now}
	if s.unmask != nil {
		next.tries = s.unmask.tries + 1
	}
	s.unmask = next
	m.passOn(e, attempt, b)
	a := s.attempts[attempt]
	if a == nil {
		return
	}
	for _, l := range b.Lost {
		share, held := a.held[int(l.Member)]
		switch {
		case !held:
		case int(l.By) == m.p.Self:
			s.addShare(int(l.Member), share)
		default:
			m.send(e, int(l.By), attempt, &Shares{Shares: []PadShare{{l.Member, share}}})
		}
	}
}

// judgeOpening begins the next epoch when the one under way cannot come to an end,
// if this member is of the committee and no other that could see it is before it.
func (m *Machine) judgeOpening(e *Effects) {
	s := m.slot
	if m.roster.Committee == nil || s.ballots.commit == nil || s.padSum != nil || s.unmask == nil || !m.roster.decides(m.p.Self) {
		return
	}
	sealed := m.sealedOf(s.ballots.commit.Value)
	if sealed == nil || !m.unmasks(sealed) || m.now-s.unmask.since < m.openingPatience(sealed) {
		return
	}
	b := &Reopen{Epoch: m.roster.next(m.p.Self, s.unmask.epoch)}
	for _, r := range sealed.Members {
		if s := int(r); s != m.p.Self && m.monitor.lost(m.now, s) {
			by, err := m.standIn(s, sealed)
			if err != nil {
				return // its pad is waited for
			}
			b.Lost = append(b.Lost, Substitute{r, uint32(by)})
		}
	}
	m.tell(e, s.ballots.commit.Value.Attempt, b)
	m.reopen(b, e)
}

// openingPatience returns after what time without a step a member begins another
// epoch: soon if one of those who take part is lost, but after twice the time each
// time, so that all come to hear of it; each member of the committee after those of
// lower rank that are there.
func (m *Machine) openingPatience(sealed *Sealed) time.Duration {
	least := m.monitor.stallAfter()
	if slices.ContainsFunc(m.unmaskMembers(sealed), func(s int) bool { return s != m.p.Self && m.monitor.lost(m.now, s) }) {
		least = m.p.Beat << min(m.slot.unmask.tries, 6)
	}
	turn := 0
	for _, s := range m.roster.Committee {
		if s < m.p.Self && !m.monitor.lost(m.now, s) {
			turn++
		}
	}
	return least + time.Duration(turn+1)*viewWait*m.p.Beat
}

var errNobodyLeft = errors.New("nobody is left who holds a share of the pad")

// standIn returns who is to put the pad of a lost member together: the first that
// holds a share and is there.
func (m *Machine) standIn(member int, sealed *Sealed) (int, error) {
	x := m.seats(&View{Ballot: sealed.Attempt, Members: sealed.Members, Missing: sealed.Missing})
	if m.roster.Shares > 0 {
		for _, h := range m.holders(x, member) {
			if h == m.p.Self || !m.monitor.lost(m.now, h) {
				return h, nil
			}
		}
	}
	return 0, errNobodyLeft
}
