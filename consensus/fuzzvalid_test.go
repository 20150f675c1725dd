package consensus

import (
	"slices"
	"time"
)

// Messages with a single wrong field get further into a machine than messages made up field by
// field, which mostly fail the first checks. Honest members supply what only they can sign:
// they answer an attacker like anybody else.

// disturb delivers, loses or delays honest messages, lets time pass, or lets the attacker ask
// for promises, before its next message.
func (x *Fuzzed) disturb() {
	c := x.in.byte()
	if x.disturbed++; x.disturbed > 3 { // otherwise disturbances take most of the time
		c %= 192
	}
	switch {
	case c < 192:
		x.deliver(int(c % 4))
	case c < 208: // the others continue without member 1, whose messages are late
		var late []delivery
		for range 1 + int(c%16)*8 {
			at := slices.IndexFunc(x.flight, func(d delivery) bool { return d.to != 1 })
			if at < 0 {
				break
			}
			d := x.flight[at]
			late, x.flight = append(late, x.flight[:at]...), x.flight[at+1:]
			x.receive(d.to, d.from, d.msg)
		}
		x.flight = append(late, x.flight...)
	case c < 224:
		x.canvass(c)
	case c < 240:
		x.pass(time.Duration(1+c%4)*2*time.Second, nil)
	default: // messages to member 1 are lost
		lost := int(c - 239)
		x.drop(func(d delivery) bool { lost--; return d.to == 1 && lost >= 0 })
	}
}

// fit gives a message the slot and ballot that its body is for.
func (x *Fuzzed) fit(m *Message) {
	switch b := m.Body.(type) {
	case *View:
		m.Ballot = b.Ballot
	case *Seal:
		m.Ballot = b.Sealed.Attempt
	case *Decided:
		m.Slot = b.Decision.Slot
	case *Done:
		m.Ballot = x.votedIn
	}
}

// canvass asks honest members for promises of the attacker's next ballot, and returns the
// ballot.
func (x *Fuzzed) canvass(members byte) uint32 {
	highest := uint32(0)
	for _, m := range x.members {
		if m.slot.number == x.me().number {
			highest = max(highest, m.slot.ballots.promised)
		}
	}
	ballot := x.members[1].roster.next(x.attacker, highest)
	if ballot > maxBallot {
		return highest
	}
	for s := range 4 {
		if s != x.attacker && members>>s&1 == 0 {
			x.receive(s, x.attacker, Message{Slot: x.me().number, Ballot: ballot, Body: &Prepare{}})
		}
	}
	return ballot
}

// canvassed returns a ballot of the attacker that honest members have promised, now or before.
func (x *Fuzzed) canvassed() uint32 {
	if c := x.in.byte(); c%4 > 0 {
		return x.canvass(c >> 2 & 3 << 2)
	}
	if v := x.me().ballots.promised; v > 0 {
		return v
	}
	return x.canvass(0)
}

// rightView returns the view that follows from members' promises of a ballot, including the
// attacker's.
func (x *Fuzzed) rightView() *View {
	v := &View{Ballot: x.canvassed()}
	for _, p := range x.promises[v.Ballot] {
		if !slices.ContainsFunc(v.Promises, func(q Promise) bool { return q.Member == p.Member }) {
			v.Promises = append(v.Promises, p)
		}
	}
	if !slices.ContainsFunc(v.Promises, func(p Promise) bool { return int(p.Member) == x.attacker }) {
		p := Promise{Member: uint32(x.attacker), Joins: true, Chain: x.me().chain}
		for r := range uint32(4) { // members without a promise are left out
			if int(r) != x.attacker && !slices.ContainsFunc(v.Promises, func(q Promise) bool { return q.Member == r }) {
				p.Without = append(p.Without, r)
			}
		}
		if c := x.in.byte(); c%8 == 7 {
			p.Amends = fuzzedAmendment.digest()
		} else if votes := x.sortedVotes(); c%8 == 6 && len(votes) > 0 {
			p.Vote = &votes[int(c/8)%len(votes)]
		}
		p.Signature = testKeys(x.attacker).Sign(x.me().ballots.promiseBytes(v.Ballot, p))
		v.Promises = append(v.Promises, p)
	}
	slices.SortFunc(v.Promises, func(p, q Promise) int { return int(p.Member) - int(q.Member) })
	best := highestVote(v.Promises)
	switch {
	case best != nil:
		v.Finish = &best.Value
	case countRequests(v.Promises, fuzzedAmendment.digest()) >= x.members[1].roster.Quorum:
		v.Amends = fuzzedAmendment.digest()
	default:
		for r := range uint32(4) {
			if slices.ContainsFunc(v.Promises, func(p Promise) bool { return p.Member == r }) {
				v.Members = append(v.Members, r)
			} else {
				v.Missing = append(v.Missing, Missing{r, "lost"})
			}
		}
	}
	return v
}

func (x *Fuzzed) spoil(v *View) {
	at := func(n int) int { return x.in.below(max(n, 1)) }
	switch c := x.in.below(16); {
	case c == 1:
		v.Ballot++
	case c == 2:
		v.Promises = slices.Delete(v.Promises, at(len(v.Promises)), len(v.Promises))
	case c == 3:
		v.Promises = append(v.Promises, v.Promises[at(len(v.Promises))])
	case c == 4:
		v.Promises[at(len(v.Promises))].Joins = false
	case c == 5:
		value := x.value()
		v.Finish = &value
	case c == 6:
		v.Finish = nil
	case c == 7:
		v.Amends = x.amends()
	case c == 8 && len(v.Members) > 0: // a member that has promised is left out
		i := at(len(v.Members))
		v.Missing = append(v.Missing, Missing{v.Members[i], x.reason()})
		v.Members = slices.Delete(v.Members, i, i+1)
		slices.SortFunc(v.Missing, func(a, b Missing) int { return int(a.Member) - int(b.Member) })
	case c == 9 && len(v.Missing) > 0: // a member that has not promised is in
		v.Members = append(v.Members, v.Missing[0].Member)
		v.Missing = v.Missing[1:]
		slices.Sort(v.Members)
	case c == 10:
		v.Missing = x.missing()
	case c == 11:
		slices.Reverse(v.Members)
	}
}

