package consensus

import (
	"slices"
	"testing"
)

// four returns the ballots of a roster of four members in one slot.
func four() []*ballots {
	rules := Rules{Size: 4, Quorum: 3, Least: 3, Colluders: 1}
	preset := &View{Members: []uint32{0, 1, 2, 3}}
	var all []*ballots
	for self := range 4 {
		b := newBallots(&roster{Rules: rules, run: [32]byte{1}, self: self, keys: testKeys(self)}, position{7, [32]byte{2}}, preset)
		all = append(all, &b)
	}
	return all
}

// prepared lets a member prepare its next ballot and the others promise it.
func prepared(t *testing.T, all []*ballots, owner int, others ...int) *ballots {
	t.Helper()
	b := all[owner]
	b.promise(b.next(owner, b.promised))
	b.prepare(0, b.ownPromise(true, nil, [32]byte{}))
	for _, s := range others {
		if !all[s].mayPromise(owner, b.promised) {
			t.Fatalf("member %d does not promise ballot %d", s, b.promised)
		}
		all[s].promise(b.promised)
		if !b.receivePromise(s, b.promised, all[s].ownPromise(true, nil, [32]byte{})) {
			t.Fatalf("the promise of member %d is useless", s)
		}
	}
	return b
}

// A member promises only ballots that are not below its last promise, to their owner. It votes
// in none below it either, and keeps both after a restart.
func TestBallotsNeverGoBack(t *testing.T) {
	all := four()
	b := all[0]
	b.promise(6)
	for ballot, from := range map[uint32]int{0: 0, 5: 1, 2: 2, 7: 2, maxBallot + 3: 3} {
		if b.mayPromise(from, ballot) {
			t.Errorf("promises ballot %d to member %d after ballot 6", ballot, from)
		}
	}
	for ballot, from := range map[uint32]int{6: 2, 7: 3, 8: 0} {
		if !b.mayPromise(from, ballot) {
			t.Errorf("does not promise ballot %d to member %d after ballot 6", ballot, from)
		}
	}
	b.cast(6, Value{Attempt: 6})
	if p := b.ownPromise(true, nil, [32]byte{}); p.Vote == nil || p.Vote.Ballot != 6 || !b.dirty {
		t.Errorf("the promise reports the vote %v", p.Vote)
	}
	again := newBallots(b.roster, b.position, b.preset)
	again.restore(b.promised, b.vote, nil, nil)
	for name, goesBack := range map[string]func(b *ballots){
		"a promise of a lower ballot":    func(b *ballots) { b.promise(5) },
		"a vote in a lower ballot":       func(b *ballots) { b.cast(5, Value{}) },
		"a second vote in a ballot":      func(b *ballots) { b.cast(6, Value{}) },
		"a view of a ballot not at hand": func(b *ballots) { b.fix(&View{Ballot: 4}) },
	} {
		for _, b := range []*ballots{b, &again} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s does not panic", name)
					}
				}()
				goesBack(b)
			}()
		}
	}
}

// A view finishes the highest vote among its promises, whatever else is requested, and all
// members with the promises find that it follows from them.
func TestDraftsFinishTheHighestVote(t *testing.T) {
	all := four()
	low, high := Value{Digest: [32]byte{1}}, Value{Attempt: 5, Digest: [32]byte{2}}
	all[2].cast(0, low)
	all[3].cast(5, high)
	b := prepared(t, all, 0, 2)
	if v := b.draft([32]byte{}); v != nil {
		t.Fatalf("a view by two promises: %+v", v)
	}
	b = prepared(t, all, 0, 2, 3)
	v := b.draft([32]byte{9})
	if v == nil || v.startsAnew() || v.Finish == nil || *v.Finish != high {
		t.Fatalf("got the view %+v, want one that finishes %v", v, high)
	}
	b.fix(v)
	for s, other := range all {
		if err := other.checkView(v, false, other.Least); err != nil {
			t.Errorf("member %d refuses the view: %v", s, err)
		}
	}
	wrong := *v
	wrong.Finish = &low
	if all[1].checkView(&wrong, false, all[1].Least) == nil {
		t.Error("a view that finishes a lower vote is taken")
	}
}

