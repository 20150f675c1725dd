package launch

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// Without a loopback interface that is up, a layout fails at once.
func TestLayoutWithoutLoopback(t *testing.T) {
	const inside = "COLLABDICT_WITHOUT_LOOPBACK"
	if os.Getenv(inside) != "" {
		if _, err := Layout(t.TempDir(), []string{"a", "b", "c"}); err == nil || !strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("got %v, want an error that names 127.0.0.1", err)
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestLayoutWithoutLoopback$", "-test.v")
	cmd.Env = append(os.Environ(), inside+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET}
	if err := cmd.Start(); err != nil {
		t.Skip("SKIPPED: this system gives a process no network of its own: ", err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("a process without loopback: %v", err)
	}
}
