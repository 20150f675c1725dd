//go:build !unix && !windows

package launch

import (
	"os"
	"os/exec"
)

// ownGroup does nothing on systems without process groups.
func ownGroup(*exec.Cmd) {}

// interrupt asks a child to shut down cleanly.
func interrupt(p *os.Process) error { return p.Signal(os.Interrupt) }
