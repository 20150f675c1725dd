package consensus

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

// refused asserts that a message changes nothing at member 1, gets no answer and decides
// nothing.
func refused(t *testing.T, n *network, name string, from int, msg Message) {
	t.Helper()
	m := n.members[1]
	slots := len(m.log)
	before := unpeered(m.Machine)
	if v, err := Validate(msg, mostRanks); err == nil { // otherwise it does not reach the machine
		n.step(1, Receive{From: from, Message: v})
	}
	if m.err != nil || unpeered(m.Machine) != before || len(n.flight) > 0 || len(m.log) != slots {
		t.Errorf("%s: ended with %v, or has changed something\n%s", name, m.err, n.describe())
	}
}

// newView returns a view of member 0's ballot 4 without member 3, as that member would form it.
func newView(n *network) *View {
	return &View{Ballot: 4, Members: []uint32{0, 1, 2}, Missing: []Missing{{3, "lost"}}, Promises: n.promises(4, 0, 1, 2)}
}

// finishView returns the same view if member 2 has voted in ballot 0.
func finishView(n *network) *View {
	value := Value{Digest: [32]byte{7}}
	v := &View{Ballot: 4, Finish: &value, Promises: n.promises(4, 0, 1, 2)}
	v.Promises[2] = n.voting(4, v.Promises[2], Vote{Value: value})
	return v
}

// A member does not work in a view that does not follow from its promises: such a view could
// leave out a decision, or be too small to hide anybody.
func TestWrongViews(t *testing.T) {
	for _, c := range []struct {
		name   string
		view   func(n *network) *View
		change func(n *network, v *View)
		want   string
	}{
		{"nothing", func(*network) *View { return &View{Ballot: 4} }, nil, "want the promises of 3 members, got 0"},
		{"too few promises", newView, func(_ *network, v *View) { v.Promises = v.Promises[:2] }, "want the promises of 3 members, got 2"},
		{"a promise twice", newView, func(_ *network, v *View) { v.Promises[1] = v.Promises[0] }, "the promise of member 0 is invalid or a second one"},
		{"another member's signature", newView, func(_ *network, v *View) { v.Promises[2].Signature = v.Promises[1].Signature }, "the promise of member 2 is invalid or a second one"},
		{"no signature", newView, func(_ *network, v *View) { v.Promises[2].Signature = nil }, "the promise of member 2 is invalid or a second one"},
		{"promises of an earlier ballot", newView, func(n *network, v *View) { v.Ballot = 8 }, "the promise of member 0 is invalid or a second one"},
		{"a promise of nobody", newView, func(_ *network, v *View) { v.Promises[2].Member = math.MaxUint32 }, "the promise of member 4294967295 is invalid or a second one"},
		{"a promise on another chain", newView, func(n *network, v *View) {
			v.Promises[2].Chain[5]++
			v.Promises[2].Signature = testKeys(2).Sign(n.members[2].slot.ballots.promiseBytes(4, v.Promises[2]))
		}, "the promise of member 2 is invalid or a second one"},
		{"a vote from the ballot itself", newView, func(n *network, v *View) { v.Promises[1] = n.voting(4, v.Promises[1], Vote{Ballot: 4}) }, "the promise of member 1 is invalid or a second one"},
		{"a vote for an attempt to come", newView, func(n *network, v *View) {
			v.Promises[1] = n.voting(4, v.Promises[1], Vote{Ballot: 2, Value: Value{Attempt: 3}})
		}, "the promise of member 1 is invalid or a second one"},

		{"a member without a promise", newView, func(_ *network, v *View) { v.Members[2], v.Missing[0].Member = 3, 2 }, "member 3 is out of order or has not promised"},
		{"members out of order", newView, func(_ *network, v *View) { v.Members[0], v.Members[1] = 1, 0 }, "member 0 is out of order or has not promised"},
		{"a member twice", newView, func(_ *network, v *View) { v.Members[1] = 0 }, "member 0 is out of order or has not promised"},
		{"fewer members than the least", newView, func(_ *network, v *View) {
			v.Members, v.Missing = v.Members[:2], []Missing{{2, "slow"}, {3, "lost"}}
		}, "want at least 3 of 4 members and all others missing, got 2 and 2 missing"},
		{"somebody is forgotten", newView, func(_ *network, v *View) { v.Missing = nil }, "want at least 3 of 4 members and all others missing, got 3 and 0 missing"},
		{"missing and a member", newView, func(_ *network, v *View) { v.Missing[0].Member = 2 }, "member 2 is missing out of order, or is in the view"},
		{"a member that one alone would leave out", newView, func(n *network, v *View) {
			v.Promises[0], v.Promises[2] = n.naming(4, v.Promises[0]), n.naming(4, v.Promises[2])
		}, "leaves out member 3, which fewer than 2 promises name"},
		{"a member that others would leave out", newView, func(n *network, v *View) {
			v.Members, v.Missing[0].Member = []uint32{0, 1, 3}, 2
			v.Promises[2] = n.promises(4, 0, 1, 3)[2]
		}, "leaves out member 2, which fewer than 2 promises name"},
		{"nobody is missing", newView, func(_ *network, v *View) { v.Missing[0].Member = 4 }, "member 4 is missing out of order, or is in the view"},

		{"a vote that is ignored", finishView, func(n *network, v *View) {
			fresh := newView(n)
			v.Finish, v.Members, v.Missing = nil, fresh.Members, fresh.Missing
		}, "want it to finish attempt 0, which has votes"},
		{"a vote that is ignored, of two", finishView, func(n *network, v *View) {
			higher := Value{Attempt: 1, Digest: [32]byte{8}}
			v.Promises[0] = n.voting(4, v.Promises[0], Vote{Ballot: 2, Value: higher})
		}, "want it to finish attempt 1, which has votes"},
		{"another result is finished", finishView, func(_ *network, v *View) { v.Finish.Digest[0]++ }, "want it to finish attempt 0, which has votes"},
		{"another attempt is finished", finishView, func(_ *network, v *View) { v.Finish.Attempt = 2 }, "want it to finish attempt 0, which has votes"},
		{"finished and begun anew", finishView, func(_ *network, v *View) { v.Members = []uint32{0, 1, 2} }, "want it to finish attempt 0, which has votes"},
		{"finished without a vote", newView, func(_ *network, v *View) { v.Finish, v.Members = &Value{}, nil }, "finishes attempt 0, which has no votes"},
		{"two results have votes", finishView, func(n *network, v *View) {
			v.Promises[0] = n.voting(4, v.Promises[0], Vote{Value: Value{Digest: [32]byte{9}}})
		}, "two values have votes in ballot 0"},
	} {
		bothSchemes(t, func(t *testing.T, s Settings) {
			n := at(t, s, "promised")
			v := c.view(n)
			if c.change != nil {
				if err := n.members[1].checksView(v); err != nil {
					t.Fatalf("%s: refused before the change: %v", c.name, err)
				}
				c.change(n, v)
			}
			want := fmt.Sprintf("view of ballot %d: %s", v.Ballot, c.want)
			if err := n.members[1].checksView(v); err == nil || err.Error() != want {
				t.Errorf("%s: %v, want %s", c.name, err, want)
			}
			refused(t, n, c.name, 0, Message{Ballot: v.Ballot, Body: v})
		})
	}
}

