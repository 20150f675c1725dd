package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/collabdict/collabdict/gmm/privacy"
	"github.com/collabdict/collabdict/internal/atomicfile"
	"github.com/collabdict/collabdict/internal/filelock"
	"github.com/collabdict/collabdict/internal/report"
)

// The files in a participant's folder: the ledger, and what processes hold while they change it.
const (
	File     = "ledger.json"
	lockFile = "ledger.lock"
)

// Record is what has left the folder by a run, or by a release.
type Record struct {
	// ID is that of the run, or the SHA-256 of the file released, in hexadecimal digits.
	ID    string    `json:"id"`
	At    time.Time `json:"at"`    // when it began
	Model string    `json:"model"` // kind
	// Release is the file of a release; empty of a run.
	Release string `json:"release,omitempty"`
	// Members names those of a run.
	Members []string `json:"members,omitempty"`
	// Ended says that the entries are those of the whole run. Otherwise they are what was known
	// at its start.
	Ended bool `json:"ended,omitempty"`
	// Hidden says what hides the own part of sums, and how well.
	Hidden  string         `json:"hidden,omitempty"`
	Entries []report.Entry `json:"entries"`
}

// DamageError says that the file is not as this program writes it.
type DamageError struct {
	Path string
	Err  error
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("%s: %v; bring back a copy of it: without it the program does not know what has left this folder", e.Path, e.Err)
}

func (e *DamageError) Unwrap() error { return e.Err }

// Book is the ledger of a folder.
type Book struct {
	dir     string
	records []Record
}

// Open reads the ledger of a folder. Without a file nothing has left it.
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

// Records returns what has left the folder, the last at the end.
func (b *Book) Records() []Record { return slices.Clone(b.records) }

// Enter enters a record, in the place of one of the same ID, and returns when that is on disk. The
// earlier time stays.
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

// Release enters a release, and returns when that is on disk. Where there is a cap, it is an error of
// type *CapError if all releases of this folder together would exceed it: nothing is entered then.
func (b *Book) Release(r Record, limit *Cap) error {
	if err := r.check(); err != nil {
		panic("ledger: " + err.Error())
	}
	return b.change(func() error {
		if limit != nil {
			if err := limit.check(b.records, r); err != nil {
				return err
			}
		}
		b.records = append(b.records, r)
		return nil
	})
}

// change reads the file, changes the records and writes them, while no other process does.
func (b *Book) change(f func() error) error {
	if err := atomicfile.MkdirPrivate(b.dir); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	unlock, err := filelock.Wait(filepath.Join(b.dir, lockFile))
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
	if err := atomicfile.WriteJSON(filepath.Join(b.dir, File), contents{version, b.records}); err != nil {
		b.records = before
		return fmt.Errorf("ledger: %w", err)
	}
	return nil
}

// SpendOf returns a loss with ε at delta.
func SpendOf(loss privacy.ZCDP, delta float64, of string) report.Spend {
	return report.Spend{ZCDP: float64(loss), Epsilon: loss.Epsilon(delta), Delta: delta, Of: of}
}

// Spent returns the loss of all entries of a kind together, and how many these are.
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
