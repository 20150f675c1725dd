package cli

import (
	"context"
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/ops/outcome"
	pagefiles "github.com/collabdict/collabdict/internal/page"
)

func (a *app) view() *cobra.Command {
	return &cobra.Command{
		Use: "view DIR", Short: "Show a finished run in a browser",
		Long: `view shows a finished run: its members and rounds, what it has shown of a member, and the model. DIR is a
participant's folder, or that of demo, up or sim; there it shows the first participant. Open the printed
address, which works once. view serves until Ctrl-C, on this machine alone.`,
		Example: "  collabdict view collabdict-demo",
		Args:    oneFolder,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.viewRun(cmd.Context(), args[0])
		},
	}
}

// viewRun serves the page of a finished run until the context ends.
func (a *app) viewRun(ctx context.Context, dir string) error {
	p, err := outcome.Open(dir, systemClock)
	if errors.Is(err, fs.ErrNotExist) {
		return &usageError{err, "collabdict watch DIR shows a member that runs"}
	}
	if err != nil {
		return err
	}
	p.SetFolder(dir)
	address, stop, err := operate.ServePage(ctx, p, pagefiles.Node())
	if err != nil {
		return err
	}
	a.note("page at %s", address)
	<-ctx.Done()
	stop()
	return nil
}
