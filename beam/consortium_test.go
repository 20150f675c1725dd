package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/model"
)

// product builds the program of the nodes.
func product(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "collabdict")
	c := exec.CommandContext(t.Context(), "go", "build", "-o", file, "./cmd/collabdict")
	c.Dir = ".." // its module has other versions
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return file
}

// readBy replaces the rows of a member, which are the last of its node.yaml, by those at an address that an
// engine reads.
func readBy(t *testing.T, folder, address string, engine ...string) {
	t.Helper()
	file := filepath.Join(folder, "node.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, _, found := bytes.Cut(text, []byte("\ndata:\n"))
	if !found {
		t.Fatalf("%s: want data, got %s", file, text)
	}
	text = fmt.Appendf(before, "\ndata: [%q]\nengine: [%s]\n", address, `"`+strings.Join(engine, `", "`)+`"`)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// digestIn returns the digest of the model that a member has saved.
func digestIn(t *testing.T, folder string) string {
	t.Helper()
	m, err := model.ReadFile(filepath.Join(folder, model.File))
	if err != nil {
		t.Fatal(err)
	}
	return m.Manifest.Digest
}

// most returns the most memory that a process has used so far, in bytes; 0 if it has ended.
func most(pid int) int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	field := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if field == nil {
		return 0
	}
	kB, _ := strconv.Atoi(string(field[1])) // digits
	return kB << 10
}

// A consortium of five learns the same model, to the last bit, if one of its members has its rows in a
// bucket, with workers in processes of their own. That member's node needs little memory.
func TestAConsortium(t *testing.T) {
	const members, far, limit = 5, 2, 300 << 20
	node, dir := product(t), t.TempDir()
	plant(t, dir, members, 20_000)
	out := filepath.Join(dir, "out")
	files, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	// Without blur, a run draws nothing that changes the model.
	up := exec.CommandContext(t.Context(), node, append([]string{"up", "--out", out, "--components", "3", "--lambda", "0.1", "--rounds", "5", "--blur", "0"}, files...)...)
	if text, err := up.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var folders []string
	for i := range members {
		folders = append(folders, filepath.Join(out, fmt.Sprintf("day-%02d", i)))
	}
	want := digestIn(t, folders[0])

	own := t.TempDir()
	if err := os.Rename(files[far], filepath.Join(own, "rows.csv")); err != nil {
		t.Fatal(err)
	}
	address, query := bucket(t, own, nil)
	at, _ := startPool(t)
	readBy(t, folders[far], address+"rows/"+query, program, "--temp", address+"tmp"+query, "--environment_type", "EXTERNAL", "--environment_config", at)

	said := make([]bytes.Buffer, members)
	ended := make(chan error, members)
	var pid, peak int
	for i, folder := range folders {
		c := exec.CommandContext(t.Context(), node, "run", "--dir", folder, "--join-timeout", "2m")
		c.Stdout, c.Stderr = &said[i], &said[i]
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		go func() { ended <- c.Wait() }()
		if i == far {
			pid = c.Process.Pid
		}
	}
	failed := false
	for left := members; left > 0; {
		select {
		case err := <-ended:
			failed = failed || err != nil
			left--
		case <-time.After(10 * time.Millisecond):
			peak = max(peak, most(pid))
		}
	}
	if failed {
		for i := range said {
			t.Errorf("%s", &said[i])
		}
		t.FailNow()
	}
	for _, folder := range folders {
		if got := digestIn(t, folder); got != want {
			t.Errorf("%s: got digest %s, want %s", folder, got, want)
		}
	}
	if runtime.GOOS == "linux" && (peak == 0 || peak > limit) {
		t.Errorf("the node used %d MB, want at most %d", peak>>20, limit>>20)
	}
	t.Logf("the node used %d MB", peak>>20)
}
