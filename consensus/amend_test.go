package consensus

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/testkit"
)

// Once a quorum requests it, one member comes and one leaves. The others continue, and each sum
// is over the roster of its time.
func TestTheRosterIsAmended(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		n := signed(t, newNetwork(t, 5, s))
		xs := powers(6)
		n.learn(rounds(2, xs), 0)
		a := revision(1, []uint32{1}, "m5")
		n.join()
		n.request(a, 2, 4)
		n.learn(rounds(3, xs), 0)
		if got := amendments(n.members[0].log); got != nil {
			t.Fatalf("two of five have amended the roster in slot %d", got)
		}
		n.request(a, 0)
		if !n.learn(rounds(6, xs), 0) && !n.learn(rounds(6, xs), 30*time.Second) {
			t.Fatalf("does not continue\n%s", n.describe())
		}
		if _, removed := as[*RemovedError](n.members[1].err); !removed {
			t.Errorf("the removed member has ended with %v", n.members[1].err)
		}
		n.members[1].err = nil
		n.checkLogs(xs, oneBlock)
		for s, m := range n.members {
			if got := amendments(m.log); !slices.Equal(got, []uint64{3}) {
				t.Errorf("member %d: amended in slots %d", s, got)
			}
		}
		log := n.members[5].log
		if last := log[len(log)-1]; !slices.Equal(last.Members, []uint32{0, 2, 3, 4, 5}) {
			t.Errorf("the last sum is over %d\n%s", last.Members, n.missingOf(last))
		}
	})
}

// amendment returns a run of four rounds in which all members request from the start that
// member 1 is removed and another one added.
func amendment(t *testing.T, s Settings, size int) (n *network, calls []func(s int) Call) {
	t.Helper()
	n = newNetwork(t, size, s)
	n.join()
	n.request(revision(1, []uint32{1}, "new"), n.all()...)
	return n, rounds(4, powers(size+1))
}

// all returns all members except the last, which joins later.
func (n *network) all() (members []int) {
	for s := range len(n.members) - 1 {
		members = append(members, s)
	}
	return members
}

// checkAmended asserts that all totals are right, that the roster was amended once, and that
// the members that finish have it without member 1 and with the new one.
func (n *network) checkAmended(xs [][]float64) {
	n.t.Helper()
	if _, removed := as[*RemovedError](n.members[1].err); removed {
		n.members[1].err = nil
	}
	n.checkLogs(xs, oneBlock)
	for s, m := range n.members {
		if m.dead || s == 1 {
			continue
		}
		if got := amendments(m.log); len(got) != 1 {
			n.t.Fatalf("member %d: amended in slots %d", s, got)
		}
		if last := m.log[len(m.log)-1]; slices.Contains(last.Members, 1) {
			n.t.Fatalf("the last sum is over %d", last.Members)
		}
	}
}

// The roster is amended once and all totals are right, even if messages are lost, doubled or
// reordered.
func TestTheRosterIsAmendedInAnyOrder(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		for seed := range uint64(20) {
			n, calls := amendment(t, s, 4)
			n.rng, n.loss = rand.New(rand.NewPCG(seed, 3)), 0.15
			if !n.learn(calls, 10*time.Minute) {
				t.Fatalf("seed %d: does not continue\n%s", seed, n.describe())
			}
			n.checkAmended(powers(5))
		}
	})
}

// A member that stops at any write during an amendment continues from there after a restart.
func TestRestartAtEveryWriteOfAnAmendment(t *testing.T) {
	testkit.LongOnly(t)
	for _, victim := range []int{0, 2, 4} { // the proposer, another member, the new member
		for at, stopped := 1, true; stopped; at++ {
			n, calls := amendment(t, exact, 4)
			v := n.members[victim]
			v.stopAt = at
			n.learn(calls, 30*time.Second)
			if stopped = v.dead; stopped {
				n.restart(victim)
			}
			if !n.learn(calls, 10*time.Minute) {
				t.Fatalf("m%d stops at write %d: does not continue\n%s", victim, at, n.describe())
			}
			n.checkAmended(powers(5))
		}
	}
}

// A member that was away during an amendment learns of it when it comes back. It continues, or
// ends if it was removed.
func TestAnAbsentMemberLearnsOfAnAmendment(t *testing.T) {
	n, calls := amendment(t, exact, 6)
	n.kill(1)
	n.kill(5)
	if !n.learn(calls[:3], 10*time.Minute) {
		t.Fatalf("does not continue\n%s", n.describe())
	}
	n.restart(1)
	n.restart(5)
	for r := 4; r < 10; r++ {
		if !n.learn(rounds(r, powers(7)), 10*time.Minute) {
			t.Fatalf("does not continue\n%s", n.describe())
		}
		n.pass(2*time.Second, nil)
	}
	if _, removed := as[*RemovedError](n.members[1].err); !removed {
		t.Errorf("the removed member has ended with %v", n.members[1].err)
	}
	n.checkAmended(powers(7))
	log := n.members[5].log
	if last := log[len(log)-1]; !slices.Equal(last.Members, []uint32{0, 2, 3, 4, 5, 6}) {
		t.Errorf("the last sum is over %d\n%s", last.Members, n.missingOf(last))
	}
}

