package roster

import (
	"bytes"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/node"
)

// cardOf writes the card of a participant with a new key, and returns its file.
func cardOf(t *testing.T, name string, columns ...string) (file, id string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	key, err := node.Identity(dir)
	if err != nil {
		t.Fatal(err)
	}
	return cardIn(t, dir, name, columns...), key.String()
}

func cardIn(t *testing.T, dir, name string, columns ...string) (file string) {
	t.Helper()
	c, err := NewCard(dir, name, []string{"/ip4/192.0.2.7/tcp/4001"}, columns)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), name+".card")
	write(t, file, string(c.Text()))
	return file
}

// A card with any byte altered is refused, or has the same content.
func TestAlteredCards(t *testing.T) {
	file, _ := cardOf(t, "plant-b", "x", "temp")
	good, err := readCard(file, []string{"x"})
	if err != nil {
		t.Fatal(err)
	}
	text := []byte(read(t, file))
	refused := 0
	for i := range text {
		for _, b := range []byte{text[i] ^ 1, '\n'} {
			altered := bytes.Clone(text)
			altered[i] = b
			write(t, file, string(altered))
			got, err := readCard(file, []string{"x"})
			switch {
			case err != nil:
				refused++
			case !reflect.DeepEqual(got.Member, good.Member) || !slices.Equal(got.Columns, good.Columns):
				t.Fatalf("byte %d: %q is taken for a card of %+v", i, altered, got)
			}
		}
	}
	if signed := len(text) - bytes.IndexByte(text, '\n'); refused < signed {
		t.Errorf("%d alterations of %d bytes were refused", refused, signed)
	}
}

