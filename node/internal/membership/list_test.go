package membership

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/libp2p/go-libp2p/core/peer"
)

var update = flag.Bool("update", false, "write the golden file")

func listOfTwo(t *testing.T) ([]Member, Agreement) {
	t.Helper()
	var members []Member
	for name, text := range map[string]string{
		"plant-a": "12D3KooWKpbbCgFvcra3emdFsjznDHiuES8Zai8hHzmTjPDhZqXs",
		"plant-ü": "12D3KooWHAfTBZhKTrnzjXMCHeZCBCxxyr3NVyvBsp1KwYLrzHHc",
	} {
		id, err := peer.Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		members = append(members, Member{Name: name, ID: id, Addrs: []string{"/ip4/127.0.0.1/tcp/1"}})
	}
	return members, Agreement{{"model", "ggm"}, {"column 1", "temp"}, {"init", ""}, {"consensus: quorum", "0"}}
}

// The bytes that members sign do not change between revisions, since signatures outlive them.
func TestTheSignedBytesStay(t *testing.T) {
	const file = "testdata/list.hex"
	members, a := listOfTwo(t)
	got := hex.Dump(List(members, a))
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("got\n%s want\n%s a change needs another listDomain", got, want)
	}
}

// Every part of the agreement changes the bytes, and nothing else does.
func TestSignedBytesCoverTheAgreement(t *testing.T) {
	members, a := listOfTwo(t)
	of := List(members, a)
	slices.Reverse(members)
	slices.Reverse(a)
	members[0].Addrs = nil
	if !bytes.Equal(List(members, a), of) {
		t.Error("the order of members or fields, or an address, changes the bytes")
	}
	seen := map[string]string{string(of): "the original"}
	for name, change := range map[string]func(m []Member, a Agreement) ([]Member, Agreement){
		"a name":    func(m []Member, a Agreement) ([]Member, Agreement) { m[0].Name += "x"; return m, a },
		"a peer ID": func(m []Member, a Agreement) ([]Member, Agreement) { m[0].ID = m[1].ID; return m, a },
		"names swapped": func(m []Member, a Agreement) ([]Member, Agreement) {
			m[0].Name, m[1].Name = m[1].Name, m[0].Name
			return m, a
		},
		"a member less":  func(m []Member, a Agreement) ([]Member, Agreement) { return m[1:], a },
		"a value":        func(m []Member, a Agreement) ([]Member, Agreement) { a[0].Value += "1"; return m, a },
		"a field's name": func(m []Member, a Agreement) ([]Member, Agreement) { a[0].Name += "1"; return m, a },
		"a field less":   func(m []Member, a Agreement) ([]Member, Agreement) { return m, a[1:] },
		"a moved border": func(m []Member, a Agreement) ([]Member, Agreement) {
			a[0] = Field{a[0].Name + a[0].Value, ""}
			return m, a
		},
	} {
		b := string(List(change(slices.Clone(members), slices.Clone(a))))
		if other, ok := seen[b]; ok {
			t.Errorf("%s: the same bytes as %s", name, other)
		}
		seen[b] = name
	}
}

// Different lists have different bytes, since a list can be read back from its bytes.
func FuzzList(f *testing.F) {
	f.Add("a", "b", "c", "d")
	f.Fuzz(func(t *testing.T, name, id, field, value string) {
		b := List([]Member{{Name: name, ID: peer.ID(id)}}, Agreement{{field, value}})
		var texts []string
		next := func() (n int) {
			for _, x := range b[:8] {
				n = n<<8 | int(x)
			}
			b = b[8:]
			return n
		}
		text := func() {
			n := next()
			texts, b = append(texts, string(b[:n])), b[n:]
		}
		text()
		for range 2 {
			for range next() {
				text()
				text()
			}
		}
		if got, want := fmt.Sprintf("%q", texts), fmt.Sprintf("%q", []string{listDomain, name, id, field, value}); got != want || len(b) > 0 {
			t.Errorf("got %s and %d bytes more, want %s", got, len(b), want)
		}
	})
}
