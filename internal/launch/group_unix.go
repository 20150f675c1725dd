//go:build unix

package launch

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps an interrupt at the terminal from a child: its parent passes it
// on, once.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
