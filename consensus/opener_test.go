package consensus

import (
	"slices"
	"testing"
	"time"

	"github.com/collabdict/collabdict/chunking"
)

// A decidedSum is a decided attempt of a roster, with one value per member sealed by pads.
type decidedSum struct {
	rules   Rules
	plans   *Plans
	sealed  *Sealed
	secrets []*secrets
	openers []opener
	want    float64
}

// attemptOf returns the sealed sum of a roster, whose pads are shared with the given holders.
func attemptOf(t *testing.T, size int, holders func(o *decidedSum, owner int) []int) *decidedSum {
	t.Helper()
	s := Settings{Scheme: Exact, Protect: chunking.Chunks}
	o := &decidedSum{rules: s.Rules(size), plans: NewPlans(s)}
	if size > SmallRoster {
		o.rules.Committee = committee([32]byte{1}, 0, o.rules)
	}
	o.sealed = &Sealed{Header: Header{Kind: Sum, Length: 1}, Blocks: oneBlock, Members: o.plans.everybody(o.rules).Members}
	layout, err := o.plans.layout(size, oneBlock)
	if err != nil {
		t.Fatal(err)
	}
	name := naming{[32]byte{1}, 5}
	total := make([]uint64, layout.Words())
	for self := range size {
		k := &secrets{dealt: true, pad: [32]byte{1, byte(self), byte(self >> 8)}, held: map[int]*chunking.Share{}, commits: map[int][32]byte{}}
		o.secrets = append(o.secrets, k)
		units, err := layout.Encode([]float64{float64(self)})
		if err != nil {
			t.Fatal(err)
		}
		layout.AddMask(units, name.padMask(self, 0, k.pad))
		layout.Add(total, units)
		o.want += float64(self)
		r := &roster{Rules: o.rules, run: name.run, self: self}
		o.openers = append(o.openers, newOpener(r, position{number: 5}, o.plans, 0, 0, nil, nil))
		if size <= SmallRoster {
			o.sealed.Commits = append(o.sealed.Commits, name.commitment(self, 0, k.pad))
		}
	}
	o.sealed.Words = layout.ToSession(total)
	for owner, k := range o.secrets {
		to := holders(o, owner)
		for i, share := range chunking.SplitSecret(k.pad, len(to), o.rules.Shares, [32]byte{byte(owner)}) {
			o.secrets[to[i]].held[owner] = &share
			o.secrets[to[i]].commits[owner] = name.commitment(owner, 0, k.pad)
		}
	}
	return o
}

func (o *decidedSum) at(self int, now time.Duration) opening {
	return opening{now: now, every: time.Second, sealed: o.sealed, secrets: o.secrets[self], values: 1}
}

