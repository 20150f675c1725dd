package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/internal/ops/outcome"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

// told is what has left a folder, with its totals.
type told struct {
	Folder  string           `json:"folder"`  // as given
	Records []journal.Record `json:"records"` // runs and releases, in order
	// Model describes the model in the folder if no recorded run has made it, such as a
	// simulation's.
	Model []report.Entry `json:"model,omitempty"`
	Sums  sums           `json:"together"`      // totals over all records
	Cap   *report.Cap    `json:"cap,omitempty"` // the agreed limit of releases
}

// sums are totals over all records.
type sums struct {
	Runs     int          `json:"runs"`     // recorded
	Totals   int          `json:"totals"`   // were opened
	Releases int          `json:"releases"` // were written
	Released report.Spend `json:"released"` // the loss by all releases
	Noisy    report.Spend `json:"noise"`    // the loss by the noise of all runs
}

func (a *app) ledger() *cobra.Command {
	var dir string
	delta := outcome.UsualDelta
	cmd := &cobra.Command{
		Use: "ledger [DIR]", Short: "List what has left a participant's folder: totals, messages, noise and releases",
		Long: `ledger lists what the runs and releases of a folder have revealed to others: what it was, who
could see it, how many rows it combines and, where noise protects rows, how well. At the end it
adds up all runs and releases. A run is recorded when it begins and when it ends, a release
before its file is written. For a run that was killed, the totals come from state.db.`,
		Example: "  collabdict ledger plant-a",
		Args:    orArgument("dir"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dir == "" {
				return &flagError{"dir", "want the folder of a participant, got nothing", ""}
			}
			if !(delta > 0 && delta < 1) {
				return &flagError{"delta", fmt.Sprintf("want a probability between 0 and 1, got %g", delta), ""}
			}
			if err := checkMember(cmd, dir); err != nil {
				return err
			}
			t, err := toldBy(dir, delta)
			if err != nil {
				return err
			}
			return a.print(t, t.text)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "`FOLDER` of the participant")
	cmd.Flags().Float64Var(&delta, "delta", delta, "`PROBABILITY` delta for the epsilon of all releases, and of all noise")
	a.addJSON(cmd)
	return cmd
}

func toldBy(dir string, delta float64) (*told, error) {
	records, err := participant.Ledger(dir)
	if err != nil {
		return nil, err
	}
	t, file := &told{Folder: dir, Records: records}, filepath.Join(dir, model.File)
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		m, err := model.ReadFile(file)
		if err != nil {
			return nil, err
		}
		t.Cap, t.Model = m.Manifest.Privacy.ReleaseCap, m.Manifest.Privacy.Entries
	}
	t.add(delta)
	return t, nil
}

// add computes the totals over the records.
func (t *told) add(delta float64) {
	for _, r := range t.Records {
		if r.Release == "" {
			t.Sums.Runs++
			t.Model = nil // the last run has made this model, or will
		}
		for _, e := range r.Entries {
			if e.Kind == report.TotalEntry {
				t.Sums.Totals += e.Times
			}
		}
	}
	loss, n := journal.Spent(t.Records, report.ReleaseEntry)
	t.Sums.Releases, t.Sums.Released = n, report.SpendOf(loss, delta, outcome.OfReleases)
	loss, _ = journal.Spent(t.Records, report.NoiseEntry)
	t.Sums.Noisy = report.SpendOf(loss, delta, outcome.OfNoise)
}

func (t *told) text(w io.Writer) {
	fmt.Fprintf(w, "What has left %s\n", t.Folder)
	for _, r := range t.Records {
		at := r.At.UTC().Format("2006-01-02 15:04") + " UTC"
		if r.Release != "" {
			fmt.Fprintf(w, "\n%s, release %s (%s)\n", at, r.Release, r.Model)
		} else {
			state := "ended"
			if !r.Ended {
				state = "unfinished, or ended early"
			}
			of := strings.Join(r.Members, ", ")
			if n := len(r.Members); n > mostListed {
				of = fmt.Sprintf("%d members", n)
			}
			fmt.Fprintf(w, "\n%s, run %s (%s, %s) of %s\n", at, r.ID[:16], r.Model, state, of)
		}
		if r.Hidden != "" {
			fmt.Fprintf(w, "  %s\n", r.Hidden)
		}
		listEntries(w, r.Entries)
	}
	if len(t.Model) > 0 {
		fmt.Fprintf(w, "\nthe model in this folder, from a run that the ledger does not have, such as a simulation\n")
		listEntries(w, t.Model)
	}
	fmt.Fprintf(w, "\nTogether: %s with %s that others have seen, and %s\n", count(t.Sums.Runs, "run"), count(t.Sums.Totals, "total"), count(t.Sums.Releases, "release"))
	if s := t.Sums.Noisy; s.ZCDP > 0 {
		fmt.Fprintf(w, "  noise in runs: epsilon %.4g at delta %g (zCDP %.4g). It does not cover exact totals.\n", s.Epsilon, s.Delta, s.ZCDP)
	}
	if s := t.Sums.Released; s.ZCDP > 0 {
		fmt.Fprintf(w, "  releases: epsilon %.4g at delta %g (zCDP %.4g), under the conditions of each\n", s.Epsilon, s.Delta, s.ZCDP)
	}
	if c := t.Cap; c != nil {
		left := c.Left(privacy.ZCDP(t.Sums.Released.ZCDP))
		fmt.Fprintf(w, "  the members allow releases up to epsilon %g at delta %g; the next may have up to %.4g\n", c.Epsilon, c.Delta, left.Epsilon(c.Delta))
	}
}

// mostListed is the number of members of a run that are listed by name.
const mostListed = 12

func listEntries(w io.Writer, entries []report.Entry) {
	for _, e := range entries {
		fmt.Fprintf(w, "  - %s\n", e.Sentence())
	}
}