// Cards that fit the agreement are accepted; others change nothing.
func TestInvite(t *testing.T) {
	file, folders := agreement(t, 2)
	write(t, file, strings.Replace(read(t, file), "columns: [x]", "# Agreed in May.\ncolumns: [x]", 1))
	id0, err := node.Identity(folders[0])
	if err != nil {
		t.Fatal(err)
	}
	two, idTwo := cardOf(t, "m2", "x", "y")
	other, _ := cardOf(t, "m1", "x")
	odd, _ := cardOf(t, "m3", "y", "z")
	before := read(t, file)
	for want, do := range map[string]func() error{
		"another member is named m1":                                     func() error { _, err := Invite(file, []string{two, other}, nil); return err },
		"m0 is a member already":                                         func() error { _, err := Invite(file, []string{cardIn(t, folders[0], "m0", "x")}, nil); return err },
		"the peer ID " + id0.String() + " belongs to another member, m0": func() error { _, err := Invite(file, []string{cardIn(t, folders[0], "m9", "x")}, nil); return err },
		`the rows of m3 do not have "x"; they have "y", "z"`:             func() error { _, err := Invite(file, []string{odd}, nil); return err },
		"m2 is a member already":                                         func() error { _, err := Invite(file, []string{two, two}, nil); return err },
		`want a member "m2" to replace, got none`:                        func() error { _, err := Invite(file, []string{two}, []string{"m2"}); return err },
		`want the card of "m1", which is to replace`:                     func() error { _, err := Invite(file, []string{two}, []string{"m1"}); return err },
		"no such file": func() error { _, err := Invite(file, []string{"none.card"}, nil); return err },
	} {
		if err := do(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if read(t, file) != before {
		t.Fatal("the file has changed")
	}
	if _, err := Invite(file, []string{two}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := Invite(file, []string{other}, []string{"m1"}); err != nil {
		t.Fatal(err)
	}
	r, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Members) != 3 || r.Members[1].Name != "m1" || r.Members[2].ID.String() != idTwo || len(r.Members[2].Addrs) != 1 || !strings.Contains(read(t, file), "# Agreed in May.") {
		t.Errorf("got %+v in\n%s", r.Members, read(t, file))
	}
}

// A change is appended if the members can make it.
func TestAppendChange(t *testing.T) {
	file, folders := agreement(t, 6)
	if _, _, err := Sign(file, folders...); err != nil {
		t.Fatal(err)
	}
	again, id := cardOf(t, "m1", "x")
	before := read(t, file)
	for want, do := range map[string]func() error{
		`want the name of a member, got to remove "m9"`: func() error { _, err := AppendChange(file, nil, config.Change{Remove: []string{"m9"}}); return err },
		"m1 is in the roster already":                   func() error { _, err := AppendChange(file, []string{again}, config.Change{}); return err },
		"a peer ID that no member has or had": func() error {
			_, err := AppendChange(file, []string{cardIn(t, folders[0], "m7", "x")}, config.Change{Remove: []string{"m0"}})
			return err
		},
		"want at most 2 of 6 at a time": func() error {
			_, err := AppendChange(file, nil, config.Change{Remove: []string{"m0", "m1", "m2"}})
			return err
		},
	} {
		if err := do(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if read(t, file) != before {
		t.Fatal("the file has changed")
	}
	if _, err := AppendChange(file, []string{again}, config.Change{Remove: []string{"m1"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := AppendChange(file, nil, config.Change{Remove: []string{"m1"}}); err != nil {
		t.Fatal(err)
	}
	const none = "want a run that is paused, got resume without an earlier change that pauses the run"
	if _, err := AppendChange(file, nil, config.Change{Resume: true}); err == nil || !strings.Contains(err.Error(), file+": changes: number 3: "+none) {
		t.Errorf("resumes a run that is not paused: %v", err)
	}
	r, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Changes) != 2 || r.Changes[0].Add[0].ID.String() != id || r.Changes[1].Remove[0] != "m1" || r.Check() != nil {
		t.Errorf("got %+v, %v", r.Changes, r.Check())
	}
}

// Only the signatures of copies that are valid for the file are copied into it.
func TestCollect(t *testing.T) {
	file, folders := agreement(t, 4)
	var copies []string
	for i, folder := range folders[1:] {
		c := filepath.Join(filepath.Dir(file), fmt.Sprintf("copy%d.yaml", i))
		text := read(t, file)
		if i == 2 {
			text += "consensus: {quorum: 4}\n"
		}
		write(t, c, text)
		if _, _, err := Sign(c, folder); err != nil {
			t.Fatal(err)
		}
		copies = append(copies, c)
	}
	names, other, err := Collect(file, copies...)
	if err != nil || !slices.Equal(names, []string{"m1", "m2"}) || !slices.Equal(other, copies[2:]) {
		t.Fatalf("got %q and %q, %v", names, other, err)
	}
	if names, _, err := Collect(file, copies[0]); err != nil || names != nil {
		t.Errorf("again: %q, %v", names, err)
	}
	r, err := Read(file)
	if err != nil || r.Check() == nil || !strings.Contains(r.Check().Error(), "not signed by m0, m3;") {
		t.Errorf("%v, %v", err, r.Check())
	}
}

// Each difference has a text. An agreement does not differ from itself with defaults written
// out and in another order.
func TestDiff(t *testing.T) {
	file, folders := agreement(t, 4)
	if _, _, err := Sign(file, folders...); err != nil {
		t.Fatal(err)
	}
	a, err := ReadDraft(file)
	if err != nil {
		t.Fatal(err)
	}
	text := read(t, file)
	id := func(i int) string { return a.Members[i].ID.String() }
	other := filepath.Join(filepath.Dir(file), "other.yaml")
	line := func(i int) string { return fmt.Sprintf("  - {name: m%d, id: %s}\n", i, id(i)) }
	for name, test := range map[string]struct {
		from, to string
		signed   bool
		want     string
	}{
		"nothing":     {"", "", false, ""},
		"defaults":    {"model: {", "model: {seed: 1, rounds: 100, ", false, ""},
		"a setting":   {"model: {", "model: {rounds: 15, ", true, "rounds: 100 in A, 15 in B"},
		"consensus":   {"model: {", "consensus: {quorum: 4}\nmodel: {", true, "consensus: quorum: 0 in A, 4 in B"},
		"protection":  {"model: {", "consensus: {recover: wait}\nmodel: {", true, "consensus: recover: shares in A, wait in B"},
		"a long name": {"model: {", "consensus: {on_lone_return: hold}\nmodel: {", true, "consensus: on_lone_return: allow in A, hold in B"},
		"an option":   {"model: {", "model: {false_alarm: 0.02, ", true, "false_alarm: 0.01 in A, 0.02 in B"},
		"one's own":   {"model: {", "model: {order: time, ", false, "order: auto in A, time in B (not signed)"},
		"a member":    {line(1), "", true, "member m1: only in A"},
		"a key":       {id(1), "12D3KooWKpbbCgFvcra3emdFsjznDHiuES8Zai8hHzmTjPDhZqXs", true, "member m1: another key: " + id(1) + " in A, 12D3KooWKpbbCgFvcra3emdFsjznDHiuES8Zai8hHzmTjPDhZqXs in B"},
		"an address":  {"id: " + id(1), "id: " + id(1) + ", addrs: [/ip4/10.0.0.1/tcp/1]", false, "member m1: other addresses: nothing in A, /ip4/10.0.0.1/tcp/1 in B (not signed)"},
		"the order":   {line(0) + line(1), line(1) + line(0), false, ""},
		"a column":    {"columns: [x]", "columns: [x, y z]", true, `columns: "y z" only in B`},
		"a begin":     {"columns:", "begin_at: 2026-05-04T06:00:00+02:00\ncolumns:", true, "begin_at: nothing in A, 2026-05-04T04:00:00Z in B"},
		"a change":    {"columns:", "changes: [{remove: [m1], quorum: 2}]\ncolumns:", false, "changes: nothing in A, remove m1 and quorum 2 in B (not signed)"},
		"a file":      {"init: init.json", "init: more.json", true, "init: init.json with SHA-256 "},
		"unsigned":    {"m2: ", "m2: x", false, "signature of m2: signed in A, signed other content in B (not signed)"},
	} {
		changed := strings.Replace(text, test.from, test.to, 1)
		if test.from == "m2: " {
			i := strings.LastIndex(text, test.from)
			changed = text[:i] + test.to + text[i+len(test.from):]
		}
		if changed == text && test.from != test.to {
			t.Fatalf("%s: no %q in\n%s", name, test.from, text)
		}
		write(t, other, changed)
		write(t, filepath.Join(filepath.Dir(file), "more.json"), `{"means": [[1]], "precisions": [[[1]]], "weights": [1]}`)
		b, err := ReadDraft(other)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		a.File, b.File = "A", "B"
		list := Diff(a, b)
		if test.want == "" {
			if len(list) > 0 {
				t.Errorf("%s: got %+v", name, list)
			}
			continue
		}
		if len(list) != 1 || !strings.HasPrefix(list[0].Text, test.want) || list[0].Signed != test.signed {
			t.Errorf("%s: got %+v, want %s", name, list, test.want)
		}
		// The two agreements have the same signed content.
		if bad := slices.ContainsFunc(b.States(), func(s State) bool { return s.State == Other }); test.from != "m2: " && bad != test.signed {
			t.Errorf("%s: signatures are of other content: %v", name, bad)
		}
	}
	if none := Diff(a, a); none != nil {
		t.Errorf("an agreement differs from itself: %+v", none)
	}
}

func TestCardsOfNobody(t *testing.T) {
	if _, err := NewCard(t.TempDir(), "m1", nil, []string{"x"}); err == nil || !strings.Contains(err.Error(), "its key") {
		t.Errorf("a folder without a key: %v", err)
	}
	if _, err := NewCard(t.TempDir(), "a/b", nil, []string{"x"}); err == nil {
		t.Error("a name that is a path")
	}
}

// A pause and its end are changes. They are not signed, and a diff describes them.
func TestAppendPause(t *testing.T) {
	file, folders := agreement(t, 4)
	if _, _, err := Sign(file, folders...); err != nil {
		t.Fatal(err)
	}
	before, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, change := range []config.Change{{Pause: true}, {Resume: true}, {Pause: true}} {
		made, err := AppendChange(file, nil, change)
		if err != nil || made.Pause != (i != 1) || made.Resume != (i == 1) {
			t.Fatalf("number %d: %+v, %v", i+1, made, err)
		}
	}
	if text := read(t, file); !strings.Contains(text, "changes:\n  - pause: true\n  - resume: true\n  - pause: true\n") {
		t.Errorf("the file is\n%s", text)
	}
	r, err := Read(file)
	if err != nil || r.Check() != nil {
		t.Fatal(err, r.Check())
	}
	list := Diff(before, r)
	if len(list) != 1 || list[0].Signed || list[0].B != "pause, then resume, then pause" {
		t.Errorf("the difference is %+v", list)
	}
}
