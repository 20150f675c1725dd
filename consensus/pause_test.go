package consensus

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func pauses(number uint32) *Amendment  { return &Amendment{Revision: number, Pause: true} }
func resumes(number uint32) *Amendment { return &Amendment{Revision: number, Resume: true} }

// pausedRun returns a run of the given size that is paused after two rounds.
func pausedRun(t *testing.T, size int, s Settings) (n *network, xs [][]float64) {
	t.Helper()
	n, xs = signed(t, newNetwork(t, size, s)), powers(size+1)
	n.learn(rounds(2, xs), time.Minute)
	n.request(pauses(1), quorumOf(n)...)
	if n.learn(rounds(3, xs), time.Minute) {
		t.Fatalf("continues\n%s", n.describe())
	}
	n.checkPaused(3)
	return n, xs
}

// quorumOf returns a quorum: the members with the highest ranks.
func quorumOf(n *network) (members []int) {
	for s := len(n.members) - n.members[0].Rules().Quorum; s < len(n.members); s++ {
		members = append(members, s)
	}
	return members
}

// checkPaused asserts that all live members have decided the given number of slots, and that
// none of them waits for another or considers it missing.
func (n *network) checkPaused(slots int) {
	n.t.Helper()
	for s, m := range n.members {
		if m.dead {
			continue
		}
		st := m.Status()
		if m.err != nil || len(m.log) != slots || !st.Paused || st.PausedBy == 0 {
			n.t.Fatalf("member %d is not paused after %d slots\n%s", s, slots, n.describe())
		}
		if st.Stuck != "" || st.Waiting != nil || len(m.waiting()) > 0 || m.slot.call != nil && m.monitor.tooSlow(n.now, (s+1)%len(n.members), m.standing()) {
			n.t.Fatalf("member %d judges others while the run is paused\n%s", s, n.describe())
		}
	}
}

// checkBetween asserts that only amendments are decided between a pause and the amendment that
// ends it. It returns the number of pauses.
func (n *network) checkBetween() (count int) {
	n.t.Helper()
	for s, m := range n.members {
		paused := false
		count = 0
		for _, d := range m.log {
			if paused && d.Kind != Amend {
				n.t.Fatalf("member %d has decided a %s in slot %d while the run is paused", s, d.Kind, d.Slot)
			}
			if d.Kind == Amend {
				a := must(d.Amendment())
				paused = (paused || a.Pause) && !a.Resume
				if a.Pause {
					count++
				}
			}
		}
	}
	return count
}

// All members stop after the same round, and nobody waits for anybody, however long the pause
// lasts. All may restart, and a quorum resumes the run where it was.
func TestTheRunIsPaused(t *testing.T) {
	bothSchemes(t, func(t *testing.T, s Settings) {
		n, xs := pausedRun(t, 5, s)
		n.pass(time.Hour, nil)
		n.checkPaused(3)
		n.request(resumes(2), 0, 3)
		n.pass(time.Minute, nil)
		n.checkPaused(3) // two of five cannot resume it
		n.kill(4)
		n.pass(time.Minute, nil)
		n.checkPaused(3) // no member is considered missing
		for s := range n.members {
			n.kill(s)
		}
		n.flight = nil
		n.now += 48 * time.Hour
		for s := range n.members {
			n.restart(s)
		}
		n.pass(time.Minute, nil)
		n.checkPaused(3)
		n.request(resumes(2), 1)
		if !n.learn(rounds(5, xs), time.Minute) {
			t.Fatalf("does not continue\n%s", n.describe())
		}
		n.checkLogs(xs, oneBlock)
		if got := n.checkBetween(); got != 1 {
			t.Errorf("%d pauses", got)
		}
		for _, d := range n.members[0].log {
			if d.Kind == Sum && len(d.Members) != 5 {
				t.Errorf("slot %d is over %d", d.Slot, d.Members)
			}
		}
		if st := n.status(0); st.Paused || st.PausedBy != 0 {
			t.Errorf("paused: %+v", st)
		}
	})
}

// A quorum can resume the run although learners have not come to the slot and some members
// request nothing.
func TestThePauseEndsBeforeLearnersCome(t *testing.T) {
	n, xs := pausedRun(t, 4, exact)
	for s := range n.members {
		n.restart(s)
	}
	n.flight = nil
	n.kill(0)
	n.request(resumes(2), 1, 2, 3)
	n.pass(time.Minute, nil)
	for s, m := range n.members[1:] {
		if got := amendments(m.log); !slices.Equal(got, []uint64{2, 3}) {
			t.Fatalf("member %d: amended in slots %d\n%s", s+1, got, n.describe())
		}
	}
	if d := last(n.members[1].log); n.members[1].roster.owner(d.Certificate.Ballot) != 1 {
		t.Errorf("decided in ballot %d, which is not of the lowest rank that is there", d.Certificate.Ballot)
	}
	n.restart(0)
	n.pass(time.Minute, nil)
	if !n.learn(rounds(5, xs), time.Minute) {
		t.Fatalf("does not continue\n%s", n.describe())
	}
	n.checkLogs(xs, oneBlock)
}

