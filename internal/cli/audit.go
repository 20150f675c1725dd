package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/internal/run/participant"
)

func (a *app) audit() *cobra.Command {
	cmd := &cobra.Command{Use: "audit", Short: "Check the record of what has happened in a participant's folder", Args: onlyCommands, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	verify := &cobra.Command{
		Use: "verify DIR", Short: "Check the chain of journal.log, and compare it with state.db",
		Long: `verify checks that no line of journal.log in a participant's folder has changed: each line has the
SHA-256 of the line before. It names the first wrong line. Unless a node runs in the folder, it
also compares the digests of the last run with those in state.db. At the end it lists the runs
and prints the SHA-256 of the last line. Keep that hash elsewhere to find out later whether a
line up to this one was changed.`,
		Example: "  collabdict audit verify plant-a",
		Args:    oneFolder,
		RunE: func(_ *cobra.Command, args []string) error {
			found, err := participant.ReadAudit(args[0])
			if errors.Is(err, fs.ErrNotExist) {
				return &usageError{fmt.Errorf("%s: want a folder with %s, got none", args[0], journal.File), "the first run in a folder creates it"}
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
	fmt.Fprintf(w, "%s from %s to %s, unchanged\n", count(a.Lines, "line"), a.First.UTC().Format(time.RFC3339), a.Last.UTC().Format(time.RFC3339))
	for _, r := range a.Runs {
		end := r.End
		if end == "" {
			end = "killed, or still running"
		}
		fmt.Fprintf(w, "  run %.16s of %s: %s with %s, %s up to round %d", r.Run, r.Began.UTC().Format(time.RFC3339), r.Model, count(r.Members, "member"), count(r.Decided, "decision"), r.Round)
		if r.Resumed > 0 {
			fmt.Fprintf(w, ", resumed %s", count(r.Resumed, "time"))
		}
		fmt.Fprintf(w, "; %s\n", end)
	}
	fmt.Fprintf(w, "%s and %s\n", count(a.Releases, "release"), count(a.Exports, "export"))
	if a.CutOff > 0 {
		fmt.Fprintf(w, "cut off, and kept in files journal-torn-*.log: %s\n", count(a.CutOff, "line"))
	}
	if a.Torn > 0 {
		fmt.Fprintf(w, "the last %d bytes are not a whole line: the next run moves them to a separate file\n", a.Torn)
	}
	switch {
	case a.Behind > 0:
		fmt.Fprintf(w, "the last run: all digests match state.db, which has %s: resume the run to add them\n", count(a.Behind, "more decision"))
	case a.Compared:
		fmt.Fprintln(w, "the last run: all digests match state.db")
	case len(a.Runs) > 0:
		fmt.Fprintln(w, "the last run was not compared with state.db, which is in use or does not have it")
	}
	fmt.Fprintf(w, "SHA-256 of the last line: %s\n", a.Head)
}

// noteExport records an exported file in the journal of a folder, if it has one.
func noteExport(dir string, l journal.Line) error {
	if there, err := journal.Exists(dir); err != nil || !there {
		return err // without a journal, no run was ever made in this folder
	}
	j, err := journal.Open(dir, time.Now)
	if err != nil {
		return err
	}
	return j.Export(l)
}