// Invalid amendments are errors.
func TestAmendmentsAreChecked(t *testing.T) {
	n := newNetwork(t, 4, exact)
	for want, a := range map[string]*Amendment{
		"revision: want 1, got 2":       revision(2, nil, "x"),
		"in ascending order, got [4]":   revision(1, []uint32{4}),
		"in ascending order, got [2 1]": revision(1, []uint32{2, 1}),
		"m3 is in the roster":           revision(1, []uint32{0}, "m3"),
		"members: want at least 3":      revision(1, []uint32{0, 1}),
		"quorum: want more than half of 5 members, got 2": {
			Revision: 1, Quorum: 2, Added: []Seat{{Name: "x"}},
		},
	} {
		if _, err := n.params(0).Amend(a); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if n.step(0, RequestAmendment{Amendment: a}); n.members[0].amendment != nil {
			t.Errorf("wants %+v", a)
		}
	}
	if _, err := newNetwork(t, 7, exact).params(0).Amend(revision(1, []uint32{0, 1, 2, 3})); err == nil || !strings.Contains(err.Error(), "want at most 3 of 7") {
		t.Error(err)
	}
}

// A view that amends the roster is valid only between rounds and with the requests of a quorum.
func TestViewsThatAmendAreChecked(t *testing.T) {
	a := revision(1, nil, "new")
	view := func(change func(v *View)) *View {
		n := signed(t, newNetwork(t, 4, exact))
		for s := range 3 {
			n.step(s, RequestAmendment{Amendment: a})
		}
		v := &View{Ballot: 4, Amends: a.digest(), Promises: n.promises(4, 0, 1, 2)}
		change(v)
		return v
	}
	for name, v := range map[string]*View{
		"right":                view(func(*View) {}),
		"of a minority":        view(func(v *View) { v.Promises = v.Promises[:2] }),
		"not what they want":   view(func(v *View) { v.Amends[0]++ }),
		"not what one wants":   view(func(v *View) { v.Promises[1].Amends[0]++ }),
		"one does not want":    view(func(v *View) { v.Promises[1].Amends = [32]byte{} }),
		"with members":         view(func(v *View) { v.Members = []uint32{0, 1, 2} }),
		"with missing members": view(func(v *View) { v.Missing = []Missing{{3, "lost"}} }),
		"finishes as well":     view(func(v *View) { v.Finish = &Value{} }),
	} {
		n := signed(t, newNetwork(t, 4, exact))
		n.call(3, Call{Kind: Sum, Round: 1, Values: []float64{1}, Blocks: oneBlock})
		if err := n.members[3].checksView(v); (err == nil) != (name == "right") {
			t.Errorf("%s: %v", name, err)
		}
	}
	n := signed(t, newNetwork(t, 4, exact))
	n.call(3, Call{Kind: Sum, Values: []float64{1}, Blocks: oneBlock}) // a sum of the start-up
	if n.members[3].checksView(view(func(*View) {})) == nil {
		t.Error("amends the roster within a round")
	}
}

// A member accepts an amendment from another only with a matching certificate.
func TestDecidedAmendmentsAreChecked(t *testing.T) {
	n, calls := amendment(t, exact, 4)
	n.kill(3)
	n.learn(calls[:2], 10*time.Minute)
	d := n.members[0].log[amendments(n.members[0].log)[0]]
	before := n.members[0].log[:d.Slot]
	for name, change := range map[string]func(d *Decision){
		"right":   func(*Decision) {},
		"another": func(d *Decision) { d.Blobs = [][]byte{revision(1, nil, "evil").Encode()} },
		"another, hashed": func(d *Decision) {
			d.Blobs = [][]byte{revision(1, nil, "evil").Encode()}
			d.Digest = digestOfBlobs(d.Blobs)
		},
		"nothing":          func(d *Decision) { d.Blobs = nil },
		"no amendment":     func(d *Decision) { d.Blobs = [][]byte{{1}} },
		"with members":     func(d *Decision) { d.Members = []uint32{0} },
		"of another round": func(d *Decision) { d.Round++ },
		"of a minority": func(d *Decision) {
			c := *d.Certificate
			c.Votes = c.Votes[:2]
			d.Certificate = &c
		},
	} {
		m, err := Resume(n.params(3), Saved{Last: last(before)}, [32]byte{1})
		if err != nil {
			t.Fatal(err)
		}
		decided := *d
		change(&decided)
		e := m.Step(0, received(t, 0, Message{Slot: d.Slot, Body: &Decided{Decision: &decided}}))
		if (len(e.Decisions) == 1) != (name == "right") || e.Err != nil {
			t.Errorf("%s: %d decisions, %v", name, len(e.Decisions), e.Err)
		}
	}
}

