package study

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A compressed file is recognised by its name, and every error has the name.
func TestReadIDX(t *testing.T) {
	plain := []byte{0, 0, 0x08, 1, 0, 0, 0, 3, 7, 8, 9}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, content := range map[string][]byte{"a": plain, "b.gz": packed.Bytes(), "c.gz": plain, "d": plain[:9]} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		a, err := (&Lab{data: dir}).ReadIDX(name)
		if good := name < "c"; good && (err != nil || !bytes.Equal(a.Data, plain[8:])) {
			t.Errorf("%s: got %v, %v", name, a, err)
		} else if !good && (err == nil || !strings.HasPrefix(err.Error(), path+": ")) {
			t.Errorf("%s: got error %v", name, err)
		}
	}
	if _, err := (&Lab{data: dir}).ReadIDX("e"); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("got %v", err)
	}
}