// carry delivers mail until none is left. Lost members neither send nor receive.
func (o *decidedSum) carry(now time.Duration, lost []int, first map[int][]mail) {
	type letter struct {
		from int
		mail
	}
	var queue []letter
	post := func(from int, out []mail) {
		for _, m := range out {
			queue = append(queue, letter{from, m})
		}
	}
	there := func(self int) bool { return !slices.Contains(lost, self) }
	for self := range o.openers {
		if there(self) {
			post(self, first[self])
			out, _ := o.openers[self].advance(o.at(self, now))
			post(self, out)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		l := queue[0]
		for to := range o.openers {
			meant := l.to == to || l.to == All || l.to == toDeciders || l.to == toFollowers
			if !meant || to == l.from || !there(to) {
				continue
			}
			post(to, o.openers[to].receive(l.from, l.body, o.at(to, now)))
			out, _ := o.openers[to].advance(o.at(to, now))
			post(to, out)
		}
	}
}

// check asserts that all live members open the total, or that none does.
func (o *decidedSum) check(t *testing.T, lost []int, open bool) {
	t.Helper()
	for self, x := range o.openers {
		if slices.Contains(lost, self) {
			continue
		}
		if x.ready(o.sealed) != open {
			t.Fatalf("member %d can open the result: %v, want %v", self, !open, open)
		}
		if !open {
			continue
		}
		if total, err := x.total(o.sealed); err != nil || total[0] != o.want {
			t.Fatalf("member %d opens %v, %v, want %g", self, total, err, o.want)
		}
	}
}

func (o *decidedSum) patience(lost ...int) patience {
	return patience{stall: 20 * time.Second, lost: lost}
}

func allOthers(o *decidedSum, owner int) []int {
	var all []int
	for s := range o.rules.Size {
		if s != owner {
			all = append(all, s)
		}
	}
	return all
}

func publicHolders(o *decidedSum, owner int) []int {
	r := &roster{Rules: o.rules, run: [32]byte{1}}
	return o.plans.seatsOf(r, position{number: 5}, &View{Members: o.sealed.Members}).holders(owner)
}

// Openers of both kinds open a result if no member is lost.
func TestOpenersOpen(t *testing.T) {
	for size, holders := range map[int]func(*decidedSum, int) []int{5: allOthers, SmallRoster + 2: publicHolders} {
		o := attemptOf(t, size, holders)
		o.check(t, nil, false)
		o.carry(0, nil, nil)
		o.check(t, nil, true)
		late := attemptOf(t, size, holders)
		for _, body := range o.openers[0].help(o.at(0, 0)) {
			late.openers[1].receive(0, body, late.at(1, 0))
		}
		late.openers[1].advance(late.at(1, 0))
		if !late.openers[1].ready(late.sealed) {
			t.Errorf("of %d: the result that one member has opened does not help another", size)
		}
	}
}

// A member that lacks the result sends its pad and opens nothing.
func TestOpenersWaitForTheResult(t *testing.T) {
	for size, holders := range map[int]func(*decidedSum, int) []int{5: allOthers, SmallRoster + 2: publicHolders} {
		o := attemptOf(t, size, holders)
		open := o.at(0, 0)
		open.sealed = nil
		out, _ := o.openers[0].advance(open)
		if told := len(out) == 1; told != (size == 5) || o.openers[0].tick(open, o.patience(1)) != nil || o.openers[0].waiting(nil) != nil {
			t.Errorf("of %d: sends %d messages", size, len(out))
		}
		if out, _ := o.openers[0].advance(open); len(out) > 0 {
			t.Errorf("of %d: sends its pad twice", size)
		}
	}
}

// Openers of both kinds rebuild a lost member's pad from shares. Nobody sends shares of a live
// member before two heartbeats.
func TestOpenersRecoverPads(t *testing.T) {
	for size, holders := range map[int]func(*decidedSum, int) []int{5: allOthers, SmallRoster + 2: publicHolders} {
		lost := []int{3}
		o := attemptOf(t, size, holders)
		o.carry(0, lost, nil)
		o.check(t, lost, false)
		shown := map[int][]mail{}
		early := 0
		now := 2 * time.Minute
		for self, x := range o.openers {
			if self == 3 {
				continue
			}
			early += len(x.tick(o.at(self, time.Second), o.patience()))
			if size > SmallRoster && len(shown) > 0 { // one member of the committee is enough
				continue
			}
			if out := x.tick(o.at(self, now), o.patience(lost...)); len(out) > 0 {
				shown[self] = out
			}
		}
		if early > 0 {
			t.Errorf("of %d: %d messages before anybody is lost", size, early)
		}
		o.carry(now, lost, shown)
		o.check(t, lost, true)
		if size <= SmallRoster && !slices.Equal(o.openers[0].recovered(), []uint32{3}) {
			t.Errorf("the pads of %v came from shares", o.openers[0].recovered())
		}
	}
}

// Pads that do not match a commitment, and wrong sums of pads, open nothing.
func TestOpenersTakeNothingWrong(t *testing.T) {
	o := attemptOf(t, 5, allOthers)
	o.openers[1].receive(0, &Pads{[]Pad{{0, [32]byte{9}}, {77, [32]byte{}}}}, o.at(1, 0))
	o.carry(0, []int{0}, nil)
	o.check(t, []int{0}, false)
	large := attemptOf(t, SmallRoster+2, publicHolders)
	x := large.openers[1]
	for _, body := range []Body{&Opened{}, &Opened{Words: []uint64{1, 2}}, &Step{Lane: 1, Round: 99}, &Step{Lane: 7}, &Reopen{Epoch: 3, Lost: []Substitute{{200, 1}}}} {
		if out := x.receive(0, body, large.at(1, 0)); len(out) > 0 || x.ready(large.sealed) {
			t.Errorf("%T is taken", body)
		}
	}
	large.carry(0, nil, nil)
	large.check(t, nil, true)
}

// A member that begins epochs without end delays a large roster. But its epochs become rarer,
// and the others always have time for theirs.
func TestEpochsWithoutEndAreFew(t *testing.T) {
	o := attemptOf(t, SmallRoster+2, publicHolders)
	x := o.openers[1].(*openSum)
	entered := 0
	var longest, since time.Duration
	for now := time.Duration(0); now < 5*time.Minute; now += 250 * time.Millisecond {
		before := x.epoch
		x.receive(0, &Reopen{Epoch: before + 1}, o.at(1, now))
		if x.epoch > before {
			entered, longest, since = entered+1, max(longest, now-since), now
		}
	}
	if entered < 8 || entered > 20 || longest != 32*time.Second {
		t.Errorf("%d epochs in 300 heartbeats, want at most 20; the longest took %s, want 32 heartbeats", entered, longest)
	}
	x.receive(0, &Reopen{Epoch: maxBallot}, o.at(1, time.Hour))
	if x.epoch > 1000 {
		t.Errorf("epoch %d, after which there are few", x.epoch)
	}
	y := o.openers[2].(*openSum)
	y.receive(0, &Reopen{Epoch: maxBallot}, o.at(2, 0))
	if y.begun {
		t.Errorf("begins with epoch %d, after which there are few", y.epoch)
	}
}
