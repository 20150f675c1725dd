package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
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
	folder, _ := os.Stat(filepath.Dir(path))
	if len(entries) != 1 || info.Mode().Perm() != 0o600 || folder.Mode().Perm() != 0o700 {
		t.Errorf("left %v with mode %v in a folder with %v", entries, info.Mode(), folder.Mode())
	}
}

func TestWriteKeepsLinksAndDevices(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no symbolic links here")
	}
	hello := func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }
	if err := Write(link, 0o600, hello); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(target)
	info, _ := os.Lstat(link)
	if string(got) != "new" || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the target holds %q, the link is now %v", got, info.Mode())
	}
	if err := Write(os.DevNull, 0o600, hello); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s is now %v", os.DevNull, info.Mode())
	}
	if err := Write(dir, 0o600, hello); err == nil {
		t.Error("a folder was written to")
	}
}

func TestCheckDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := CheckDir(dir); err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("left %v", entries)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("a folder with mode %v, %v", info.Mode(), err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := CheckDir(file); err == nil {
		t.Error("a file is no folder")
	}
}

// Private files are not accessible to others, and CheckPrivate recognises them.
func TestPrivateFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder", "key")
	if err := Write(path, 0o600, func(w io.Writer) error { _, err := io.WriteString(w, "key"); return err }); err != nil {
		t.Fatal(err)
	}
	if err := CheckPrivate(path); err != nil {
		t.Error(err)
	}
	if runtime.GOOS == "windows" {
		return // modes have no effect on this system
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := CheckPrivate(path); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a file that all may read: %v", err)
	}
}

// The error of a name that is too long for the system is about that name, not about the temporary
// file.
func TestErrorsNameTheTarget(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("n", 300))
	err := Write(path, 0o600, func(io.Writer) error { return nil })
	if fault, ok := errors.AsType[*fs.PathError](err); !ok || fault.Path != path {
		t.Errorf("got %v", err)
	}
}
