package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/run/participant"
)

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
			s, err := askStatus(ctx, dir)
			if err != nil {
				return err
			}
			c, err := operate.NewClient(dir)
			if err != nil {
				return err
			}
			v := &view{w: a.out, terminal: terminalOf(a.out)}
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

func terminalOf(w io.Writer) *os.File {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// view shows a sequence of statuses.
type view struct {
	w        io.Writer
	terminal *os.File
	lines    int    // length of the table on the terminal
	last     string // line
}

func (v *view) show(s *operate.Status) {
	if v.terminal == nil {
		if line := changeLine(s); line != v.last {
			fmt.Fprintf(v.w, "%s %s\n", s.At.UTC().Format(time.RFC3339), line)
			v.last = line
		}
		return
	}
	var table bytes.Buffer
	writeStatus(&table, s)
	width, height, err := term.GetSize(int(v.terminal.Fd()))
	if err != nil || width == 0 || height == 0 {
		width, height = 80, 24
	}
	v.draw(table.String(), width, height)
}

// draw replaces the last table. It leaves out what does not fit on the screen.
func (v *view) draw(table string, width, height int) {
	const up, clearLine, clearBelow = "\x1b[%dA", "\x1b[K", "\x1b[J"
	if v.lines > 0 {
		fmt.Fprintf(v.w, up, v.lines)
	}
	lines := strings.Split(strings.TrimRight(table, "\n"), "\n")
	lines = lines[:min(len(lines), max(1, height-1))]
	for _, l := range lines {
		fmt.Fprintf(v.w, "%s%s\n", cut(l, width), clearLine)
	}
	fmt.Fprint(v.w, clearBelow)
	v.lines = len(lines)
}

// changeLine summarises a status, so that a changed line is worth printing.
func changeLine(s *operate.Status) string {
	line := fmt.Sprintf("%s: %s", s.Phase, roundOf(s))
	if n := s.Node; n != nil {
		line += fmt.Sprintf(", %d of %d members are here", s.Present(), n.Want)
		if s.Phase == operate.Joining && len(n.Missing) > 0 {
			line += "; waiting for " + operate.Names(n.Missing)
		}
		if s.At.Before(n.BeginAt) {
			line += "; begins at " + n.BeginAt.Format(time.RFC3339)
		}
		for _, w := range n.Waiting {
			if w.For >= sayAfter {
				line += "; waiting for " + w.Name
			}
		}
		switch {
		case n.PausedBy > 0:
			line += "; paused by agreement"
		case n.Paused:
			line += "; paused"
		}
	}
	if s.Warns > 0 {
		line += "; " + count(s.Warns, "warning")
	}
	return line
}

func roundOf(s *operate.Status) string {
	if s.Rounds > 0 {
		return fmt.Sprintf("round %d/%d", s.Round, s.Rounds)
	}
	return fmt.Sprintf("round %d", s.Round)
}

// lastRunIn describes the end of the last run of a folder, by its files.
func lastRunIn(dir string) string {
	line, err := participant.LastRun(dir)
	if err != nil {
		return err.Error()
	}
	return line
}
