package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/run/report"
)

// A Record is a part of the ledger: what has left the folder through a run or a release.
type Record struct {
	// ID is the run's, or the SHA-256 of the released file, in hexadecimal digits.
	ID    string    `json:"id"`
	At    time.Time `json:"at"`    // start of the run or release
	Model string    `json:"model"` // kind
	// Release is the file of a release; empty for a run.
	Release string `json:"release,omitempty"`
	// Members are the names of a run's members.
	Members []string `json:"members,omitempty"`
	// Ended means that the entries cover the whole run. Otherwise they are what was known at
	// its start, or when it ended early.
	Ended bool `json:"ended,omitempty"`
	// Hidden describes the protection of the participant's part in sums.
	Hidden string `json:"hidden,omitempty"`
	// Entries are what others have seen. For a run that was killed, they come from state.db, which
	// has only the number of values of each total.
	Entries []report.Entry `json:"entries"`
}

// Ledger returns the records of a folder, the latest at the end. It changes nothing.
func Ledger(dir string) ([]Record, error) {
	var v view
	if _, err := Check(dir, v.add); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return v.records, nil
}

// Records returns all records, with those of other processes, the latest at the end.
func (j *Journal) Records() ([]Record, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	err := j.locked(func(*os.File) error { return nil })
	return slices.Clone(j.view.records), err
}

// Release records a release: its model, its file, the SHA-256 of the content and what the file
// reveals. It returns when this is on disk, which must be before the file exists. If there is a cap
// that all releases of this folder together would exceed, it returns a *CapError and records
// nothing.
func (j *Journal) Release(l Line, limit *report.Cap) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	l.Event, l.At = Release, j.now().UTC()
	return j.locked(func(f *os.File) error {
		if limit != nil {
			if err := within(limit, j.view.records, l.Entries); err != nil {
				return err
			}
		}
		if err := j.write(f, []Line{l}); err != nil {
			return err
		}
		j.view.add(l)
		return nil
	})
}

// Spent returns the total loss of all entries of a kind, and the number of these entries.
func Spent(records []Record, kind report.EntryKind) (loss privacy.ZCDP, entries int) {
	for _, r := range records {
		l, n := spentIn(r.Entries, kind)
		loss, entries = loss+l, entries+n
	}
	return loss, entries
}

func spentIn(list []report.Entry, kind report.EntryKind) (loss privacy.ZCDP, entries int) {
	for _, e := range list {
		if e.Kind == kind && e.Spend != nil {
			loss += privacy.ZCDP(e.Spend.ZCDP)
			entries++
		}
	}
	return loss, entries
}

// A CapError reports a release that would exceed the cap, together with those before it.
type CapError struct {
	Cap      report.Cap
	Wanted   privacy.ZCDP
	Releases []Record // before it
}

// releasesNamed bounds the number of releases in the error.
const releasesNamed = 3

func (e *CapError) Error() string {
	spent, _ := Spent(e.Releases, report.ReleaseEntry)
	d := e.Cap.Delta
	var by []string
	earlier := max(0, len(e.Releases)-releasesNamed)
	for _, r := range e.Releases[earlier:] {
		own, _ := spentIn(r.Entries, report.ReleaseEntry)
		by = append(by, fmt.Sprintf("%s of %s (%.4g)", r.Release, r.At.UTC().Format("2006-01-02"), own.Epsilon(d)))
	}
	before := "nothing is spent yet"
	if len(by) > 0 {
		before = fmt.Sprintf("%.4g is spent by %s", spent.Epsilon(d), strings.Join(by, ", "))
	}
	if earlier > 0 {
		before += fmt.Sprintf(" and %d before them", earlier)
	}
	return fmt.Sprintf("the members have agreed on an epsilon of at most %g for all releases of a folder together, at a delta of %g: %s, and this release would make it %.4g; a release of at most %.4g is left",
		e.Cap.Epsilon, d, before, (spent + e.Wanted).Epsilon(d), e.Cap.Left(spent).Epsilon(d))
}

// within returns a *CapError if a further release would exceed the cap.
func within(c *report.Cap, records []Record, further []report.Entry) error {
	releases := slices.DeleteFunc(slices.Clone(records), func(r Record) bool {
		_, n := spentIn(r.Entries, report.ReleaseEntry)
		return n == 0
	})
	spent, _ := Spent(releases, report.ReleaseEntry)
	wanted, _ := spentIn(further, report.ReleaseEntry)
	if spent+wanted <= c.Loss() {
		return nil
	}
	return &CapError{*c, wanted, releases}
}