// rightHeartbeat returns the heartbeat of an honest member in the attacker's place, or that of
// another member.
func (x *Fuzzed) rightHeartbeat() *Heartbeat {
	m := x.members[x.in.below(4)]
	s := m.slot
	b := &Heartbeat{
		State: m.State(), Promised: s.ballots.promised, Viewed: s.ballots.viewed(), Behind: !m.joins(), Stuck: m.monitor.stuck != "", Amends: m.requested(),
		Ask: 2, // member 1
	}
	for _, w := range m.waiting() {
		b.Waiting = append(b.Waiting, uint32(w))
	}
	switch x.in.below(16) {
	case 1:
		b.State = Fetching
	case 2:
		b.State = Opening
	case 3:
		b.State = Voted
	case 4:
		b.Promised = x.ballot()
	case 5:
		b.Viewed = 0
	case 6:
		b.Round = x.number()
	case 7:
		b.Waiting = []uint32{1}
	case 8:
		b.Stuck = !b.Stuck
	case 9:
		b.Behind = !b.Behind
	case 10:
		b.Ask = uint32(x.in.below(5))
	case 11:
		b.Suspects = x.ranks()
	case 12:
		b.Heard = x.number()
	case 13:
		b.State = Finished
	case 14:
		b.Amends = fuzzedAmendment.digest()
	}
	return b
}

// rightDecided returns the decision of member 1's slot, if the others have decided it, or the
// one that they would make. With it come the votes of the next slot: those cast so far and the
// attacker's.
func (x *Fuzzed) rightDecided() *Decided {
	at := x.me().number
	for _, m := range x.members {
		if at >= uint64(len(m.log)) {
			continue
		}
		d := *m.log[at]
		b := &Decided{Decision: &d}
		if at+1 < uint64(len(m.log)) {
			b.Next = m.log[at+1].Certificate
		} else if c := m.slot.ballots.commit; c != nil && m.slot.number == at+1 {
			b.Next = c
		} else {
			b.Next = x.votesFor(at+1, d.Chain)
		}
		return b
	}
	c := x.votesFor(at, x.me().chain)
	d := Decision{Slot: at, Kind: Sum, Round: 1, Attempt: c.Value.Attempt, Members: []uint32{0, 1, 2, 3}, Certificate: c}
	for _, v := range fuzzedValues {
		d.Total = append(d.Total, v[0])
	}
	d.Total = d.Total[:3]
	d.Digest = digestOfValues(d.Total)
	return &Decided{Decision: &d, Next: x.votesFor(at+1, x.members[1].plans.chainOf(x.me().chain, x.members[1].p.Run, &d))}
}

// votesFor returns the votes that most members have signed for a slot, with the attacker's.
func (x *Fuzzed) votesFor(slot uint64, chain [32]byte) *Certificate {
	c := &Certificate{Chain: chain}
	for _, v := range x.sortedVotes() {
		signed := x.signed[v]
		if len(signed) > len(c.Votes) || len(signed) == len(c.Votes) && v.Ballot > c.Ballot {
			c.Ballot, c.Value, c.Votes = v.Ballot, v.Value, slices.Clone(signed)
		}
	}
	if !slices.ContainsFunc(c.Votes, func(v SignedVote) bool { return int(v.Member) == x.attacker }) {
		c.Votes = append(c.Votes, SignedVote{uint32(x.attacker), x.done(slot, c.Ballot, c.Value, chain).Signature})
	}
	return c
}

// spoilDecided changes at most one field of a decision and updates its digest.
func (x *Fuzzed) spoilDecided(b *Decided) {
	d := b.Decision
	digest := func() {
		if d.Kind == Sum {
			d.Digest = digestOfValues(d.Total)
		} else {
			d.Digest = digestOfBlobs(d.Blobs)
		}
	}
	switch x.in.below(16) {
	case 1:
		b.Next = x.certificate(d.Slot + 1)
	case 2:
		d.Certificate = x.certificate(d.Slot)
	case 3:
		if b.Next != nil {
			next := *b.Next
			next.Votes = next.Votes[:x.in.below(len(next.Votes)+1)]
			b.Next = &next
		}
	case 4:
		d.Members = x.ranks()
	case 5:
		d.Missing = x.missing()
	case 6:
		d.Round = x.number()
	case 7:
		d.Attempt = x.ballot()
	case 8:
		d.Digest = x.digest(d.Digest)
	case 9:
		d.Total = slices.Clone(d.Total)
		if len(d.Total) > 0 {
			d.Total[x.in.below(len(d.Total))]++
		}
		digest()
	case 10:
		d.Blobs = slices.Clone(d.Blobs)
		if len(d.Blobs) > 0 {
			d.Blobs[x.in.below(len(d.Blobs))] = []byte(x.reason())
		}
		digest()
	case 11:
		d.Kind, d.Total, d.Blobs = Amend, nil, [][]byte{x.amendment()}
		digest()
	case 12:
		b.Next = nil
	}
}
