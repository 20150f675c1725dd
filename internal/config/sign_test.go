package config

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

const commented = `# Our plants.
version: 3
members: # in any order
    # the first
    - {name: a, id: x, addrs: [/ip4/127.0.0.1/tcp/1]} # moves in May
    - name: b
      id: y
    - name: c # the last
      id: z

columns: [temp, flow]
model:
    kind: ggm
    rho: "0.5" # by experience
    tol: 1e-6
consensus:
    scheme: exact
changes:
    - remove: [b]
# The end.
`

func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "consortium.yaml")
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	return path
}

// Signatures are added and replaced, and the rest of the file stays.
func TestSignaturesAreAdded(t *testing.T) {
	path := written(t, commented)
	for _, add := range []map[string]string{
		{"b": "AQID"},
		{"a": "x/y+z=", "c": ""},
		{"b": "null"},
	} {
		if err := AddSignatures(path, add); err != nil {
			t.Fatal(err)
		}
	}
	c, err := ReadConsortium(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Signatures) != 3 || c.Signatures["a"] != "x/y+z=" || c.Signatures["b"] != "null" {
		t.Errorf("signatures %v", c.Signatures)
	}
	before, err := decodeConsortium(path, []byte(commented))
	if err != nil || !before.Same(c) || len(c.Changes) != 1 {
		t.Errorf("%v, or the content has changed: %+v", err, c)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, comment := range []string{"# Our plants.", "# in any order", "# the first", "# moves in May", "# the last", "# by experience", "# The end."} {
		if strings.Count(string(b), comment) != 1 {
			t.Errorf("%q is lost:\n%s", comment, b)
		}
	}
	if strings.Count(string(b), "\nsignatures:\n") != 1 {
		t.Errorf("not one part with signatures:\n%s", b)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 && runtime.GOOS != "windows" {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	again := written(t, "")
	if err := c.Write(again); err != nil {
		t.Fatal(err)
	}
	if o, err := ReadConsortium(again); err != nil || o.Signatures["a"] != c.Signatures["a"] {
		t.Errorf("written as a whole: %v, %v", o, err)
	}
}

func TestOnlyAgreementsAreSigned(t *testing.T) {
	path := written(t, "version: 3\n")
	if err := AddSignatures(path, map[string]string{"a": "x"}); err == nil {
		t.Error("a file that is no agreement was signed")
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "version: 3\n" {
		t.Errorf("it is %q now, %v", b, err)
	}
}

// Whatever a file contains, adding signatures changes nothing else, and they can be read again.
func FuzzAddSignatures(f *testing.F) {
	f.Add([]byte(commented), "b", "AQ==")
	f.Add([]byte(strings.ReplaceAll(commented, "# The end.", "signatures: &s {b: AQ==, c: null} # so far")), "c", "")
	f.Add([]byte(strings.Replace(commented, "{name: a", "&m {name: a", 1)), "*", "~")
	f.Add([]byte(strings.Replace(commented, "changes:", "? changes\n:", 1)+"---\n"), "y: z\n", "1")
	f.Fuzz(func(t *testing.T, text []byte, name, signature string) {
		before, err := decodeConsortium("f", text)
		if err != nil {
			return
		}
		out, err := withSignatures("f", text, map[string]string{name: signature})
		if err != nil {
			return
		}
		after, err := decodeConsortium("f", out)
		if err != nil {
			t.Fatal(err)
		}
		if after.Signatures[name] != signature || !before.Same(after) {
			t.Errorf("%q became %q", text, out)
		}
		for other, s := range before.Signatures {
			if other != name && after.Signatures[other] != s {
				t.Errorf("the signature of %q was %q, is %q", other, s, after.Signatures[other])
			}
		}
	})
}

// aliased holds agreements that list the members a and b under another key, or use the key members
// for something else.
var aliased = map[string]string{
	"alias":        "version: 3\nchanges:\n  - add: &m [{name: a, id: x, addrs: []}, {name: b, id: y, addrs: []}]\nmembers: *m\ncolumns: [a]\nmodel: {kind: ggm}\nconsensus: {}\n",
	"merge":        "version: 3\n<<: {members: [{name: a, id: x, addrs: []}, {name: b, id: y, addrs: []}]}\ncolumns: [a]\nmodel: {kind: ggm}\nconsensus: {}\n",
	"alias as key": "version: 3\nsignatures: {a: &members columns}\n*members : [a]\nmembers: [{name: a, id: x, addrs: []}, {name: b, id: y, addrs: []}]\nmodel: {kind: ggm}\nconsensus: {}\n",
}

// PutMembers replaces one member and adds another, wherever the text lists members.
func TestAliasesOfMembers(t *testing.T) {
	for name, text := range aliased {
		path := written(t, text)
		err := PutMembers(path, []Member{{Name: "b", ID: "new"}, {Name: "c", ID: "z"}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		c, err := decodeDraft(path, b)
		if err != nil || len(c.Members) != 3 || c.Members[0].ID != "x" || c.Members[1].ID != "new" {
			t.Errorf("%s: %v: %+v", name, err, c)
		}
	}
}

// Whatever a file contains, putting a member into it, or appending a change, changes nothing else.
func FuzzEdits(f *testing.F) {
	for _, text := range aliased {
		f.Add([]byte(text), "b", "n")
	}
	f.Add([]byte(commented), "b", "n")
	f.Add([]byte(strings.Replace(commented, "- name: b", "- &b\n      name: b", 1)), "d", "a")
	f.Add([]byte(strings.Replace(commented, "# The end.", "begin_at: 2026-05-04T06:00:00Z\n\n\n# The end.\n", 1)), "# x", " ")
	f.Fuzz(func(t *testing.T, text []byte, name, id string) {
		before, err := decodeDraft("f", text)
		if err != nil {
			return
		}
		m := Member{Name: name, ID: id, Addrs: []string{"/ip4/127.0.0.1/tcp/1"}}
		if out, err := withMembers("f", text, []Member{m}); err == nil {
			after, err := decodeDraft("f", out)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(after.Members, func(o Member) bool { return o.Name == name })
			if i < 0 || !reflect.DeepEqual(after.Members[i], m) || len(after.Members)-len(before.Members) > 1 {
				t.Errorf("%q became %q", text, out)
			}
			if after.Members = before.Members; !before.Same(after) {
				t.Errorf("%q became %q", text, out)
			}
		}
		if out, err := withChange("f", text, Change{Add: []Member{m}, Remove: []string{name}}); err == nil {
			after, err := decodeDraft("f", out)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(before.Changes); len(after.Changes) != n+1 || !reflect.DeepEqual(after.Changes[n].Add, []Member{m}) || after.Changes[n].Remove[0] != name {
				t.Errorf("%q became %q", text, out)
			}
			if after.Changes = before.Changes; !before.Same(after) {
				t.Errorf("%q became %q", text, out)
			}
		}
	})
}
