package consensus

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// savedAt returns the content of member 1's disk at a stage.
func savedAt(t testing.TB, kind, stage int) (*fuzzedRun, Saved) {
	t.Helper()
	r := runAt(t, kind, stage)
	saved := Saved{Slots: map[uint64]map[string][]byte{}}
	for slot, entries := range r.members[1].disk {
		saved.Slots[slot] = maps.Clone(entries)
	}
	if log := r.members[1].log; len(log) > 0 {
		saved.Last = log[len(log)-1]
	}
	return r, saved
}

func entriesOf(saved Saved) (names []string) {
	for slot, entries := range saved.Slots {
		for name := range entries {
			names = append(names, fmt.Sprintf("%d/%s", slot, name))
		}
	}
	slices.Sort(names)
	return names
}

// Whatever replaces an entry on disk, a process that resumes reports the damage or continues,
// without a panic.
func FuzzResume(f *testing.F) {
	for kind := range fuzzedKinds {
		for stage := range fuzzedStages {
			_, saved := savedAt(f, kind, stage)
			for i, name := range entriesOf(saved) {
				slot, entry, _ := strings.Cut(name, "/")
				f.Add(uint8(kind), uint8(stage), uint8(i), saved.Slots[uint64(slot[0]-'0')][entry])
			}
		}
	}
	f.Fuzz(func(t *testing.T, kind, stage, entry uint8, b []byte) {
		r, saved := savedAt(t, int(kind)%len(fuzzedKinds), int(stage)%len(fuzzedStages))
		names := entriesOf(saved)
		if len(names) == 0 {
			return
		}
		slot, name, _ := strings.Cut(names[int(entry)%len(names)], "/")
		saved.Slots[uint64(slot[0]-'0')][name] = b
		m, err := Resume(r.params(1), saved, [32]byte{5})
		if err != nil {
			if want := fmt.Sprintf("the record of slot %s is damaged: %s: ", slot, name); !strings.HasPrefix(err.Error(), want) {
				t.Fatalf("%v, want %s", err, want)
			}
			return
		}
		for s, sealed := range m.slot.results.sealed {
			if sealed.Header.Kind != Gather && sealed.Header.Kind != Sum {
				t.Fatalf("attempt %d has come to %s", s, sealed.Header.Kind)
			}
		}
		n := r.copy(t).network
		n.members[1].Machine = m
		c := r.call(1)
		c.Entropy = [32]byte{6}
		n.step(1, c)
		n.settle()
		n.pass(5*time.Second, func() bool { return n.members[1].err != nil })
	})
}

// The error about a record that no process writes describes the fault.
func TestDamagedRecords(t *testing.T) {
	state := func(change func(st *slotState)) func([]byte) []byte {
		return func(b []byte) []byte {
			var st slotState
			if err := json.Unmarshal(b, &st); err != nil {
				panic(err)
			}
			change(&st)
			return must(json.Marshal(st))
		}
	}
	sealed := func(change func(s *Sealed)) func([]byte) []byte {
		return func(b []byte) []byte {
			s := must(decodeSealed(b))
			change(s)
			w := s.write(0, EntrySealed)
			return w.Bytes()
		}
	}
	const rank = ": want the rank of a member, got "
	for _, c := range []struct {
		entry  string
		damage func(b []byte) []byte
		want   string
	}{
		{EntryState, func([]byte) []byte { return nil }, "unexpected end of JSON input"},
		{EntryState, func(b []byte) []byte { return b[:len(b)/2] }, "unexpected end of JSON input"},
		{EntryState, state(func(st *slotState) { st.Chain = st.Chain[1:] }), "want a chain of 32 bytes"},
		{EntryState, state(func(st *slotState) { st.Own = []*View{nil} }), "want views of at least 2 members"},
		{EntryState, state(func(st *slotState) { st.Own = []*View{{Members: []uint32{2, 1, 0}}} }), "view: want members in rank order, got 1"},
		{EntryState, state(func(st *slotState) { st.Own = []*View{{Members: []uint32{0, 1, 4}}} }), "view" + rank + "4"},
		{EntryState, state(func(st *slotState) { st.Attempts[0].View = &View{Members: []uint32{1}} }), "want views of at least 2 members"},
		{EntryState, state(func(st *slotState) { st.Attempts[0].View = &View{Finish: &Value{}} }), "want a pad of 32 bytes and a new view of each attempt, got 32 bytes"},
		{EntryState, state(func(st *slotState) { st.Attempts[0].Pad = st.Attempts[0].Pad[:8] }), "want a pad of 32 bytes and a new view of each attempt, got 8 bytes"},
		{EntryState, state(func(st *slotState) { st.Attempts[0].Shares[0].Member = 9 }), "share" + rank + "9"},
		{EntryState, state(func(st *slotState) { st.Attempts[0].Commits[0].Member = 9 }), "commitment" + rank + "9"},
		{EntryState, state(func(st *slotState) { st.Pads = []Pad{{Member: 4}} }), "pad" + rank + "4"},
		{EntryCall, func([]byte) []byte { return []byte("12") }, "want at least 4 bytes, got 2"},
		{EntryCall, func(b []byte) []byte { return b[:len(b)-1] }, "want a head of "},
		{EntrySealed + "0", func([]byte) []byte { return []byte{2, 0, 0, 0, 'x', 'y'} }, "invalid character 'x' looking for beginning of value"},
		{EntrySealed + "0", sealed(func(s *Sealed) { s.Members[0] = 3 }), "sealed: members: want members in rank order, got 1"},
		{EntrySealed + "0", sealed(func(s *Sealed) { s.Commits = s.Commits[1:] }), "commitments: want one per member, or none, got 3"},
		{EntrySealed + "0", sealed(func(s *Sealed) { s.Header.Kind = Gather }), "blobs: want 4, got 0"},
		{EntrySealed + "0", sealed(func(s *Sealed) { s.Header.Kind = 0 }), "sealed: collective: want a known collective, got 0"},
	} {
		r, saved := savedAt(t, 0, 4) // exact, voted
		saved.Slots[0][c.entry] = c.damage(saved.Slots[0][c.entry])
		want := fmt.Sprintf("the record of slot 0 is damaged: %s: %s", c.entry, c.want)
		if m, err := Resume(r.params(1), saved, [32]byte{}); m != nil || err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
