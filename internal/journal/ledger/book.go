package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/run/report"
)

// The files in a participant's folder: the ledger, and the lock for changes to it.
const (
	File     = "ledger.json"
	lockFile = "ledger.lock"
)

// A Record lists what has left the folder through a run or a release.
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
	// its start.
	Ended bool `json:"ended,omitempty"`
	// Hidden describes the protection of the participant's part in sums.
	Hidden string `json:"hidden,omitempty"`
	// Entries are what others have seen. For a run that was killed, they come from its log, which
	// has only the number of values of each total.
	Entries []report.Entry `json:"entries"`
}

// A DamageError reports a file that is not as this program writes it.
type DamageError struct {
	Path string
	Err  error
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("%s: %v; restore the file from a copy: without it the program does not know what has left this folder", e.Path, e.Err)
}

func (e *DamageError) Unwrap() error { return e.Err }

// A Book is the ledger of a folder.
type Book struct {
	dir     string
	records []Record
}

// Open reads the ledger of a folder. If there is no file, nothing has left the folder.
func Open(dir string) (*Book, error) {
	b := &Book{dir: dir}
	return b, b.read()
}

func (b *Book) read() error {
	path := filepath.Join(b.dir, File)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		b.records = nil
		return nil
	}
	if err != nil {
		return err
	}
	if b.records, err = decode(text); err != nil {
		return &DamageError{path, err}
	}
	return nil
}

// Records returns all records, the latest at the end.
func (b *Book) Records() []Record { return slices.Clone(b.records) }

// Enter adds a record, or replaces the one with the same ID and keeps its earlier time. It
// returns when the record is on disk.
func (b *Book) Enter(r Record) error {
	if err := r.check(); err != nil {
		panic("ledger: " + err.Error())
	}
	return b.change(func() error {
		if i := slices.IndexFunc(b.records, func(o Record) bool { return o.ID == r.ID }); i >= 0 {
			r.At = b.records[i].At
			b.records[i] = r
			return nil
		}
		b.records = append(b.records, r)
		return nil
	})
}

// Release adds the record of a release, and returns when it is on disk. If there is a cap that
// all releases of this folder together would exceed, it returns a *CapError and records
// nothing.
func (b *Book) Release(r Record, limit *report.Cap) error {
	if err := r.check(); err != nil {
		panic("ledger: " + err.Error())
	}
	return b.change(func() error {
		if limit != nil {
			if err := within(limit, b.records, r); err != nil {
				return err
			}
		}
		b.records = append(b.records, r)
		return nil
	})
}

// change locks the file, reads it, changes the records and writes them.
func (b *Book) change(f func() error) error {
	if err := files.MkdirPrivate(b.dir); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	unlock, err := files.Lock(filepath.Join(b.dir, lockFile))
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	defer unlock()
	if err := b.read(); err != nil {
		return err
	}
	before := slices.Clone(b.records)
	if err := f(); err != nil {
		b.records = before
		return err
	}
	if err := files.WriteJSON(filepath.Join(b.dir, File), contents{version, b.records}); err != nil {
		b.records = before
		return fmt.Errorf("ledger: %w", err)
	}
	return nil
}

// Spent returns the total loss of all entries of a kind, and the number of these entries.
func Spent(records []Record, kind report.EntryKind) (loss privacy.ZCDP, entries int) {
	for _, r := range records {
		for _, e := range r.Entries {
			if e.Kind == kind && e.Spend != nil {
				loss += privacy.ZCDP(e.Spend.ZCDP)
				entries++
			}
		}
	}
	return loss, entries
}
