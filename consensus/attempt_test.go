package consensus

import (
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
)

// Members that deal, average and remove their pads get the sum, in every scheme and protection.
// The result before that is a different vector.
func TestAttemptsComeToTheSum(t *testing.T) {
	for _, s := range []Settings{
		exact, floating,
		{Scheme: Exact, Protect: chunking.Sessions, Chunks: 3},
		{Scheme: BaseK, Protect: chunking.Shamir, Chunks: 3, Threshold: 2},
		{Scheme: Exact, Protect: chunking.Chunks, Full: true},
		{Scheme: Exact, Protect: chunking.None},
	} {
		const size = 5
		plans := NewPlans(s)
		rules := s.Rules(size)
		view := plans.everybody(rules)
		pos := position{number: 2}
		header := Header{Kind: Sum, Length: 2}
		var all []*attempt
		calls := map[int]*call{}
		for self := range size {
			a := newAttempt(&roster{Rules: rules, run: [32]byte{3}, self: self}, pos, plans, view)
			a.secrets.dealt, a.here = true, true
			calls[self] = &call{header: header, values: []float64{float64(self), -1}, blocks: []collabdict.Block{{Len: 2, Bound: 100}}}
			if err := a.draw(calls[self], [32]byte{4, byte(self)}); err != nil {
				t.Fatal(err)
			}
			all = append(all, a)
		}
		for from, a := range all {
			for _, to := range a.receivers(Sum) {
				b := a.message(calls[from], to).(*Seeds)
				if fault := all[to].checkHeader(header, b.Header, b.View) + all[to].checkShare(from, b); fault != "" {
					t.Fatal(fault)
				}
				all[to].seeds[from] = b
			}
		}
		type letter struct {
			from int
			mail
		}
		var queue []letter
		words := make([][]uint64, size)
		goOn := func(self int) {
			out, _, result, err := all[self].average()
			if err != nil {
				t.Fatal(err)
			}
			if words[self] == nil {
				words[self] = result
			}
			for _, m := range out {
				queue = append(queue, letter{self, m})
			}
		}
		for self, a := range all {
			if len(a.awaited(Sum)) > 0 {
				t.Fatalf("waits for %v", a.awaited(Sum))
			}
			out, _, err := a.begin(calls[self].values, [32]byte{4, byte(self)})
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range out {
				queue = append(queue, letter{self, m})
			}
		}
		for self := range all {
			goOn(self)
		}
		for ; len(queue) > 0; queue = queue[1:] {
			l := queue[0]
			if _, fault := all[l.to].receive(l.from, l.body.(*Step), 2); fault != "" {
				t.Fatal(fault)
			}
			goOn(l.to)
		}
		sealed := &Sealed{Header: header, Blocks: calls[0].blocks, Members: view.Members, Words: words[0], Commits: all[0].commits()}
		o := newOpener(all[0].roster, pos, plans, 0, 0, nil, nil)
		for from, a := range all {
			o.receive(from, &Pads{[]Pad{{uint32(from), a.secrets.pad}}}, opening{})
		}
		o.advance(opening{sealed: sealed, secrets: &all[0].secrets, values: 2})
		total, err := o.total(sealed)
		if err != nil || !o.ready(sealed) || total[0] < 10-1e-6 || total[0] > 10+1e-6 {
			t.Errorf("%s, %s: comes to %v, %v", s.Scheme, s.Protect, total, err)
		}
	}
}

// Messages of other members are checked against this member's call and view.
func TestAttemptsCheckWhatIsDealt(t *testing.T) {
	plans := NewPlans(exact)
	rules := exact.Rules(4)
	a := newAttempt(&roster{Rules: rules, self: 1}, position{}, plans, plans.everybody(rules))
	own := Header{Kind: Sum, Length: 3}
	view := a.seats().digest
	if fault := a.checkHeader(own, own, view); fault != "" {
		t.Error(fault)
	}
	for _, h := range []Header{{Kind: Gather}, {Kind: Sum, Length: 4}, {Kind: Sum, Length: 3, Hash: [32]byte{1}}} {
		if a.checkHeader(own, h, view) == "" {
			t.Errorf("%+v is taken for the same call", h)
		}
	}
	if a.checkHeader(own, own, [32]byte{}) == "" || a.checkShare(0, &Seeds{}) == "" {
		t.Error("another view, or no share, is taken")
	}
	a.here, a.secrets.dealt = true, true
	if part, fault := a.receive(0, &Step{Words: []uint64{1}}, 3); part || fault != "" {
		t.Errorf("an early frame: %v, %q", part, fault)
	}
}
