//go:build unix

package launch

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup keeps an interrupt at the terminal from a child: its parent passes it
// on, once.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interrupt asks a child of ownGroup to leave in good order.
func interrupt(p *os.Process) error { return p.Signal(os.Interrupt) }