// A valid view is accepted from any member, but not for another ballot, for ballot 0, or after
// the decision.
func TestViewsAreForTheirBallot(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		for name, view := range map[string]func(*network) *View{"new": newView, "finish": finishView} {
			n := at(t, s, "promised")
			v := view(n)
			refused(t, n, name+" for another ballot", 0, Message{Ballot: 8, Body: v})
			n.receive(1, 2, Message{Ballot: 4, Body: v})
			if sl := n.members[1].slot; sl.ballots.views[4] != v && sl.ballots.finish != v {
				t.Errorf("%s: not taken", name)
			}
			n = at(t, s, "opening")
			refused(t, n, name+" after the decision", 0, Message{Ballot: 4, Body: view(n)})
		}
		n := at(t, s, "dealt")
		refused(t, n, "ballot 0", 0, Message{Body: &View{Members: []uint32{0, 1, 2, 3}, Promises: n.promises(0, 0, 1, 2)}})
	})
}

var wrongCertificates = map[string]func(c *Certificate){
	"no votes":            func(c *Certificate) { c.Votes = nil },
	"a vote too few":      func(c *Certificate) { c.Votes = c.Votes[1:] },
	"a voter twice":       func(c *Certificate) { c.Votes[2] = c.Votes[0] },
	"a voter once more":   func(c *Certificate) { c.Votes = append(c.Votes, c.Votes[0]) },
	"a vote of nobody":    func(c *Certificate) { c.Votes[1].Member = 4 },
	"a vote of nonsense":  func(c *Certificate) { c.Votes[1].Member = math.MaxUint32 },
	"another's signature": func(c *Certificate) { c.Votes[1].Signature = c.Votes[0].Signature },
	"no signature":        func(c *Certificate) { c.Votes[2].Signature = nil },
	"another ballot":      func(c *Certificate) { c.Ballot += 4 },
	"another attempt":     func(c *Certificate) { c.Value.Attempt++ },
	"another result":      func(c *Certificate) { c.Value.Digest[9]++ },
	"another chain":       func(c *Certificate) { c.Chain[31]++ },
}

func copyOfCertificate(c *Certificate) *Certificate {
	cc := *c
	cc.Votes = slices.Clone(c.Votes)
	return &cc
}