// votesLost lets members of a paused run request to resume it, while no vote arrives. It
// returns when the condition holds for all the given members.
func (n *network) votesLost(holds func(*testMember) bool, members ...int) {
	n.t.Helper()
	n.carries = func(_, _ int, b Body) bool { _, votes := b.(*Done); return !votes }
	n.request(resumes(2), 0, 2, 4)
	all := func() bool { return !slices.ContainsFunc(members, func(s int) bool { return !holds(n.members[s]) }) }
	n.pass(5*time.Second, all)
	if !all() {
		n.t.Fatalf("the condition does not hold at all members\n%s", n.describe())
	}
	n.flight, n.carries = nil, nil
}

// An amendment whose votes are lost while the run is paused is abandoned. Members that have its
// view but no longer request it wait no longer than in an ordinary slot, and then rest.
func TestAnAmendmentIsGivenUpWhilePaused(t *testing.T) {
	n, xs := pausedRun(t, 5, exact)
	n.votesLost(func(m *testMember) bool { return m.slot.ballots.working() != nil }, 1, 3)
	for s, m := range n.members { // nobody has voted, and nobody requests it any more
		m.slot.ballots.vote, m.slot.ballots.done = nil, map[uint32]map[int]Done{}
		m.slot.results, m.slot.amendment = newResults(naming{m.p.Run, m.slot.number}), nil
		m.amendment, n.members[s].wants = nil, nil
	}
	n.pass(10*time.Minute, nil)
	n.checkPaused(3)
	ballot := n.members[0].slot.ballots.promised
	n.pass(time.Hour, nil)
	if again := n.members[0].slot.ballots.promised; again != ballot {
		t.Errorf("ballot %d after ballot %d, of an amendment that nobody wants", again, ballot)
	}
	n.request(&Amendment{Revision: 2, Quorum: 4}, 1, 2, 3)
	n.pass(time.Minute, nil)
	n.checkPaused(4)
	n.request(&Amendment{Revision: 3, Quorum: 4, Resume: true}, 0, 1, 2, 3)
	if !n.learn(rounds(5, xs), time.Minute) {
		t.Fatalf("does not continue\n%s", n.describe())
	}
	n.checkLogs(xs, oneBlock)
}

// An amendment with a quorum of votes is finished while the run is paused, even if all have
// restarted and nobody requests it any more.
func TestAnAmendmentIsFinishedWhilePaused(t *testing.T) {
	n, xs := pausedRun(t, 5, exact)
	n.votesLost(func(m *testMember) bool { return m.slot.ballots.vote != nil }, 0, 1, 2, 3, 4)
	for s, m := range n.members {
		m.wants = nil
		n.restart(s)
	}
	if !n.learn(rounds(5, xs), 10*time.Minute) {
		t.Fatalf("does not continue\n%s", n.describe())
	}
	n.checkLogs(xs, oneBlock)
}

// Members can be added and removed while the run is paused; it stays paused.
func TestTheRosterChangesWhilePaused(t *testing.T) {
	n, xs := pausedRun(t, 4, exact)
	s := n.join()
	n.request(revision(2, []uint32{1}, "m4"), 0, 2, 3)
	n.pass(time.Minute, nil)
	if _, removed := as[*RemovedError](n.members[1].err); !removed {
		t.Errorf("the removed member has ended with %v", n.members[1].err)
	}
	n.kill(1)
	n.learn(rounds(3, xs), time.Minute)
	n.checkPaused(4)
	n.request(resumes(3), 0, 3, s)
	if !n.learn(rounds(5, xs), time.Minute) {
		t.Fatalf("does not continue\n%s", n.describe())
	}
	n.members[1].err = nil
	n.checkLogs(xs, oneBlock)
	n.checkBetween()
	if got := last(n.members[s].log).Members; !slices.Equal(got, []uint32{0, 2, 3, 4}) {
		t.Errorf("the last sum is over %d", got)
	}
}