func last(log []*Decision) *Decision {
	if len(log) == 0 {
		return nil
	}
	return log[len(log)-1]
}

// A roster can be amended again, together with its quorum and colluders.
func TestTheRosterIsAmendedAgain(t *testing.T) {
	n, _ := amendment(t, exact, 5)
	n.learn(rounds(3, powers(7)), time.Minute)
	second := revision(2, []uint32{0}, "m1")
	second.Quorum, second.Colluders = 4, 2
	s := n.join()
	n.request(second, 2, 3, 4, 5)
	if !n.learn(rounds(7, powers(7)), 10*time.Minute) {
		t.Fatalf("does not continue\n%s", n.describe())
	}
	for _, gone := range []int{0, 1} {
		if _, removed := as[*RemovedError](n.members[gone].err); !removed {
			t.Errorf("member %d has ended with %v", gone, n.members[gone].err)
		}
		n.members[gone].err = nil
	}
	n.checkLogs(powers(7), oneBlock)
	m := n.members[s]
	if got := last(m.log).Members; !slices.Equal(got, []uint32{2, 3, 4, 5, 6}) {
		t.Errorf("the last sum is over %d", got)
	}
	if r := m.Rules(); r.Size != 5 || r.Quorum != 4 || r.Colluders != 2 || !slices.Equal(r.ranks, []int{2, 3, 4, 5, 6}) {
		t.Errorf("rules %+v", r)
	}
}

// In a large roster the committee decides an amendment, and a new committee is drawn
// afterwards. An amendment without changes only draws a new committee.
func TestALargeRosterIsAmended(t *testing.T) {
	testkit.LongOnly(t)
	n := newNetwork(t, 70, exact)
	xs := make([][]float64, 71)
	for s := range xs {
		xs[s] = []float64{float64(s)}
	}
	n.join()
	before := n.members[0].Rules().Committee
	n.learn(rounds(1, xs), time.Minute)
	n.request(revision(1, []uint32{1}, "new"), n.all()...)
	n.pass(2*time.Second, nil)
	n.learn(rounds(4, xs), 10*time.Minute)
	for s := range n.members {
		n.request(revision(2, nil), s)
	}
	for r := 5; r < 9; r++ { // members that the new committee has not heard of come back
		n.pass(2*time.Second, nil)
		if !n.learn(rounds(r, xs), 10*time.Minute) {
			t.Fatalf("does not continue\n%s", n.describe()[:3000])
		}
	}
	if _, removed := as[*RemovedError](n.members[1].err); !removed {
		t.Errorf("the removed member has ended with %v", n.members[1].err)
	}
	n.members[1].err = nil
	n.checkLogs(xs, oneBlock)
	m := n.members[70]
	if got := amendments(m.log); len(got) != 2 {
		t.Errorf("amended in slots %d", got)
	}
	if got := last(m.log).Members; len(got) != 70 || slices.Contains(got, 1) || !slices.Contains(got, 70) {
		t.Errorf("the last sum is over %d\n%s", got, n.missingOf(last(m.log)))
	}
	if after := m.Rules().Committee; slices.Equal(before, after) || len(after) != len(before) || !slices.Equal(after, n.members[5].Rules().Committee) {
		t.Errorf("committee %d, before %d", after, before)
	}
}

// In runs with amendments, stops and restarts, no coalition ever knows more of a slot than its
// total, and all members decide the same.
func TestKnowledgeOfAmendedRuns(t *testing.T) {
	testkit.LongOnly(t)
	amended, abandoned := 0, 0
	for seed := range amendedSeeds(t) {
		for _, c := range recordedSettings[:4] {
			r := newRecording(t, c.settings, c.size)
			r.members[r.join()].dead = true
			r.Size++
			a := revision(1, []uint32{uint32(seed) % uint32(c.size)}, "new")
			a.Colluders = c.settings.Colluders
			want := c.size/2 + 1 + int(seed)%2
			for s := range want {
				r.request(a, (s+int(seed))%c.size)
			}
			r.play(seed, rounds(6, powers(r.Size)), func(r *Recording) { r.checkKnowledge(seed, map[uint64]int{}) })
			amended += min(1, len(amendments(r.members[0].log)))
			for key := range r.attempts {
				if r.commits[key.slot].Attempt != key.ballot && r.attempts[key].begun != 0 {
					abandoned++
				}
			}
		}
	}
	t.Logf("%d rosters amended, %d sessions given up", amended, abandoned)
	if amended < 4 || abandoned == 0 {
		t.Error("want more of each")
	}
}

func amendedSeeds(t *testing.T) (seeds uint64) {
	t.Helper()
	seeds = recordedSeeds
	if s := os.Getenv("COLLABDICT_AMEND_SEEDS"); s != "" {
		if _, err := fmt.Sscan(s, &seeds); err != nil {
			t.Fatalf("COLLABDICT_AMEND_SEEDS: want a number of seeds, got %q", s)
		}
	}
	return seeds
}
