package store

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/collabdict/collabdict/consensus"
)

func long(n int, seed byte) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i) ^ byte(i>>8) ^ seed
	}
	return b
}

// Long entries are read back whole, also if they replace short ones or are replaced by them.
func TestLongEntries(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	st := begin(t, s, run(1))
	d := decision(0)
	d.Total = make([]float64, partSize/8*2+1)
	d.Total[len(d.Total)-1] = 7
	write := func(name string, data []byte) consensus.Write {
		return consensus.Write{Slot: 1, Name: name, Data: data}
	}
	apply1(t, st, nil, write("a", long(10, 1)), write("b", long(partSize+1, 2)))
	apply1(t, st, []*consensus.Decision{d}, write("a", long(3*partSize, 3)), write("b", long(20, 4)), write("state", long(partSize, 5)))
	apply1(t, st, nil, write("a", long(2*partSize+5, 6)))
	s.Close()
	st = last(t, open(t, dir))
	saved, err := st.Saved()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]byte{"a": long(2*partSize+5, 6), "b": long(20, 4), "state": long(partSize, 5)}
	for name, data := range want {
		if !bytes.Equal(saved.Slots[1][name], data) {
			t.Errorf("%s: other bytes came back, %d for %d", name, len(saved.Slots[1][name]), len(data))
		}
	}
	if !reflect.DeepEqual(saved.Last, d) {
		t.Error("another decision came back")
	}
	apply1(t, st, nil, write("a", nil), write("b", long(partSize+1, 7)), consensus.Write{Slot: 1, Name: consensus.Forget})
	if saved, err = st.Saved(); err != nil || len(saved.Slots) != 0 {
		t.Errorf("after the slot is forgotten: %d slots, %v", len(saved.Slots), err)
	}
}

// A process that ends between the parts and the step has changed nothing, and does not block
// the next one.
func TestPartsAloneCountForNothing(t *testing.T) {
	s := open(t, t.TempDir())
	st := begin(t, s, run(1))
	write := consensus.Write{Slot: 1, Name: "call", Data: long(partSize+9, 1)}
	apply1(t, st, nil, write)
	other := put{consensus.Write{Slot: 1, Name: "call", Data: long(4*partSize, 2)}, bucketSlots}
	if err := st.stage([]put{other}); err != nil {
		t.Fatal(err)
	}
	check := func(want []byte) {
		t.Helper()
		if saved, err := st.Saved(); err != nil || !bytes.Equal(saved.Slots[1]["call"], want) {
			t.Errorf("got %d bytes, %v, want %d", len(saved.Slots[1]["call"]), err, len(want))
		}
	}
	check(write.Data)
	write.Data = long(partSize+1, 3)
	apply1(t, st, nil, write)
	check(write.Data)
	var staged error
	_ = s.view(func(root bucket) error {
		if root.child(bucketStaged).exists() {
			staged = errors.New("parts are left")
		}
		return nil
	})
	if staged != nil {
		t.Error(staged)
	}
}

// An entry can be read until it is forgotten.
func TestEntries(t *testing.T) {
	st := begin(t, open(t, t.TempDir()), run(1))
	vector := consensus.Vector{Words: make([]uint64, partSize/4)}
	vector.Words[partSize/8] = 1
	w := consensus.Write{Slot: 1, Name: "sealed/0", Data: []byte("head"), Vector: vector}
	check := func(name string, want []byte) {
		t.Helper()
		if got, err := st.Entry(1, name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %v, want %d", name, len(got), err, len(want))
		}
	}
	check(w.Name, nil)
	apply1(t, st, nil, w)
	check(w.Name, w.Bytes())
	check("call", nil)
	apply1(t, st, nil, consensus.Write{Slot: 1, Name: consensus.Forget})
	check(w.Name, nil)
}
