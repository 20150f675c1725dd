package cli

import (
	cryptorand "crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/collabdict/collabdict/internal/export"
	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/internal/ops/outcome"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

// releaseFlags are the flags of export --release.
type releaseFlags struct {
	on            bool
	radius, delta float64
}

func (r *releaseFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.BoolVar(&r.on, "release", false, "draw the means of a mixture from their posterior, and print how much that reveals about a row")
	fl.Float64Var(&r.radius, "radius", 0, "with --release: rows are at most `R` apart, in the units of training")
	fl.Float64Var(&r.delta, "delta", outcome.UsualDelta, "with --release: `PROBABILITY` delta of the epsilon printed")
}

// unused reports flags that require --release, without it.
func (r *releaseFlags) unused(cmd *cobra.Command) error {
	for _, name := range []string{"radius", "delta"} {
		if !r.on && cmd.Flags().Changed(name) {
			return &flagError{name, "requires --release", "leave it out"}
		}
	}
	return nil
}

func (r *releaseFlags) check() error {
	switch {
	case !(r.radius > 0) || math.IsInf(r.radius, 1):
		return &flagError{"radius", fmt.Sprintf("want a finite distance above 0, got %g", r.radius), "give the largest distance between two rows, in the units of training; clip rows beyond it before training"}
	case !(r.delta > 0 && r.delta < 1):
		return &flagError{"delta", fmt.Sprintf("want a probability between 0 and 1, got %g", r.delta), ""}
	}
	return nil
}

// released is a release, with the totals of this folder including it.
type released struct {
	*export.Release
	Releases int          `json:"releases"`      // those of the folder, with this one
	Together report.Spend `json:"together"`      // the loss by all releases of the folder
	Cap      *report.Cap  `json:"cap,omitempty"` // the agreed limit
}

// releaseForms are the forms of a release.
var releaseForms = []string{"json", "npz", "onnx"}

// release writes a release of a model, which the ledger records before the file exists.
func (a *app) release(from string, f releaseFlags, e *exported) error {
	dir := participant.FolderOf(from)
	if err := errors.Join(f.check(), another("output", e.File, from, ownBeside(from), localBeside(from), filepath.Join(dir, journal.File))); err != nil {
		return err
	}
	m, err := model.ReadFile(from)
	if err != nil {
		return err
	}
	x, err := export.ReleaseOf(m, f.radius, f.delta, systemRandom{})
	if err != nil {
		return &flagError{"model", fmt.Sprintf("%s: %s", from, err), ""}
	}
	r := x.Release
	file, err := mixtureAs(x, e.To)
	if err != nil {
		return err
	}
	j, err := journal.Open(dir, time.Now)
	if err != nil {
		return err
	}
	limit := m.Manifest.Privacy.ReleaseCap
	entry := lineOf(m, e.File, file.Bytes)
	entry.Entries = []report.Entry{{
		Kind: report.ReleaseEntry, Times: 1, SeenBy: "everyone who gets the file", Rows: r.Rows, LeastRows: r.Least, Spend: &r.Spend,
		What: fmt.Sprintf("means of %d components drawn at random, with their exact precisions and shares of all rows", r.Components),
	}}
	if err := j.Release(entry, limit); err != nil {
		return err
	}
	records, err := j.Records()
	if err == nil {
		err = a.writeExport(e, m.Manifest.Kind, file)
	}
	if err != nil {
		return fmt.Errorf("%w; the ledger still counts the release", err)
	}
	loss, n := journal.Spent(records, report.ReleaseEntry)
	e.Release = &released{r, n, report.SpendOf(loss, f.delta, outcome.OfReleases), limit}
	return a.print(e, e.text)
}

// lineOf returns the journal's line about a file.
func lineOf(m *model.Model, file string, content []byte) journal.Line {
	digest := sha256.Sum256(content)
	return journal.Line{Model: m.Manifest.Kind, File: filepath.Base(file), Digest: hex.EncodeToString(digest[:])}
}

// systemRandom draws from the operating system.
type systemRandom struct{}

func (systemRandom) Uint64() uint64 {
	var b [8]byte
	_, _ = cryptorand.Read(b[:]) // it ends the program instead of returning an error
	return binary.BigEndian.Uint64(b[:])
}

func (r *released) text(w io.Writer) {
	fmt.Fprintf(w, "\nreleased: %s", count(r.Components, "component"))
	if r.LeftOut > 0 {
		fmt.Fprintf(w, " (%d with too few rows left out)", r.LeftOut)
	}
	fmt.Fprintf(w, "; the smallest rests on %.4g rows\n", r.Least)
	fmt.Fprintf(w, "epsilon %.4g at delta %g (zCDP %.4g), for these precisions\n", r.Spend.Epsilon, r.Spend.Delta, r.Spend.ZCDP)
	if p := r.Prior; p != nil {
		fmt.Fprintf(w, "epsilon %.4g at delta %g (zCDP %.4g), for any precisions, by the prior\n", p.Epsilon, p.Delta, p.ZCDP)
	} else {
		fmt.Fprintln(w, "the prior gives no bound: the precisions are not a solution (see the warnings of the training)")
	}
	fmt.Fprintf(w, "between: %s\n", r.Spend.Of)
	fmt.Fprintf(w, "releases of this folder (%d): epsilon %.4g at delta %g (zCDP %.4g)\n", r.Releases, r.Together.Epsilon, r.Together.Delta, r.Together.ZCDP)
	if c := r.Cap; c != nil {
		fmt.Fprintf(w, "the members allow epsilon %g at delta %g; the next release may have up to %.4g\n", c.Epsilon, c.Delta, c.Left(privacy.ZCDP(r.Together.ZCDP)).Epsilon(c.Delta))
	}
	fmt.Fprintln(w, "what epsilon does not cover:")
	for _, c := range r.Caveats {
		fmt.Fprintf(w, "  - %s\n", c)
	}
}
