package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/ops/operate"
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
			s, err := askStatus(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if err := a.print(s, func(w io.Writer) { writeStatus(w, s) }); err != nil {
				return err
			}
			if healthy, why := s.Healthy(); !healthy {
				return &printedError{&unhealthyError{why}}
			}
			return nil
		},
	}
	a.addJSON(cmd)
	return cmd
}

// unhealthyError reports a node that does not contribute.
type unhealthyError struct{ why string }

func (e *unhealthyError) Error() string { return e.why }

// oneFolder accepts exactly one argument, a participant's folder.
func oneFolder(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return &usageError{fmt.Sprintf("want the folder of a participant, got %d arguments", len(args)), ""}
	}
	if info, err := os.Stat(args[0]); err != nil || !info.IsDir() {
		return &usageError{fmt.Sprintf("%s: want the folder of a participant, got none", args[0]), ""}
	}
	return nil
}

// askStatus returns the status of the node in a folder.
func askStatus(ctx context.Context, dir string) (*operate.Status, error) {
	c, err := operate.NewClient(dir)
	if err != nil {
		return nil, &usageError{err.Error(), ""}
	}
	s, err := c.Status(ctx)
	if errors.Is(err, operate.ErrNotRunning) {
		return nil, &usageError{fmt.Sprintf("no node runs in %s: %s", dir, lastRunIn(dir)), "start it with collabdict run --dir " + dir + ", or with its earlier command"}
	}
	return s, err
}

// writeStatus writes a status as text.
func writeStatus(w io.Writer, s *operate.Status) {
	fmt.Fprintf(w, "%s: %s (%s for %s)\n", s.Name, s.Activity(), s.Phase, s.At.Sub(s.Since).Round(time.Second))
	if healthy, why := s.Healthy(); !healthy {
		fmt.Fprintln(w, why)
	}
	if s.Model != "" {
		fmt.Fprintf(w, "%s: %s", s.Model, rounds(s))
		if s.Run != "" {
			fmt.Fprintf(w, ", run %s", s.Run[:16])
		}
		fmt.Fprintln(w)
	}
	if n := s.Node; n != nil {
		fmt.Fprintf(w, "%d of %d members are here\n\n", s.Present(), n.Want)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, m := range membersIn(s) {
			fmt.Fprintf(t, "  %s\t%s\n", m[0], m[1])
		}
		t.Flush()
		for _, u := range n.Unreached {
			fmt.Fprintf(w, "\n%s and %s do not reach each other: %s\n  %s\n", u.A, u.B, u.Reason, u.Advice)
		}
		fmt.Fprintf(w, "\nsent %s in %d messages, received %s in %d", byteCount(int64(n.Traffic.BytesSent)), n.Traffic.MessagesSent, byteCount(int64(n.Traffic.BytesReceived)), n.Traffic.MessagesReceived)
		if n.LastTook > 0 {
			fmt.Fprintf(w, "; the last sum took %s", n.LastTook.Round(time.Millisecond))
		}
		fmt.Fprintln(w)
	}
	for _, p := range s.Spent {
		fmt.Fprintf(w, "%s: epsilon %.4g at delta %g\n", p.Of, p.Epsilon, p.Delta)
	}
	if s.Warns > 0 {
		fmt.Fprintf(w, "\n%s; the last:\n", count(s.Warns, "warning"))
		for _, warned := range s.Warned {
			fmt.Fprintf(w, "  %s  %s\n", warned.At.UTC().Format("15:04:05"), warned.Text)
		}
	}
}

// rounds returns the number of completed rounds, and the time left.
func rounds(s *operate.Status) string {
	line := "completed " + count(s.Round, "round")
	if s.Rounds > 0 {
		line = fmt.Sprintf("completed %d of at most %s", s.Round, count(s.Rounds, "round"))
	}
	if left, known := s.Left(); known {
		line += fmt.Sprintf("; at most %s to go", left.Round(time.Second))
	}
	return line
}

// membersIn returns the members' names and states.
func membersIn(s *operate.Status) (list [][2]string) {
	n := s.Node
	how := map[string]string{}
	for _, m := range slices.Concat(n.Present, n.Missing) {
		how[m] = "here"
	}
	for _, m := range n.Missing {
		how[m] = "missing"
	}
	in, lost := "in the sums", "lost: "
	if n.PausedBy > 0 { // members may be absent
		in, lost = "here", "away: "
	}
	for _, m := range n.Members {
		how[m] = in
	}
	for _, m := range n.Absent {
		how[m.Name] = "not in the sums: " + m.Reason
		if m.Lost {
			how[m.Name] = lost + m.Reason
		}
	}
	for _, m := range n.Waiting {
		if m.For < time.Second {
			continue
		}
		how[m.Name] += fmt.Sprintf(", waited for %s", m.For.Round(time.Second))
	}
	for _, l := range n.Links {
		if l.Via != "" {
			how[l.Name] += ", through " + l.Via
		}
	}
	for m, text := range how {
		short, _, _ := strings.Cut(m, " (")
		if short == n.Name {
			text += " (this member)"
		}
		list = append(list, [2]string{short, strings.TrimPrefix(text, ", ")})
	}
	slices.SortFunc(list, func(x, y [2]string) int { return strings.Compare(x[0], y[0]) })
	return list
}
