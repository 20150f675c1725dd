package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/collabdict/collabdict/internal/files"
)

// File is the name of the journal in a participant's folder.
const File = "journal.log"

// flushEvery bounds how long an event is in memory only, and how often the journal waits for the
// disk.
const flushEvery = time.Second

// A DamageError reports a journal that is not as this program writes it.
type DamageError struct {
	Path string
	Err  error
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("%s: %v; restore the file from a copy: without it the program does not know what has left this folder", e.Path, e.Err)
}

func (e *DamageError) Unwrap() error { return e.Err }

// An OlderError reports a folder whose record an earlier release has written in other files.
type OlderError struct{ Dir, File string }

func (e *OlderError) Error() string {
	return fmt.Sprintf("%s has %s of an earlier release, and no %s: continue with that release, or begin in a new folder, whose ledger then does not count what has left this one", e.Dir, e.File, File)
}

// earlierFiles are those that earlier releases wrote instead of the journal.
var earlierFiles = []string{"ledger.json", "audit.log", "runs.json"}

// Exists reports whether a folder has a journal. Its error is an *OlderError if the folder has the
// files of an earlier release instead.
func Exists(dir string) (bool, error) {
	info, err := os.Stat(filepath.Join(dir, File))
	if err == nil && info.Size() > 0 {
		return true, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	for _, name := range earlierFiles {
		if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			return false, &OlderError{dir, name}
		}
	}
	return false, nil
}

// A Journal is the journal of a folder. Its methods are safe for concurrent use.
type Journal struct {
	dir string
	now func() time.Time

	mu      sync.Mutex
	state   State
	view    view // with the pending lines
	pending []Line
	flushed time.Time
}

// Open reads the journal of a folder, and completes one whose last line is incomplete. If there is
// none, the journal is empty. The error is a *DamageError about a journal that has changed, and an
// *OlderError about a folder of an earlier release.
func Open(dir string, now func() time.Time) (*Journal, error) {
	if _, err := Exists(dir); err != nil {
		return nil, err
	}
	if err := files.MkdirPrivate(dir); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	j := &Journal{dir: dir, now: now}
	return j, j.locked(func(*os.File) error { return nil })
}

// Head returns the number of lines on disk and the SHA-256 of the last one, for [CheckHead].
func (j *Journal) Head() []byte {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append(binary.BigEndian.AppendUint64(nil, uint64(j.state.Lines)), j.state.Head[:]...)
}

// CheckHead returns a *DamageError unless the journal of a folder has a head that [Journal.Head] has
// returned, with or without lines after it. Otherwise it has lost its end, or it is an older copy.
func CheckHead(dir string, head []byte) error {
	path := filepath.Join(dir, File)
	if len(head) != 8+sha256.Size {
		return &DamageError{path, fmt.Errorf("want a head of %d bytes in state.db, got %d", 8+sha256.Size, len(head))}
	}
	lines, want := binary.BigEndian.Uint64(head), hex.EncodeToString(head[8:])
	got := want
	s, err := Check(dir, func(l Line) {
		if uint64(l.Number) == lines+1 {
			got = l.Previous
		}
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s = &State{}
	case err != nil:
		return err
	}
	if uint64(s.Lines) == lines {
		got = hex.EncodeToString(s.Head[:])
	}
	if uint64(s.Lines) < lines || got != want {
		return &DamageError{path, fmt.Errorf("want %d lines up to the one with digest %s, as state.db has it, got %d lines: its end is gone, or it is an older copy", lines, short(want), s.Lines)}
	}
	return nil
}

// note appends an event to the pending ones. The caller holds the mutex.
func (j *Journal) note(l Line) error {
	l.At = j.now().UTC()
	if _, err := l.encode(); err != nil {
		return fmt.Errorf("journal: %s: %w", l.Event, err)
	}
	j.pending = append(j.pending, l)
	j.view.add(l)
	return nil
}

// Flush writes all events to disk. After an error they stay pending.
func (j *Journal) Flush() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.flush()
}

func (j *Journal) flush() error {
	if len(j.pending) == 0 {
		return nil
	}
	return j.locked(func(f *os.File) error {
		if err := j.write(f, j.pending); err != nil {
			return err
		}
		j.pending, j.flushed = nil, j.now()
		return nil
	})
}

// write writes lines at the end of the file. After an error it removes what the attempt has
// written.
func (j *Journal) write(f *os.File, lines []Line) error {
	next := j.state
	var text []byte
	for _, l := range lines {
		line, err := next.append(l)
		if err != nil {
			return fmt.Errorf("journal: %s: %w", l.Event, err)
		}
		text = append(text, line...)
	}
	_, err := f.WriteAt(text, j.state.Size)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return fmt.Errorf("journal: %w", errors.Join(err, f.Truncate(j.state.Size)))
	}
	j.state = next
	return nil
}

// locked calls change while it holds the lock on the file, after reading what other processes
// have appended. The caller holds the mutex, or is the only user.
func (j *Journal) locked(change func(*os.File) error) error {
	path := filepath.Join(j.dir, File)
	_, missing := os.Stat(path)
	unlock, err := files.Lock(path)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	defer unlock()
	f, err := os.OpenFile(path, os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	defer f.Close()
	if errors.Is(missing, fs.ErrNotExist) {
		if err := errors.Join(files.Restrict(path), files.SyncDir(j.dir)); err != nil {
			return fmt.Errorf("journal: %w", err)
		}
	}
	if err := j.follow(f, path); err != nil {
		return err
	}
	if err := j.mend(f); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return change(f)
}

// follow reads what other processes have appended.
func (j *Journal) follow(f *os.File, path string) error {
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if info.Size() < j.state.Size {
		return &DamageError{path, &Damage{j.state.Lines, "this line, or a line before it, is gone"}}
	}
	j.state.Torn = nil
	if err := j.state.Read(io.NewSectionReader(f, j.state.Size, info.Size()-j.state.Size), j.view.add); err != nil {
		if _, damaged := errors.AsType[*Damage](err); damaged {
			return &DamageError{path, err}
		}
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// mend copies an incomplete line to its own file, and overwrites it with a line that records
// this. If the process is killed before that, the journal is unchanged, and the next process does
// the same again. The digest in the file's name distinguishes it from the files of other journals.
func (j *Journal) mend(f *os.File) error {
	torn := j.state.Torn
	if len(torn) == 0 {
		return nil
	}
	digest := sha256.Sum256(torn)
	name := fmt.Sprintf("journal-torn-%d-%x.log", j.state.Lines+1, digest[:4])
	if err := files.WriteBytes(filepath.Join(j.dir, name), 0o600, torn); err != nil {
		return err
	}
	next := j.state
	next.Torn = nil
	line, err := next.append(Line{At: j.now().UTC(), Event: Torn, File: name, Count: len(torn), Digest: hex.EncodeToString(digest[:])})
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(line, j.state.Size); err != nil {
		return err
	}
	if err := errors.Join(f.Truncate(next.Size), f.Sync()); err != nil {
		return err
	}
	j.state = next
	return nil
}

// Check reads the journal of a folder without changing it, and passes each line to f. If there is
// none, it returns an error of type *fs.PathError, or an *OlderError.
func Check(dir string, f func(Line)) (*State, error) {
	if _, err := Exists(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, File)
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	if unlock, err := files.Lock(path); err == nil { // otherwise nobody can write either
		defer unlock()
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := &State{}
	if err := s.Read(bytes.NewReader(content), f); err != nil {
		return nil, &DamageError{path, err}
	}
	return s, nil
}