// The run is paused and resumed even if messages are lost, doubled or reordered and members
// stop at any time. Only amendments are decided in between, and the sums are those of a run
// without a pause.
func TestTheRunIsPausedInAnyOrder(t *testing.T) {
	const size, total = 4, 5
	xs := powers(size)
	for seed := range amendedSeeds(t) {
		for _, loss := range []float64{0, 0.15, 0.3} {
			s := []Settings{exact, floating}[seed%2]
			n := signed(t, newNetwork(t, size, s))
			n.rng, n.loss = rand.New(rand.NewPCG(seed, 17)), loss
			if n.volatile = seed%5 == 4; n.volatile {
				for s := range n.members {
					n.restart(s)
				}
			}
			fail := func(what string) { t.Fatalf("seed %d, loss %g: %s\n%s", seed, loss, what, n.describe()) }
			n.learn(rounds(1+n.rng.IntN(3), xs), time.Minute)
			for _, s := range n.rng.Perm(size)[:3+n.rng.IntN(2)] { // each at some other time
				n.request(pauses(1), s)
				n.learn(rounds(total, xs), time.Duration(n.rng.IntN(4))*500*time.Millisecond)
			}
			if n.learn(rounds(total, xs), 5*time.Minute) && len(amendments(n.members[0].log)) == 0 {
				continue // it ended before all requested it
			}
			slots := len(n.members[0].log)
			n.checkPaused(slots)
			for range 3 { // any number of members stop at once, possibly all
				down := n.rng.Perm(size)[:1+n.rng.IntN(size)]
				for _, s := range down {
					n.isolate(s)
				}
				n.learn(rounds(total, xs), time.Duration(n.rng.IntN(120))*time.Second)
				n.checkPaused(slots)
				for _, s := range down {
					n.restart(s)
				}
				n.learn(rounds(total, xs), time.Duration(n.rng.IntN(30))*time.Second)
				n.checkPaused(slots)
			}
			victim := n.members[n.rng.IntN(size)]
			victim.stopAt = victim.written + 1 + n.rng.IntN(8) // at a write of the resumption, or after it
			for _, s := range n.rng.Perm(size)[:3] {
				n.request(resumes(2), s)
				n.learn(rounds(total, xs), time.Duration(n.rng.IntN(4))*500*time.Millisecond)
			}
			n.learn(rounds(total, xs), time.Minute)
			for s, m := range n.members {
				if m.dead {
					n.restart(s)
				}
			}
			if !n.learn(rounds(total, xs), 10*time.Minute) {
				fail("does not go on")
			}
			n.checkLogs(xs, oneBlock)
			if n.checkBetween() != 1 {
				fail("not paused once")
			}
			if sums := len(n.members[0].log) - len(amendments(n.members[0].log)); sums != total {
				fail(fmt.Sprintf("%d sums", sums))
			}
		}
	}
}

