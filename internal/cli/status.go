package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/model"
)

func (a *app) status() *cobra.Command {
	cmd := &cobra.Command{
		Use: "status DIR", Short: "Show the state of the node that runs in a folder",
		Long: `status shows the state of the node that runs in a participant's folder: the round, what it does,
and the time left at most. It lists the members that are here, those that are missing with the
reason, those it waits for, and the last warnings. It asks the node on the socket control.sock in
the folder. The exit code is 6 if the others continue without this member, or its run has failed.`,
		Example: "  collabdict status plant-a",
		Args:    oneFolder,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, s, err := askStatus(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if err := a.print(s, s.WriteTable); err != nil {
				return err
			}
			if healthy, why := s.Healthy(); !healthy {
				return &printedError{errors.New(why), membersLost}
			}
			return nil
		},
	}
	a.addJSON(cmd)
	return cmd
}

// oneFolder accepts exactly one argument, a participant's folder.
func oneFolder(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return &usageError{fmt.Errorf("want the folder of a participant, got %d arguments", len(args)), ""}
	}
	switch info, err := os.Stat(args[0]); {
	case err != nil:
		return &usageError{fmt.Errorf("%s: want the folder of a participant, got none", args[0]), ""}
	case info.IsDir():
		return nil
	}
	hint := "name the folder that demo, up, sim or run has written, or that of a participant there"
	if strings.EqualFold(filepath.Ext(args[0]), filepath.Ext(model.File)) {
		hint = "name its folder, " + filepath.Dir(args[0]) + ", or use " + quoted("collabdict", []string{"inspect", args[0], "--html", "page.html"}) + " for a page of the model"
	}
	return &usageError{fmt.Errorf("%s is a file: want a folder", args[0]), hint}
}

// askStatus returns the status of the node in a folder, and the client that has asked for it.
func askStatus(ctx context.Context, dir string) (*operate.Client, *operate.Status, error) {
	c, err := operate.NewClient(dir)
	if err != nil {
		return nil, nil, &usageError{err, ""}
	}
	s, err := c.Status(ctx)
	if errors.Is(err, operate.ErrNotRunning) {
		return nil, nil, &usageError{fmt.Errorf("no node runs in %s: %s", dir, lastRunIn(dir)), "start it with collabdict run --dir " + dir + ", or with its earlier command"}
	}
	return c, s, err
}

func (a *app) watch() *cobra.Command {
	return &cobra.Command{
		Use: "watch DIR", Short: "Watch the node that runs in a folder until its run ends",
		Long: `watch shows what status shows, again every second, until the node's process ends. On a terminal it
redraws the table in place; elsewhere it prints a line for each change. Ctrl-C ends only watch:
the run continues.`,
		Example: "  collabdict watch plant-a",
		Args:    oneFolder,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, dir := cmd.Context(), args[0]
			c, s, err := askStatus(ctx, dir)
			if err != nil {
				return err
			}
			v := newView(a.out, s)
			ticker := time.NewTicker(time.Second)
			defer ticker.Stop()
			for err == nil {
				v.show(s)
				select {
				case <-ctx.Done(): // the usual end of watch
					return nil
				case <-ticker.C:
				}
				s, err = c.Status(ctx)
			}
			switch {
			case ctx.Err() != nil:
				return nil
			case !errors.Is(err, operate.ErrNotRunning) && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
				return err
			}
			a.note("the process has ended: %s", lastRunIn(dir))
			return nil
		},
	}
}

// view shows the successive statuses of another process.
type view struct {
	*screen
	reporter *operate.Reporter
}

// newView returns a view that begins with a status: on a log, its first line describes that.
func newView(w io.Writer, first *operate.Status) *view {
	v := &view{newScreen(w), operate.NewReporter(false, true)}
	if v.terminal == nil {
		v.stamped(first, first.Activity())
	}
	return v
}

func (v *view) stamped(s *operate.Status, text string) {
	v.line(s.At.UTC().Format(time.RFC3339) + " " + text)
}

func (v *view) show(s *operate.Status) {
	if v.terminal != nil {
		v.table(s)
		return
	}
	for _, l := range v.reporter.Next(s) {
		v.stamped(s, l.Text)
	}
}

// lastRunIn describes the end of the last run of a folder, by its files.
func lastRunIn(dir string) string {
	line, err := participant.LastRun(dir)
	if err != nil {
		return err.Error()
	}
	return line
}
