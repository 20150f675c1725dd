package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func pastIn(t *testing.T, dir string) *Past {
	t.Helper()
	p, err := opened(t, dir).Past()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func enter(t *testing.T, dir, id, rows string) {
	t.Helper()
	s := began(id, "abc")
	s.Rows, s.Key = rows, pastIn(t, dir).Key()
	if err := opened(t, dir).Begin(s); err != nil {
		t.Fatal(err)
	}
}

func rowsDigest(p *Past, rows ...string) string {
	r := p.Rows()
	for _, row := range rows {
		r.Add([]byte(row))
	}
	return r.Digest()
}

// A run that is resumed is one run, and the note about the run before it stays the same.
func TestAResumedRunIsEnteredOnce(t *testing.T) {
	dir, second := t.TempDir(), [32]byte{0x22}
	p := pastIn(t, dir)
	rows := rowsDigest(p, "x", "y")
	if got := p.Note([32]byte{0x11}, rows); !bytes.Equal(got, []byte{1, 0}) {
		t.Errorf("the first run: note %x", got)
	}
	enter(t, dir, digest("1"), rows)
	p = pastIn(t, dir)
	same, other := p.Note(second, rowsDigest(p, "y", "x")), p.Note(second, rowsDigest(p, "x", "y", "y"))
	if n, err := decodeNote(same); err != nil || n != (note{true, digest("1"), 3, false}) {
		t.Errorf("the same rows: %+v, %v", n, err)
	}
	if n, err := decodeNote(other); err != nil || n != (note{true, digest("1"), 3, true}) {
		t.Errorf("one row more: %+v, %v", n, err)
	}
	id := fmt.Sprintf("%x", second)
	for range 2 {
		enter(t, dir, id, rows)
		p = pastIn(t, dir)
		if got := p.Note(second, rowsDigest(p, "x", "y")); len(p.runs) != 2 || !bytes.Equal(got, same) {
			t.Errorf("%d runs, note %x, want %x", len(p.runs), got, same)
		}
	}
	for _, name := range []string{File, keyFile} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

// The same rows have different digests in two folders.
func TestADigestIsOfItsFolder(t *testing.T) {
	a, b := pastIn(t, t.TempDir()), pastIn(t, t.TempDir())
	if rowsDigest(a, "x") == rowsDigest(b, "x") {
		t.Error("two folders have the same digest")
	}
	for _, rows := range [][]string{nil, {"x"}, {"x", "x"}, {"x", "y", "y"}, {"xy"}} {
		if rowsDigest(a, rows...) == rowsDigest(a, "x", "y") {
			t.Errorf("rows %q have the digest of others", rows)
		}
	}
}

// A folder with runs needs the key of their digests. If it is lost, an empty file makes the program
// forget which rows they had: what it publishes is that of a new folder.
func TestAKeyThatIsDamaged(t *testing.T) {
	dir := t.TempDir()
	p := pastIn(t, dir)
	rows := rowsDigest(p, "x")
	enter(t, dir, digest("1"), rows)
	path := filepath.Join(dir, keyFile)
	for want, damage := range map[string]func() error{
		"got 5 bytes": func() error { return os.Truncate(path, 5) },
		"got no file": func() error { return os.Remove(path) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		var damaged *KeyError
		if _, err := opened(t, dir).Past(); !errors.As(err, &damaged) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		if err := os.WriteFile(path, p.key, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	again := pastIn(t, dir)
	if got := again.Note([32]byte{0x22}, rowsDigest(again, "x")); bytes.Equal(again.key, p.key) || !bytes.Equal(got, []byte{1, 0}) {
		t.Errorf("after the key was lost: note %x", got)
	}
	if !reflect.DeepEqual(again, pastIn(t, dir)) {
		t.Error("the new key is not kept")
	}
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
