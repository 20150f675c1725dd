//go:build unix

package launch

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup protects a child from interrupts at the terminal: its parent passes them on, once.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interrupt asks a child of ownGroup to shut down cleanly.
func interrupt(p *os.Process) error { return p.Signal(os.Interrupt) }