// A certificate without a quorum's votes decides nothing and reveals no pad.
func TestWrongCertificates(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		n := at(t, s, "voted")
		v := n.members[1].slot.ballots.vote.Value
		right := n.certificate(0, 0, v, [32]byte{}, 0, 2, 3)
		for name, change := range wrongCertificates {
			c := copyOfCertificate(right)
			change(c)
			refused(t, n, name, 2, Message{Body: &Commit{c}})
		}
		refused(t, n, "another slot", 2, Message{Body: &Commit{n.certificate(1, 0, v, [32]byte{}, 0, 2, 3)}})
		refused(t, n, "votes of another chain", 2, Message{Body: &Commit{n.certificate(0, 0, v, [32]byte{1}, 0, 2, 3)}})
		refused(t, n, "an attempt above its ballot", 2, Message{Body: &Commit{n.certificate(0, 0, Value{Attempt: 1}, [32]byte{}, 0, 2, 3)}})
		n.receive(1, 2, Message{Body: &Commit{right}})
		if n.members[1].State() != Opening {
			t.Errorf("a right certificate leads to %s", n.members[1].State())
		}
	})
}

// behind returns a signed network of four in which member 1 has missed two slots.
func behind(t *testing.T, s Settings, call func(s int) Call) *network {
	t.Helper()
	n := signed(t, newNetwork(t, 4, s))
	n.cut = func(from, to int) bool { return from == 1 || to == 1 }
	for slot := range 2 {
		for _, s := range []int{0, 2, 3} {
			n.call(s, call(s))
		}
		n.settle()
		n.pass(time.Minute, func() bool { return len(n.members[0].log) > slot && len(n.members[2].log) > slot })
	}
	if len(n.members[0].log) != 2 {
		t.Fatal(n.describe())
	}
	n.cut, n.flight = nil, nil
	return n
}

// A member takes a missed slot as it was decided, or not at all.
func TestWrongDecisions(t *testing.T) {
	for _, gathers := range []bool{false, true} {
		bothSchemes(t, func(t *testing.T, s Settings) {
			call := sumOf(1, powers(4), oneBlock)
			if gathers {
				call = gatherOf([][]byte{{0}, {1}, {2}, {3}})
			}
			n := behind(t, s, call)
			log := n.members[0].log
			give := func(name string, d *Decision, next *Certificate) {
				refused(t, n, name, 2, Message{Body: &Decided{Decision: d, Next: next}})
			}
			for name, change := range map[string]func(d *Decision){
				"another slot":         func(d *Decision) { d.Slot++ },
				"another round":        func(d *Decision) { d.Round++ },
				"another collective":   func(d *Decision) { d.Kind = Sum + Gather - d.Kind },
				"no collective":        func(d *Decision) { d.Kind = 9 },
				"another attempt":      func(d *Decision) { d.Attempt++ },
				"another digest":       func(d *Decision) { d.Digest[0]++ },
				"more members":         func(d *Decision) { d.Members = []uint32{0, 1, 2, 3} },
				"members of nonsense":  func(d *Decision) { d.Members = []uint32{0, 2, 99} },
				"members out of order": func(d *Decision) { d.Members = []uint32{2, 0, 3} },
				"another reason":       func(d *Decision) { d.Missing = []Missing{{1, "slow"}} },
				"another total": func(d *Decision) {
					d.Total = []float64{1}
					d.Digest = digestOfValues(d.Total)
				},
				"a total that is not the digest's": func(d *Decision) { d.Total, d.Blobs = []float64{9}, slices.Clone(d.Blobs[:min(1, len(d.Blobs))]) },
				"other blobs": func(d *Decision) {
					d.Kind, d.Blobs = Gather, [][]byte{{9}, nil, {9}, {9}}
					d.Digest = digestOfBlobs(d.Blobs)
				},
				"a blob of a missing member": func(d *Decision) {
					d.Kind, d.Blobs = Gather, [][]byte{{0}, {}, {2}, {3}}
					d.Digest = digestOfBlobs(d.Blobs)
				},
				"no certificate": func(d *Decision) { d.Certificate = nil },
			} {
				d := *log[0]
				change(&d)
				give(name, &d, log[1].Certificate)
			}
			for name, change := range wrongCertificates {
				c := copyOfCertificate(log[1].Certificate)
				change(c)
				give(name+" after it", log[0], c)
				d := *log[0]
				d.Certificate = copyOfCertificate(d.Certificate)
				change(d.Certificate)
				give(name, &d, log[1].Certificate)
			}
			give("no certificate after it", log[0], nil)
			give("its own certificate after it", log[0], log[0].Certificate)
			give("the slot after it", log[1], log[1].Certificate)
			n.receive(1, 2, Message{Body: &Decided{Decision: log[0], Next: log[1].Certificate}})
			if got := n.members[1].log; len(got) != 1 || got[0].Chain != log[0].Chain || got[0].Certificate != log[0].Certificate {
				t.Fatalf("the right decision is not learnt: %+v", got)
			}
			n.flight = nil
			give("once more", log[0], log[1].Certificate)
		})
	}
}
