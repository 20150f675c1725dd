package wire

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func texts() *rapid.Generator[string] { return rapid.StringN(0, 30, 200) }

func hellos() *rapid.Generator[Hello] {
	return rapid.Custom(func(t *rapid.T) Hello {
		ids := rapid.SliceOfN(rapid.Byte(), 1, 40)
		return Hello{
			Name: texts().Draw(t, "name"), Expect: rapid.Uint32().Draw(t, "expect"),
			Agreement: list(t, rapid.Custom(func(t *rapid.T) Field {
				return Field{Name: texts().Draw(t, "field"), Value: texts().Draw(t, "value")}
			}), 5),
			Process: digests().Draw(t, "process"), Addrs: list(t, texts(), 5),
			Contacts: list(t, rapid.Custom(func(t *rapid.T) Contact {
				return Contact{ID: ids.Draw(t, "id"), Addrs: list(t, texts(), 3)}
			}), 5),
			Roster: list(t, rapid.Custom(func(t *rapid.T) Entry {
				return Entry{Name: texts().Draw(t, "member"), ID: ids.Draw(t, "id"), Process: digests().Draw(t, "process")}
			}), 5),
			Signature: list(t, rapid.Byte(), 64), Leaving: texts().Draw(t, "leaving"),
			Refused: texts().Draw(t, "refused"), Proposal: digests().Draw(t, "proposal"), Sequence: rapid.Uint64().Draw(t, "sequence"),
			Resume: digests().Draw(t, "resume"), Over: digests().Draw(t, "over"),
			Amendments: list(t, ids, 3),
			Links: list(t, rapid.Custom(func(t *rapid.T) Link {
				return Link{ID: ids.Draw(t, "link"), Accepted: rapid.Bool().Draw(t, "accepted"), Via: list(t, rapid.Byte(), 40)}
			}), 5),
			Relays: rapid.Bool().Draw(t, "relays"), Clock: rapid.Int64().Draw(t, "clock"), Probe: rapid.Bool().Draw(t, "probe"),
		}
	})
}

func TestHelloRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := hellos().Draw(t, "hello")
		b, err := MarshalHello(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := UnmarshalHello(b)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %#v, want %#v", got, want)
		}
	})
}

func TestUnmarshalHelloRefuses(t *testing.T) {
	many := make([]string, MaxAddrs+1)
	long := strings.Repeat("x", MaxText+1)
	for name, h := range map[string]Hello{
		"many addresses":  {Addrs: many},
		"of a contact":    {Contacts: []Contact{{Addrs: many}}},
		"long name":       {Name: long},
		"long field":      {Agreement: []Field{{Name: long}}},
		"long value":      {Agreement: []Field{{Value: strings.Repeat("x", MaxValue+1)}}},
		"long member":     {Roster: []Entry{{Name: long}}},
		"many fields":     {Agreement: make([]Field, MaxMembers+1)},
		"address of 2 kB": {Contacts: []Contact{{Addrs: []string{long}}}},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := MarshalHello(h)
			if err != nil {
				t.Fatal(err)
			}
			var format *FormatError
			if _, err := UnmarshalHello(b); !errors.As(err, &format) {
				t.Fatalf("got %v, want a FormatError", err)
			}
		})
	}
	var version *VersionError
	if _, err := UnmarshalHello(nil); !errors.As(err, &version) {
		t.Errorf("no bytes at all: got %v, want a VersionError", err)
	}
}

func TestOpening(t *testing.T) {
	want := [32]byte{1, 2, 3}
	if got, err := UnmarshalOpening(MarshalOpening(want)); err != nil || got != want {
		t.Errorf("got %x, %v", got, err)
	}
}

func FuzzUnmarshalHello(f *testing.F) {
	for i := range 20 {
		b, err := MarshalHello(hellos().Example(i))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := UnmarshalHello(b)
		if err != nil {
			return
		}
		if b, err = MarshalHello(h); err != nil {
			t.Fatalf("accepted %#v, which does not encode: %v", h, err)
		}
		if _, err := UnmarshalHello(b); err != nil {
			t.Fatalf("accepted %#v, then refused its encoding: %v", h, err)
		}
	})
}

func FuzzUnmarshalOpening(f *testing.F) {
	f.Add(MarshalOpening([32]byte{7}))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		run, err := UnmarshalOpening(b)
		if err != nil {
			return
		}
		if again, err := UnmarshalOpening(MarshalOpening(run)); err != nil || again != run {
			t.Fatalf("run %x came back as %x, %v", run, again, err)
		}
	})
}