// Without votes a view starts a new attempt, or amends the roster if a quorum requests it.
func TestDraftsWithoutVotes(t *testing.T) {
	wish := [32]byte{9}
	for wanting := range 5 {
		all := four()
		b := all[1]
		b.promise(1)
		b.prepare(0, b.ownPromise(true, nil, [32]byte{}))
		for s, other := range all {
			amends := [32]byte{}
			if s < wanting {
				amends = wish
			}
			if s != 1 {
				other.promise(1)
			}
			b.receivePromise(s, 1, other.ownPromise(true, nil, amends))
		}
		v := b.draft(wish)
		if v.amends() != (wanting >= 3) || v.Finish != nil {
			t.Errorf("%d want it: %+v", wanting, v)
		}
		if between, within := b.checkView(v, true, b.Least), b.checkView(v, false, b.Least); v.amends() && (between != nil || within == nil) {
			t.Errorf("%d want it: %v between rounds, %v within one", wanting, between, within)
		}
	}
}

// A view may leave out a member of ballot 0 if t+1 of its promises name the member, or the
// member's own promise does.
func TestWhoMayBeLeftOut(t *testing.T) {
	for _, c := range []struct {
		name      string
		colluders int
		size      int
		without   map[int][]uint32 // members left out, by the member that promises
		out       uint32
		refused   bool
	}{
		{"nobody names it", 1, 4, map[int][]uint32{0: nil, 1: nil, 2: nil}, 3, true},
		{"the owner alone", 1, 4, map[int][]uint32{0: {3}, 1: nil, 2: nil}, 3, true},
		{"another one", 1, 4, map[int][]uint32{0: {2}, 1: {2}, 2: nil}, 3, true},
		{"two of four", 1, 4, map[int][]uint32{0: {3}, 1: nil, 2: {1, 3}}, 3, false},
		{"itself", 1, 4, map[int][]uint32{0: nil, 1: nil, 3: {3}}, 3, false},
		{"itself, and it would leave out another", 1, 4, map[int][]uint32{0: nil, 1: nil, 3: {2}}, 3, true},
		{"two of seven", 2, 7, map[int][]uint32{0: {6}, 1: {6}, 2: nil, 3: nil, 4: nil, 5: nil}, 6, true},
		{"three of seven", 2, 7, map[int][]uint32{0: {6}, 1: {6}, 2: nil, 3: {6}, 4: nil, 5: nil}, 6, false},
		{"fewer than a quorum of seven", 5, 7, map[int][]uint32{0: {6}, 1: {6}, 2: {6}, 3: nil, 4: nil, 5: nil}, 6, true},
		{"a quorum of seven, with more colluders", 5, 7, map[int][]uint32{0: {6}, 1: {6}, 2: {6}, 3: {6}, 4: nil, 5: nil}, 6, false},
		{"nobody, without protection", 0, 4, map[int][]uint32{0: nil, 1: nil, 2: nil}, 3, true},
		{"the owner, without protection", 0, 4, map[int][]uint32{0: {3}, 1: nil, 2: nil}, 3, false},
		{"not in ballot 0", 1, 5, map[int][]uint32{0: nil, 1: nil, 2: nil}, 4, false},
	} {
		rules := Rules{Size: c.size, Quorum: c.size/2 + 1, Least: 2, Colluders: c.colluders}
		preset := &View{}
		for rank := range uint32(c.size) {
			if c.name != "not in ballot 0" || rank != c.out {
				preset.Members = append(preset.Members, rank)
			}
		}
		v := &View{Ballot: uint32(c.size)}
		for rank := range c.size {
			b := newBallots(&roster{Rules: rules, self: rank, keys: testKeys(rank)}, position{}, preset)
			b.promise(v.Ballot)
			without, promises := c.without[rank]
			if promises {
				v.Promises = append(v.Promises, b.ownPromise(true, without, [32]byte{}))
			}
			switch {
			case uint32(rank) == c.out:
				v.Missing = append(v.Missing, Missing{Member: c.out})
			case promises:
				v.Members = append(v.Members, uint32(rank))
			default: // all promises name it
				v.Missing = append(v.Missing, Missing{Member: uint32(rank)})
			}
		}
		b := newBallots(&roster{Rules: rules, keys: testKeys(0)}, position{}, preset)
		for i := range v.Promises { // members without a promise are named, in addition to those of the case
			p := &v.Promises[i]
			for _, out := range v.Missing {
				if out.Member != c.out && !p.names(int(out.Member)) {
					p.Without = slices.Sorted(slices.Values(append([]uint32{out.Member}, p.Without...)))
				}
			}
			p.Signature = testKeys(p.Member).Sign(b.promiseBytes(v.Ballot, *p))
		}
		if err := b.checkView(v, true, b.Least); (err != nil) != c.refused {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Until the owner makes the view, a member may renew its promise with other members to leave
// out, but not with another vote. The promise is signed.
func TestPromisesAreRenewed(t *testing.T) {
	all := four()
	all[2].cast(0, Value{Digest: [32]byte{1}})
	b := prepared(t, all, 0, 1, 2)
	if !b.receivePromise(1, b.promised, all[1].ownPromise(true, []uint32{3}, [32]byte{})) {
		t.Error("a promise that leaves out another member is useless")
	}
	if p := b.promises[1]; !p.names(3) || p.names(2) {
		t.Errorf("the promise counts as %+v", p)
	}
	changed := all[1].ownPromise(true, []uint32{3}, [32]byte{})
	changed.Without = []uint32{2}
	if b.receivePromise(1, b.promised, changed) {
		t.Error("the members to leave out in a promise are not signed")
	}
	all[2].vote = nil
	if b.receivePromise(2, b.promised, all[2].ownPromise(true, nil, [32]byte{})) || b.promises[2].Vote == nil {
		t.Error("a second promise takes back the vote of the first")
	}
}

// A quorum's equal votes in one ballot decide; each member counts once. The certificate
// convinces members that have not seen the votes, and is invalid in other slots.
func TestVotesDecide(t *testing.T) {
	all := four()
	value := Value{Digest: [32]byte{1}}
	var votes []Done
	for _, b := range all {
		votes = append(votes, b.cast(0, value))
	}
	b := all[0]
	b.tally(0, 0, votes[0])
	if c, fault := b.receiveDone(1, 4, votes[1]); c != nil || fault != "" {
		t.Errorf("a vote signed for another ballot: %v, %q", c, fault)
	}
	for range 2 {
		if c, fault := b.receiveDone(1, 0, votes[1]); c != nil || fault != "" {
			t.Errorf("two votes: %v, %q", c, fault)
		}
	}
	c, fault := b.receiveDone(3, 0, votes[3])
	if c == nil || fault != "" {
		t.Fatalf("three votes: %v, %q", c, fault)
	}
	other := four()[2]
	if !other.checkCertificate(other.position, c) || other.checkCertificate(position{8, [32]byte{2}}, c) || other.checkCertificate(position{7, [32]byte{}}, c) {
		t.Error("the certificate is of this slot alone")
	}
	few := *c
	few.Votes = slices.Clone(c.Votes[:2])
	if other.checkCertificate(other.position, &few) {
		t.Error("two votes are no certificate")
	}
	b.decide(c)
	if b.mayPromise(1, 5) || b.commit != c || b.finishing() != nil || b.prepares() {
		t.Error("the ballots continue after the decision")
	}
}

// A member that votes for another result, or has opened another one before, is named.
func TestFaultsOfVotes(t *testing.T) {
	all := four()
	all[0].cast(0, Value{Digest: [32]byte{1}})
	if _, fault := all[0].receiveDone(1, 0, all[1].cast(0, Value{Digest: [32]byte{2}})); fault == "" {
		t.Error("a vote for another value is no fault")
	}
	d := all[2].cast(0, Value{Digest: [32]byte{1}})
	d.Chain[0]++
	if _, fault := all[0].receiveDone(2, 0, d); fault == "" {
		t.Error("a vote on another chain is no fault")
	}
}
