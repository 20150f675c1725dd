package config

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func card() *Card {
	return &Card{Version: Version, Member: Member{Name: "plant-ü", ID: "12D3", Addrs: []string{"/ip4/10.0.0.1/tcp/4001"}}, Columns: []string{"temp", "flow: 2", "#"}, Signature: "AQ=="}
}

func TestCards(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plant.card")
	if err := os.WriteFile(path, card().Text(), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := ReadCard(path)
	if err != nil || !reflect.DeepEqual(got, card()) {
		t.Fatalf("%v, got %+v of\n%s", err, got, card().Text())
	}
	if got := got.Lacks([]string{"flow: 2", "level", "temp", "x"}); !reflect.DeepEqual(got, []string{"level", "x"}) {
		t.Errorf("it lacks %q", got)
	}
	for want, text := range map[string]string{
		"no such file":                      "",
		"the file is empty":                 "# nothing\n",
		"version: want 3, got none":         "columns: [x]\n",
		"unknown field colums":              "version: 3\ncolums: [x]\n",
		"want member with name and id":      "version: 3\ncolumns: [x]\nsignature: AQ==\n",
		"want a card of at most 1048576 by": strings.Repeat("#", mostCard+1),
	} {
		other := filepath.Join(t.TempDir(), "other.card")
		if text != "" {
			if err := os.WriteFile(other, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := ReadCard(other); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Any bytes are either refused as a card, or are a card that can be written and read again.
func FuzzCard(f *testing.F) {
	f.Add(card().Text())
	f.Add([]byte("version: 3\nmember: {name: &a x, id: *a}\ncolumns: [x]\nsignature: 1\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := decodeCard("f", b)
		if err != nil {
			return
		}
		if c.Member.Addrs == nil {
			c.Member.Addrs = []string{}
		}
		text := c.Text()
		again, err := decodeCard("f", text)
		if err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("%v: %q became %q", err, b, text)
		}
		if !bytes.HasPrefix(text, []byte("# The card of")) || bytes.Count(text, []byte("\n")) < 5 {
			t.Errorf("got %q", text)
		}
	})
}
