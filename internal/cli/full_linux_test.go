package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/collabdict/collabdict/internal/testkit"
)

// A member on a full disk reports it, whatever it could not write, and again when it is restarted
// on the full disk. Once the disk has space, the member takes part as usual.
func TestAFullDisk(t *testing.T) {
	testkit.SkipRaced(t)
	testkit.LongOnly(t)
	dir := t.TempDir()
	small := filepath.Join(dir, "o", "plant-a")
	if code, said := start(t, dir, "up", "--generate", "participants=3,rows=60,columns=4,patterns=2", "--components", "2",
		"--tol", "0", "--rounds", "30", "--out", "o").end(t); code != 0 {
		t.Fatalf("exit code %d; it said:\n%s", code, said)
	}
	// The folder moves to a disk of its own, without the state.
	kept := map[string][]byte{}
	for _, name := range []string{"node.yaml", "plant-a.csv", "identity.key"} {
		b, err := os.ReadFile(filepath.Join(small, name))
		if err != nil {
			t.Fatal(err)
		}
		kept[name] = b
	}
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=1m,mode=700"); err != nil {
		t.Skip("a small disk cannot be mounted, which needs root: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(small, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	for name, b := range kept {
		if err := os.WriteFile(filepath.Join(small, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	filler := filepath.Join(small, "filler")
	full := func(args ...string) {
		t.Helper()
		code, said := start(t, dir, args...).end(t)
		if code != diskFull.code || !strings.Contains(said, "no space left on device") || !strings.Contains(said, "free space on that disk") || strings.Contains(said, "damaged") {
			t.Errorf("%v: exit code %d, want %d; it said:\n%s", args, code, diskFull.code, said)
		}
	}
	// Room for nothing; for part of the first pages; for these, but not for the first entries.
	for _, room := range []int64{0, 8 << 10, 20 << 10} {
		fill(t, filler, room)
		full("run", "--dir", "o/plant-a")
		full("run", "--dir", "o/plant-a")
		for _, name := range []string{"state.db", "state.keys"} {
			if err := os.Remove(filepath.Join(small, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
		}
	}
	fill(t, filler, 0)
	full("sim", "--generate", "participants=3,rows=60,columns=4,patterns=2", "--components", "2", "--rounds", "2", "--out", "o/plant-a/sim")
	// The run begins, but its log does not fit.
	fill(t, filler, 100<<10)
	others := []*member{start(t, dir, "run", "--dir", "o/plant-b"), start(t, dir, "run", "--dir", "o/plant-c")}
	full("run", "--dir", "o/plant-a")
	full("run", "--dir", "o/plant-a")
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	for _, m := range append(others, start(t, dir, "run", "--dir", "o/plant-a")) {
		if code, said := m.end(t); code != 0 {
			t.Errorf("exit code %d; it said:\n%s", code, said)
		}
	}
	if _, err := os.Stat(filepath.Join(small, "model.npz")); err != nil {
		t.Error(err)
	}
}

// fill writes a file until its disk is full, and then frees room bytes.
func fill(t *testing.T, filler string, room int64) {
	t.Helper()
	f, err := os.Create(filler)
	if err != nil {
		t.Fatal(err)
	}
	size, kilobyte := int64(0), make([]byte, 1<<10)
	for err == nil {
		var n int
		n, err = f.Write(kilobyte)
		size += int64(n)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(size-room), f.Close()); err != nil {
		t.Fatal(err)
	}
}
