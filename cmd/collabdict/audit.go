package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/auditlog"
	"github.com/collabdict/collabdict/internal/participant"
)

func (a *app) audit() *cobra.Command {
	cmd := &cobra.Command{Use: "audit", Short: "Check the record of what has happened in a participant's folder", Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	verify := &cobra.Command{
		Use: "verify DIR", Short: "Check the chain of audit.log, and compare it with state.db",
		Long: `verify checks that every line of audit.log in a participant's folder is as it was written: each has
the SHA-256 of the line before. It names the first line that is wrong. It compares the digests of the
last run with those in state.db, unless a node runs in the folder. At the end it lists the runs and
prints the SHA-256 of the last line. Keep that elsewhere to find out later whether a line up to this
one was changed.`,
		Example: "  collabdict audit verify plant-a",
		Args:    oneFolder,
		RunE: func(_ *cobra.Command, args []string) error {
			found, err := participant.ReadAudit(args[0])
			if errors.Is(err, fs.ErrNotExist) {
				return &usageError{fmt.Sprintf("%s: want a folder with %s, got none there", args[0], auditlog.File), "the first run in a folder begins it"}
			}
			if err != nil {
				return err
			}
			return a.print(found, func(w io.Writer) { writeAudited(w, found) })
		},
	}
	a.addJSON(verify)
	cmd.AddCommand(verify)
	return cmd
}

func writeAudited(w io.Writer, a *participant.Audited) {
	fmt.Fprintf(w, "%d lines, from %s to %s, are as they were written\n", a.Lines, a.First.UTC().Format(time.RFC3339), a.Last.UTC().Format(time.RFC3339))
	for _, r := range a.Runs {
		end := r.End
		if end == "" {
			end = "its process was killed, or runs"
		}
		fmt.Fprintf(w, "  run %.16s of %s: %s with %d members, %d decisions up to round %d", r.Run, r.Began.UTC().Format(time.RFC3339), r.Model, r.Members, r.Decided, r.Round)
		if r.Resumed > 0 {
			fmt.Fprintf(w, ", resumed %d times", r.Resumed)
		}
		fmt.Fprintf(w, "; %s\n", end)
	}
	fmt.Fprintf(w, "%d releases and %d exports\n", a.Releases, a.Exports)
	if a.CutOff > 0 {
		fmt.Fprintf(w, "%d lines were cut off and are in files audit-torn-*.log\n", a.CutOff)
	}
	if a.Torn > 0 {
		fmt.Fprintf(w, "the last %d bytes are no whole line: the next run moves them to a file of their own\n", a.Torn)
	}
	switch {
	case a.Behind > 0:
		fmt.Fprintf(w, "the last run: all digests are those in state.db, which has %d more decisions: resume the run, and they are entered\n", a.Behind)
	case a.Compared:
		fmt.Fprintln(w, "the last run: all digests are those in state.db")
	case len(a.Runs) > 0:
		fmt.Fprintln(w, "the last run was not compared with state.db, which is in use or does not have it")
	}
	fmt.Fprintf(w, "SHA-256 of the last line: %s\n", a.Head)
}

// noteInAudit enters an event in the audit log of a folder, if that is a participant's.
func noteInAudit(dir string, r auditlog.Record) error {
	if _, err := os.Stat(filepath.Join(dir, auditlog.File)); errors.Is(err, fs.ErrNotExist) {
		return nil // no run was ever made here
	}
	l, err := auditlog.Open(dir, time.Now, func(auditlog.Record) {})
	if err != nil {
		return err
	}
	return l.Enter(r)
}
