package consensus

import (
	"testing"
	"time"
)

// A volatile member that restarts takes no further part in the slot in which it was stopped,
// whatever it had done there, and comes back later.
func TestAVolatileMemberComesBack(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		for after := range 60 {
			n := newNetwork(t, 5, s)
			n.volatile = true
			for s := range n.members {
				n.members[s].Machine = must(New(n.params(s)))
			}
			xs := powers(5)
			calls := []func(int) Call{sumOf(1, xs, oneBlock), sumOf(2, xs, oneBlock), sumOf(3, xs, oneBlock)}
			n.callAll(calls[0])
			n.deliver(after)
			begun := n.members[3].slot.number
			n.isolate(3)
			n.restart(3)
			if s := n.members[3].slot; s.number != begun || !s.abstains {
				t.Fatalf("after %d messages: slot %d, abstains %v, want slot %d abstains", after, s.number, s.abstains, begun)
			}
			n.watch = func(s int, ev Event, e Effects) {
				for _, send := range e.Sends {
					switch send.Message.Body.(type) {
					case *Promise, *Done, *Seeds, *Prepare, *Step:
						if s == 3 && send.Message.Slot == begun {
							t.Fatalf("after %d messages: it sends %s", after, describeBody(send.Message))
						}
					}
				}
			}
			if !n.learn(calls[:1], 5*time.Minute) {
				t.Fatal(n.describe())
			}
			n.pass(10*time.Second, nil)
			if !n.learn(calls, 10*time.Minute) {
				t.Fatal(n.describe())
			}
			n.checkLogs(xs, oneBlock)
			if d := n.members[0].log[2]; len(d.Members) != 5 {
				t.Errorf("after %d messages: it is not back: %s", after, n.missingOf(d))
			}
			if w := n.members[0].written / 2; w > 4 { // each write counts twice, before and after
				t.Errorf("%d writes for three slots", w)
			}
		}
	})
}
