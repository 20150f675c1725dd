package consensus

import (
	"math"
	"strings"
	"testing"
)

// A member that leaves is named with its reason, on one line. If it leaves because of others,
// these are named, with the member that reports them. Unknown ranks are left out.
func TestWrongLeaves(t *testing.T) {
	const reason = "it saw ghosts"
	for _, c := range []struct {
		name  string
		leave Leave
		want  string // "" if the run does not end
	}{
		{"alone", Leave{Reason: reason}, "lost m0: it saw ghosts"},
		{"with a reason that would move the cursor", Leave{Reason: "it\x1b[2J\r\nsaw\x00 ghosts\u0085"}, "lost m0: it [2J  saw  ghosts "},
		{"with a reason that is no text", Leave{Reason: "it\xff\xfe"}, "lost m0: it?"},
		{"with an endless reason", Leave{Reason: strings.Repeat("é", 5000)}, "lost m0: " + strings.Repeat("é", 150) + "..."},
		{"because of this member", Leave{Reason: reason, Blame: []uint32{2, 1}}, "lost m0: it considers this member lost: check the network between the two"},
		{"because of another one", Leave{Reason: reason, Blame: []uint32{2}}, "lost m2: it saw ghosts (reported by m0)"},
		{"because of itself", Leave{Reason: reason, Blame: []uint32{0}}, "lost m0: it saw ghosts (reported by m0)"},
		{"because of nobody", Leave{Reason: reason, Blame: []uint32{3, 99, mostRanks - 1}}, "lost m0: it saw ghosts"},
		{"because of another one and nobody", Leave{Reason: reason, Blame: []uint32{mostRanks - 1, 2}}, "lost m2: it saw ghosts (reported by m0)"},
		{"for a while", Leave{Reason: reason, Blame: []uint32{2}, Returns: true}, ""},
	} {
		bothSchemes(t, func(t *testing.T, s Settings) {
			n := newNetwork(t, 3, s)
			n.call(1, sumOf(1, powers(3), oneBlock)(1))
			n.flight = nil
			n.receive(1, 0, Message{Slot: 77, Ballot: 5, Body: &c.leave})
			m := n.members[1]
			switch _, lost := as[*LostError](m.err); {
			case c.want == "" && m.err != nil, c.want != "" && (!lost || m.err.Error() != c.want):
				t.Errorf("%s: ended with %q, want %q", c.name, m.err, c.want)
			case len(m.log) > 0:
				t.Errorf("%s: has decided", c.name)
			}
		})
	}
}

// A member that reports its finish in the slot of this member's call is not waited for. One
// that reports it in another slot is.
func TestWrongFinish(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		for _, slot := range []uint64{0, 1, math.MaxUint64} {
			n := at(t, s, "session")
			n.receive(1, 2, Message{Slot: slot, Body: &Heartbeat{State: Finished}})
			want := ""
			if slot == 0 {
				want = "lost m2: it has finished its run, but this member has not" + sameSettings
			}
			got := ""
			if err := n.members[1].err; err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("slot %d: ended with %q, want %q", slot, got, want)
			}
		}
	})
}

// Slots that no run reaches are neither served nor asked for more often than others.
func TestBeatsOfNonsense(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		n := signed(t, newNetwork(t, 4, s))
		n.play(sumOf(1, powers(4), oneBlock))
		n.play(sumOf(1, powers(4), oneBlock))
		before := unpeered(n.members[1].Machine)
		asked := 0
		for _, slot := range []uint64{math.MaxUint64, math.MaxUint64 - 1, 1 << 63, 3} {
			for state := Idle; state <= Failed; state++ {
				b := &Heartbeat{
					State: state, Promised: math.MaxUint32, Viewed: math.MaxUint32, Round: math.MaxUint32, Ask: 2,
					Behind: state%2 == 0, Stuck: state%3 == 0, Waiting: []uint32{1, 1, 99, mostRanks - 1}, Suspects: []uint32{1, 99},
				}
				e := n.members[1].Step(n.now, received(t, 0, Message{Slot: slot, Ballot: uint32(state), Body: b}))
				if len(e.Serves)+len(e.Decisions)+len(e.Writes) > 0 || e.Err != nil {
					t.Fatalf("slot %d, %s: %+v", slot, state, e)
				}
				asked += len(e.Sends)
			}
		}
		if asked > 1 {
			t.Errorf("%d answers within no time", asked)
		}
		n.members[1].monitor.askedAt = 0
		if unpeered(n.members[1].Machine) != before {
			t.Error("has changed its state of the slot")
		}
	})
}
