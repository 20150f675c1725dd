package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/participant"
)

// ofFolder returns the participant of a folder with its rows.
func ofFolder(dir string) (participant.Config, error) {
	c, spec, _, err := (&runFlags{dir: dir}).fromFolder(new(cobra.Command))
	if err == nil {
		c.Data, _, err = loadOne(context.Background(), spec, c.Node.Name, dir)
	}
	return c, err
}
