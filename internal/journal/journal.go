package journal

import (
	"bytes"
	"crypto/sha256"
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

const lockFile = "audit.lock"

// flushEvery bounds how long an event is in memory only, and how often the log waits for the
// disk.
const flushEvery = time.Second

// A DamageError reports a file that is not as this program writes it.
type DamageError struct {
	Path string
	Err  error
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("%s: %v; keep the file, and move it away: the next run begins a new one", e.Path, e.Err)
}

func (e *DamageError) Unwrap() error { return e.Err }

// A Log is the audit log of a folder. Its methods are safe for concurrent use.
type Log struct {
	dir string
	now func() time.Time

	mu      sync.Mutex
	state   State
	read    func(Record) // called with lines of other processes
	pending []Record
	flushed time.Time
}

// Open reads the log of a folder, passes each line to f, and completes a log whose last line is
// incomplete. If there is no file, the log is empty.
func Open(dir string, now func() time.Time, f func(Record)) (*Log, error) {
	l := &Log{dir: dir, now: now, read: f}
	return l, l.locked(func(*os.File) error { return nil })
}

// Enter appends an event, and returns when it is on disk.
func (l *Log) Enter(r Record) error {
	l.note(r)
	return l.Flush()
}

// Note appends an event. It is on disk a second later if Flush is called at least that often.
func (l *Log) Note(r Record) error {
	if l.note(r) >= flushEvery {
		return l.Flush()
	}
	return nil
}

// note appends an event, and returns the time since events were last written.
func (l *Log) note(r Record) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	r.At = now.UTC()
	l.pending = append(l.pending, r)
	return now.Sub(l.flushed)
}

// Flush writes all events to disk. After an error they stay pending.
func (l *Log) Flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.pending) == 0 {
		return nil
	}
	return l.locked(func(f *os.File) error {
		next := l.state
		var lines []byte
		for _, r := range l.pending {
			lines = append(lines, next.append(r)...)
		}
		if err := write(f, lines, l.state.Size); err != nil {
			return err
		}
		l.state, l.pending, l.flushed = next, nil, l.now()
		return nil
	})
}

// write writes lines at the end of the file. After an error it removes what the attempt has
// written.
func write(f *os.File, lines []byte, end int64) error {
	_, err := f.WriteAt(lines, end)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, f.Truncate(end))
	}
	return nil
}

// locked calls change while it holds the lock on the file, after reading what other processes
// have appended.
func (l *Log) locked(change func(*os.File) error) error {
	unlock, err := files.Lock(filepath.Join(l.dir, lockFile))
	if err != nil {
		return fmt.Errorf("audit log: %w", err)
	}
	defer unlock()
	path := filepath.Join(l.dir, File)
	_, missing := os.Stat(path)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("audit log: %w", err)
	}
	defer f.Close()
	if errors.Is(missing, fs.ErrNotExist) {
		if err := errors.Join(files.Restrict(path), files.SyncDir(l.dir)); err != nil {
			return fmt.Errorf("audit log: %w", err)
		}
	}
	if err := l.follow(f, path); err != nil {
		return err
	}
	if err := l.mend(f); err != nil {
		return fmt.Errorf("audit log: %w", err)
	}
	if err := change(f); err != nil {
		return fmt.Errorf("audit log: %w", err)
	}
	return nil
}

// follow reads what other processes have appended.
func (l *Log) follow(f *os.File, path string) error {
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("audit log: %w", err)
	}
	if info.Size() < l.state.Size {
		return &DamageError{path, &Damage{l.state.Lines, "this line, or a line before it, is gone"}}
	}
	l.state.Torn = nil
	if err := l.state.Read(io.NewSectionReader(f, l.state.Size, info.Size()-l.state.Size), l.read); err != nil {
		if _, damaged := errors.AsType[*Damage](err); damaged {
			return &DamageError{path, err}
		}
		return fmt.Errorf("audit log: %w", err)
	}
	return nil
}

// mend copies an incomplete line to its own file, and overwrites it with a line that records
// this. If the process is killed before that, the log is unchanged, and the next process does
// the same again. The digest in the file's name distinguishes it from the files of other logs.
func (l *Log) mend(f *os.File) error {
	torn := l.state.Torn
	if len(torn) == 0 {
		return nil
	}
	digest := sha256.Sum256(torn)
	name := fmt.Sprintf("audit-torn-%d-%x.log", l.state.Lines+1, digest[:4])
	if err := files.Write(filepath.Join(l.dir, name), 0o600, func(w io.Writer) error { _, err := w.Write(torn); return err }); err != nil {
		return err
	}
	next := l.state
	next.Torn = nil
	line := next.append(Record{At: l.now().UTC(), Event: Torn, File: name, Count: len(torn), Digest: hex.EncodeToString(digest[:])})
	if _, err := f.WriteAt(line, l.state.Size); err != nil {
		return err
	}
	if err := errors.Join(f.Truncate(next.Size), f.Sync()); err != nil {
		return err
	}
	l.state = next
	return nil
}

// Check reads the log of a folder without changing it, and passes each line to f. If there is
// no file, it returns an error of type *fs.PathError.
func Check(dir string, f func(Record)) (*State, error) {
	path := filepath.Join(dir, File)
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	if unlock, err := files.Lock(filepath.Join(dir, lockFile)); err == nil { // otherwise nobody can write either
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
