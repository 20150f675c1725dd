package pastruns

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func opened(t *testing.T, dir string) *History {
	t.Helper()
	h, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func enter(t *testing.T, h *History, id, rows string) {
	t.Helper()
	if err := h.Enter(Run{ID: id, Agreement: digest("a"), Rows: rows, Members: members("abc")}); err != nil {
		t.Fatal(err)
	}
}

func rowsDigest(h *History, rows ...string) string {
	r := h.Rows()
	for _, row := range rows {
		r.Add([]byte(row))
	}
	return r.Digest()
}

// A run that is resumed is recorded once, and the note about the run before it stays the same.
func TestAResumedRunIsEnteredOnce(t *testing.T) {
	dir, second := t.TempDir(), [32]byte{0x22}
	h := opened(t, dir)
	rows := rowsDigest(h, "x", "y")
	if got := h.Note([32]byte{0x11}, rows); !bytes.Equal(got, []byte{1, 0}) {
		t.Errorf("the first run: note %x", got)
	}
	enter(t, h, digest("1"), rows)
	h = opened(t, dir)
	same, other := h.Note(second, rowsDigest(h, "y", "x")), h.Note(second, rowsDigest(h, "x", "y", "y"))
	if n, err := decodeNote(same); err != nil || n != (note{true, digest("1"), 3, false}) {
		t.Errorf("the same rows: %+v, %v", n, err)
	}
	if n, err := decodeNote(other); err != nil || n != (note{true, digest("1"), 3, true}) {
		t.Errorf("one row more: %+v, %v", n, err)
	}
	id := fmt.Sprintf("%x", second)
	for range 2 {
		enter(t, h, id, rowsDigest(h, "x", "y"))
		h = opened(t, dir)
		if got := h.Note(second, rowsDigest(h, "x", "y")); len(h.runs) != 2 || !bytes.Equal(got, same) {
			t.Errorf("%d runs, note %x, want %x", len(h.runs), got, same)
		}
	}
	for i := range 2 * most {
		enter(t, h, fmt.Sprintf("%064x", i), rows)
	}
	if h = opened(t, dir); len(h.runs) != most || h.runs[most-1].ID != fmt.Sprintf("%064x", 2*most-1) {
		t.Errorf("%d runs, the last %s", len(h.runs), h.runs[len(h.runs)-1].ID)
	}
	for _, name := range []string{File, KeyFile} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

// The same rows have different digests in two folders.
func TestADigestIsOfItsFolder(t *testing.T) {
	a, b := opened(t, t.TempDir()), opened(t, t.TempDir())
	if rowsDigest(a, "x") == rowsDigest(b, "x") {
		t.Error("two folders have the same digest")
	}
	for _, rows := range [][]string{nil, {"x"}, {"x", "x"}, {"x", "y", "y"}, {"xy"}} {
		if rowsDigest(a, rows...) == rowsDigest(a, "x", "y") {
			t.Errorf("rows %q have the digest of others", rows)
		}
	}
}

func TestFilesThatAreDamaged(t *testing.T) {
	dir := t.TempDir()
	h := opened(t, dir)
	enter(t, h, digest("1"), digest("2"))
	good, err := os.ReadFile(filepath.Join(dir, File))
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]string{
		"empty":              "",
		"cut off":            string(good[:len(good)/2]),
		"more behind it":     string(good) + "{}",
		"another version":    strings.Replace(string(good), `"version": 1`, `"version": 2`, 1),
		"an unknown field":   strings.Replace(string(good), `"rows"`, `"raws"`, 1),
		"a short digest":     strings.Replace(string(good), digest("2"), "22", 1),
		"a digest in FF":     strings.Replace(string(good), digest("2"), digest("F"), 1),
		"a member twice":     strings.Replace(string(good), `"b"`, `"a"`, 1),
		"a nameless member":  strings.Replace(string(good), `"b"`, `""`, 1),
		"no runs":            `{"version": 1, "runs": []}`,
		"no members":         fmt.Sprintf(`{"version": 1, "runs": [{"id": %q, "agreement": %[1]q, "rows": %[1]q, "members": []}]}`, digest("1")),
		"the same run twice": fmt.Sprintf(`{"version": 1, "runs": [%s, %[1]s]}`, fmt.Sprintf(`{"id": %q, "agreement": %[1]q, "rows": %[1]q, "members": [{"name": "a", "id": "A"}]}`, digest("1"))),
	} {
		if err := os.WriteFile(filepath.Join(dir, File), []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), File) || !strings.Contains(err.Error(), "want ") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, File), good, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, KeyFile), 5); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "want a key of 32 bytes, got 5") {
		t.Errorf("a short key: got %v", err)
	}
	if err := os.Remove(filepath.Join(dir, KeyFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "got no file") {
		t.Errorf("no key: got %v", err)
	}
}

// Any file is either an error or is written as it was read.
func FuzzFile(f *testing.F) {
	good, err := json.Marshal(contents{version, []Run{{digest("1"), digest("2"), digest("3"), members("ab")}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"version": 1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		runs, err := decode(b)
		if err != nil {
			return
		}
		again, err := json.Marshal(contents{version, runs})
		if err != nil {
			t.Fatal(err)
		}
		if same, err := decode(again); err != nil || !reflect.DeepEqual(same, runs) {
			t.Errorf("got %v, %v, want %v", same, err, runs)
		}
	})
}

// Any published bytes are either an error or are encoded as they were.
func FuzzNote(f *testing.F) {
	f.Add(note{}.encode())
	f.Add(note{past: true, run: digest("1"), size: 5, changed: true}.encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		if n, err := decodeNote(b); err == nil && !bytes.Equal(n.encode(), b) {
			t.Errorf("%x became %+v, and %x", b, n, n.encode())
		}
	})
}
