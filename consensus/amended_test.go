package consensus

// This file is the part of a driver that concerns amendments. The learner's calls are in the
// slots without amendments, and a call whose slot becomes an amendment is made again in the next
// slot.

func (m *testMember) answered() (calls uint64) {
	for _, d := range m.log {
		if d.Kind != Amend {
			calls++
		}
	}
	return calls
}

// next returns the slot that the learner calls next, or has called.
func (m *testMember) next() uint64 {
	return m.calls + uint64(len(m.log)) - m.answered()
}

// callAgain repeats the call whose slot was taken by an amendment.
func (n *network) callAgain(s int, decisions []*Decision) {
	m := n.members[s]
	for _, d := range decisions {
		if d.Kind == Amend && m.err == nil && m.calls > m.answered() {
			c := m.call
			c.Entropy = [32]byte{2, byte(s), byte(m.calls), byte(m.starts), byte(d.Slot)}
			if n.called != nil {
				n.called(s, m.Slot(), c)
			}
			n.step(s, c)
		}
	}
}

// amended returns the parameters after the amendments in a log.
func (n *network) amended(p Params, log []*Decision) Params {
	for _, d := range log {
		if d.Kind != Amend {
			continue
		}
		a, err := d.Amendment()
		if err != nil {
			n.t.Fatal(err)
		}
		if p, err = p.Amend(a); err != nil {
			n.t.Fatal(err)
		}
	}
	p.Joins = p.Self >= len(n.names)
	return p
}

// join starts a member that an amendment will add.
func (n *network) join() int {
	n.t.Helper()
	s := len(n.members)
	p := n.params(s)
	p.Joins = true
	m, err := New(p)
	if err != nil {
		n.t.Fatal(err)
	}
	n.members = append(n.members, &testMember{Machine: m, disk: map[uint64]map[string][]byte{}})
	m.Step(n.now, Tick{}) // a process counts time from its start; in the test time continues
	return s
}

// request lets members request an amendment.
func (n *network) request(a *Amendment, members ...int) {
	for _, s := range members {
		n.members[s].wants = a
		n.step(s, RequestAmendment{Amendment: a})
	}
	n.settle()
}

func amendments(log []*Decision) (slots []uint64) {
	for _, d := range log {
		if d.Kind == Amend {
			slots = append(slots, d.Slot)
		}
	}
	return slots
}

func revision(number uint32, removed []uint32, added ...string) *Amendment {
	a := &Amendment{Revision: number, Removed: removed}
	for _, name := range added {
		a.Added = append(a.Added, Seat{Name: name, ID: []byte(name)})
	}
	return a
}

// rounds returns the calls of n rounds with one sum each.
func rounds(n int, xs [][]float64) (calls []func(s int) Call) {
	for r := range n {
		calls = append(calls, sumOf(uint32(r+1), xs, oneBlock))
	}
	return calls
}
