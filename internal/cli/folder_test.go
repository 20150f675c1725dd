package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/run/participant"
)

// ofFolder returns the participant of a folder with its rows.
func ofFolder(dir string) (participant.Config, error) {
	f := &runFlags{dir: dir}
	c, spec, _, err := f.fromFolder(new(cobra.Command))
	if err == nil {
		c.Data, _, err = f.loadOne(context.Background(), spec, c.Node.Name, dir)
	}
	return c, err
}
