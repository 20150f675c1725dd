package main

import (
	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/participant"
)

// ofFolder returns the participant of a folder with its rows.
func ofFolder(dir string) (participant.Config, error) {
	c, spec, _, err := (&runFlags{dir: dir}).fromFolder(new(cobra.Command))
	if err == nil {
		c.Data, _, err = loadOne(spec, c.Node.Name)
	}
	return c, err
}
