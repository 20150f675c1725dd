package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestWriteIsWholeOrNotAtAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b.txt")
	put := func(s string, fail error) error {
		return Write(path, 0o600, func(w io.Writer) error {
			if _, err := io.WriteString(w, s); err != nil {
				return err
			}
			return fail
		})
	}
	if err := put("first", nil); err != nil {
		t.Fatal(err)
	}
	bad := errors.New("bad")
	if err := put("half", bad); !errors.Is(err, bad) {
		t.Fatalf("got %v", err)
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != "first" {
		t.Errorf("after a failed write: %q, %v", got, err)
	}
	entries, _ := os.ReadDir(filepath.Dir(path))
	info, _ := os.Stat(path)
	if len(entries) != 1 || info.Mode().Perm() != 0o600 {
		t.Errorf("left %v with mode %v", entries, info.Mode())
	}
}
