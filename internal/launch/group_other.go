//go:build !unix && !windows

package launch

import (
	"os"
	"os/exec"
)

// ownGroup does nothing where there are no process groups.
func ownGroup(*exec.Cmd) {}

// interrupt asks a child to leave in good order.
func interrupt(p *os.Process) error { return p.Signal(os.Interrupt) }
