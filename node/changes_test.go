package node

import (
	"fmt"
	"testing"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/node/internal/membership"
	"github.com/collabdict/collabdict/node/internal/transport"
)

// nobody is a network that accepts all messages and delivers none.
type nobody struct{}

var _ carrier = nobody{}

func (nobody) Send(int, consensus.Message)       {}
func (nobody) SendAll(consensus.Message)         {}
func (nobody) Publish(consensus.Message)         {}
func (nobody) Holds(int, consensus.Message) bool { return false }
func (nobody) Follow([]transport.Peer)           {}

// A member that wants a change that the committee of a large roster cannot make gets an error.
func TestAChangeThatWouldStrandTheCommitteeIsRefused(t *testing.T) {
	const size = 80
	settings := testConfig(t, 0, 4).Settings
	settings.Scheme = consensus.Exact
	p := consensus.Params{Settings: settings, Run: [32]byte{1}}
	all := &membership.Members{Params: &p}
	for i := range size {
		p.Members = append(p.Members, fmt.Sprintf("m%d", i))
		all.All = append(all.All, Member{Name: p.Members[i]})
	}
	m, err := consensus.New(p)
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	j, err := st.Begin(store.Run{ID: [32]byte{1}, Founders: size})
	if err != nil {
		t.Fatal(err)
	}
	current := membership.NewCurrent(all)
	l, err := newLoop(loopConfig{machine: m, state: j, members: current, inbox: newInbox(current, 1), network: nobody{}, log: nullLog})
	if err != nil {
		t.Fatal(err)
	}
	for most, want := range map[int]string{15: "", 16: "changes: number 1: want a change that leaves a quorum to decide it: remove fewer members at a time, got removed members: want at most 15 of the 31 of the committee at a time, so that the others are a quorum, got 16"} {
		var gone []string
		for _, rank := range m.Rules().Committee[:most] {
			gone = append(gone, p.Members[rank])
		}
		list, err := membership.Amendments(p, all.All, []Change{{Remove: gone}})
		if err != nil {
			t.Fatal(err)
		}
		err = l.wish(list)
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%v, want %s", err, want)
		}
		if wanted := m.Status().Wanted; len(wanted) > 0 != (want == "") {
			t.Errorf("to remove %d of the committee: %v is wanted", most, wanted)
		}
	}
}
