package consensus

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// Each member sees which members request which amendment of the current roster.
func TestRequestedAmendmentsAreShown(t *testing.T) {
	n := newNetwork(t, 5, exact)
	xs := powers(7)
	n.learn(rounds(1, xs), 0)
	n.join()
	a, b := revision(1, []uint32{1}, "new"), revision(1, nil, "new")
	n.request(a, 0, 2)
	n.request(b, 1)
	want := []Wanted{{a.digest(), []uint32{0, 2}}, {b.digest(), []uint32{1}}}
	for s, wished := range map[int][32]byte{0: a.digest(), 1: b.digest(), 3: {}} {
		if got := n.members[s].Status(); !reflect.DeepEqual(got.Wanted, want) || got.Requested != wished {
			t.Errorf("member %d sees %v, want %v", s, got.Wanted, want)
		}
	}
	n.request(b, 0, 2)
	if got := n.members[3].Status().Wanted; len(got) != 1 || !slices.Equal(got[0].Members, []uint32{0, 1, 2}) {
		t.Errorf("of one mind: %v", got)
	}
	if !n.learn(rounds(4, xs), 0) && !n.learn(rounds(4, xs), 30*time.Second) {
		t.Fatalf("does not continue\n%s", n.describe())
	}
	if got := amendments(n.members[3].log); len(got) != 1 {
		t.Fatalf("amended in slots %d", got)
	}
	if got := n.members[3].Status().Wanted; got != nil {
		t.Errorf("after the amendment: %v", got)
	}
}

// An amendment that a large roster's committee could not finish is refused with the reason. One
// that leaves a quorum of the committee is requested.
func TestAnAmendmentThatWouldStrandTheCommittee(t *testing.T) {
	n, _ := largeNetwork(t, exact)
	m := n.members[0].Machine
	var most []uint32
	for _, s := range m.Rules().Committee[:committeeSize-m.Rules().Quorum] {
		most = append(most, uint32(s))
	}
	next := uint32(m.Rules().Committee[len(most)])
	for want, a := range map[string]*Amendment{
		"":                               revision(1, most),
		"want at most 15 of the 31 of t": revision(1, append(slices.Clone(most), next)),
		"revision: want 1, got 2":        revision(2, nil),
	} {
		err := m.CheckRequest(a)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %q", err, want)
		}
		if n.step(0, RequestAmendment{Amendment: a}); (m.Status().Requested != [32]byte{}) != (want == "") {
			t.Errorf("%q: wishes %x", want, m.Status().Requested)
		}
	}
}