// While the run is paused, a member that ignores the pause cannot make others accept an
// ordinary view, a sum to finish or the decision of a sum.
func TestOneMemberDoesNotKeepToThePause(t *testing.T) {
	const active = 1
	n, xs := pausedRun(t, 4, exact)
	m := n.members[active]
	m.roster.paused = false
	var e Effects
	m.propose(&e)
	n.carryOut(active, e)
	n.settle()
	n.pass(time.Second, nil)
	v := m.slot.ballots.made[m.slot.ballots.promised]
	if v == nil || len(v.Members) != 4 {
		t.Fatalf("it has made no view of all\n%s", n.describe())
	}
	for s, other := range n.members {
		if s == active {
			continue
		}
		want := fmt.Sprintf("view of ballot %d: want an amendment while the run is paused, got none", v.Ballot)
		if err := other.checksView(v); err == nil || err.Error() != want {
			t.Errorf("member %d: %v, want %s", s, err, want)
		}
		if other.slot.ballots.viewed() != 0 {
			t.Errorf("member %d has taken the view", s)
		}
	}
	// It claims that it has voted for a sum in an earlier ballot and has its result.
	sealed := &Sealed{Attempt: 1, Header: Header{Kind: Sum, Round: 3}}
	other := n.members[2]
	lie := Value{Attempt: 1, Digest: sealed.digest(m.p.Run, 3)}
	ballot := m.roster.next(active, other.slot.ballots.promised)
	ps := n.promises(ballot, 0, active, 3)
	for i := range ps {
		ps[i].Chain = other.slot.chain
		ps[i].Signature = testKeys(int(ps[i].Member)).Sign(other.slot.ballots.promiseBytes(ballot, ps[i]))
	}
	ps[1] = func() Promise {
		p := ps[1]
		p.Vote = &Vote{Ballot: 1, Value: lie}
		p.Signature = testKeys(active).Sign(other.slot.ballots.promiseBytes(ballot, p))
		return p
	}()
	n.receive(2, active, Message{Slot: 3, Ballot: ballot, Body: &View{Ballot: ballot, Finish: &lie, Promises: ps}})
	if f := other.slot.ballots.finishing(); f == nil || f.Ballot != ballot {
		t.Fatal("the view that finishes an attempt with a vote is not taken")
	}
	n.receive(2, active, Message{Slot: 3, Ballot: 1, Body: &Seal{Sealed: sealed}})
	if other.slot.ballots.vote != nil {
		t.Error("votes for a sum while the run is paused")
	}
	// A decision is refused even with the votes of a quorum.
	d := *n.members[0].log[1]
	d.Slot, d.Chain = 3, [32]byte{}
	d.Certificate = n.certificate(3, 1, Value{Attempt: 1}, other.slot.chain, 0, 1, 3)
	if err := other.checkDecision(&d); err == nil || !strings.Contains(err.Error(), "a sum while revision 1 of the roster has paused the run") {
		t.Errorf("a decided sum: %v", err)
	}
	log := must(NewLog(func() Params { p := n.params(2); p.Paused, p.Revision = 0, 0; return p }()))
	for _, d := range other.log {
		if err := log.Check(d); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Check(&d); err == nil || !strings.Contains(err.Error(), "has paused the run") {
		t.Errorf("a log with a sum: %v", err)
	}
	_ = xs
}

// The committee pauses a large roster and the others follow. All of them stop and come back.
func TestALargeRosterIsPaused(t *testing.T) {
	n := newNetwork(t, 70, exact)
	xs := make([][]float64, 70)
	for s := range xs {
		xs[s] = []float64{float64(s)}
	}
	n.learn(rounds(1, xs), time.Minute)
	for s := range n.members {
		n.request(pauses(1), s)
	}
	if n.learn(rounds(2, xs), time.Minute) {
		t.Fatal("continues")
	}
	n.checkPaused(2)
	for s := range n.members {
		n.restart(s)
	}
	n.flight = nil
	n.learn(rounds(2, xs), 30*time.Second)
	n.checkPaused(2)
	for s := range n.members {
		n.request(resumes(2), s)
	}
	if !n.learn(rounds(3, xs), 10*time.Minute) {
		t.Fatalf("does not continue\n%s", n.describe()[:3000])
	}
	n.checkLogs(xs, oneBlock)
	n.checkBetween()
}

// Members that leave for good while the run is paused do not end the run of the others: they
// may still be replaced.
func TestNobodyIsBlamedWhilePaused(t *testing.T) {
	n, _ := pausedRun(t, 3, exact)
	for _, s := range []int{1, 2} {
		n.step(s, Abort{Reason: "it has lost its disk"})
		n.kill(s)
	}
	n.settle()
	n.pass(time.Hour, nil)
	n.checkPaused(3)
	if b := n.members[0].slot.ballots.promised; b != 0 {
		t.Errorf("it has promised ballot %d", b)
	}
}

// Invalid pauses and resumptions are errors, and the encoding of other amendments has no pause
// fields.
func TestPausesAreChecked(t *testing.T) {
	n := newNetwork(t, 4, exact)
	running := n.params(0)
	paused := must(running.Amend(pauses(1)))
	for _, c := range []struct {
		p    Params
		a    *Amendment
		want string
	}{
		{running, resumes(1), "resume: the run is not paused"},
		{paused, pauses(2), "pause: revision 1 has already paused the run"},
		{must(paused.Amend(revision(2, nil, "new"))), pauses(3), "pause: revision 1 has already paused the run"},
		{running, &Amendment{Revision: 1, Pause: true, Resume: true}, "want no other change"},
		{running, &Amendment{Revision: 1, Pause: true, Removed: []uint32{1}}, "want no other change"},
		{running, &Amendment{Revision: 1, Pause: true, Quorum: 3}, "want no other change"},
		{paused, &Amendment{Revision: 2, Resume: true, Added: []Seat{{Name: "new"}}}, "want no other change"},
		{paused, &Amendment{Revision: 2, Resume: true, Colluders: 2}, "want no other change"},
	} {
		if _, err := c.p.Amend(c.a); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.a.Encode(), err, c.want)
		}
	}
	if p := must(paused.Amend(resumes(2))); p.Paused != 0 || p.Revision != 2 {
		t.Errorf("resumed: %+v", p)
	}
	for want, a := range map[string]*Amendment{
		`{"Revision":1,"Removed":[1],"Added":null,"Quorum":0,"Colluders":0}`:               revision(1, []uint32{1}),
		`{"Revision":1,"Removed":null,"Added":null,"Quorum":0,"Colluders":0,"Pause":true}`: pauses(1),
	} {
		if got := string(a.Encode()); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
