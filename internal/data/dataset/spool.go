package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/collabdict/collabdict/internal/files"
)

// A spool keeps bytes that a source gives only once, or slowly: in memory up to a bound, and
// beyond it in a private file in a folder, without a name so that it vanishes with the process.
// Bytes are added by several goroutines, and read when all are there.
type spool struct {
	dir  string // "" for no file
	most int64  // bytes in memory

	mu   sync.Mutex
	size int64
	held bytes.Buffer // the bytes, unless they are in disk
	disk *os.File
	room int64 // size up to which the disk has room
	// err is why the spool keeps nothing.
	err error
}

const (
	// spoolPattern matches the files of spools in a folder.
	spoolPattern = ".rows-*.tmp"
	// roomAtOnce is the number of bytes for which a spool asks the disk at a time.
	roomAtOnce = 64 << 20
)

// spared is the number of bytes that a spool leaves free on its disk, for the rest of the run.
var spared uint64 = 256 << 20

// errBeyond is the error of a spool that has no folder.
var errBeyond = errors.New("more bytes than a spool keeps in memory")

// newSpool returns a spool with an eighth of Memory, and with a file in Folder if there is one.
func (s *Spec) newSpool() *spool { return &spool{dir: s.Folder, most: (s.Memory + 7) / 8} }

// add appends values and returns where they begin.
func (s *spool) add(values []float64) (offset int64, err error) {
	b := make([]byte, 0, 8*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return s.addBytes(b)
}

// addBytes appends bytes and returns where they begin. After an error, the spool has given its
// memory and disk space back, and keeps nothing.
func (s *spool) addBytes(p []byte) (offset int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		if s.err = s.write(p); s.err != nil {
			s.close()
		}
	}
	if s.err != nil {
		return 0, s.err
	}
	s.size += int64(len(p))
	return s.size - int64(len(p)), nil
}

func (s *spool) write(p []byte) error {
	size := s.size + int64(len(p))
	if s.disk == nil && size <= s.most {
		s.held.Write(p)
		return nil
	}
	if s.dir == "" {
		return errBeyond
	}
	if size > s.room {
		if err := os.MkdirAll(s.dir, 0o700); err != nil {
			return err
		}
		s.room = size + roomAtOnce
		more := s.room
		if s.disk != nil {
			more -= s.size
		}
		if free, err := files.Free(s.dir); err == nil && free < spared+uint64(more) {
			return files.ErrFull
		}
	}
	if s.disk == nil {
		if err := s.spill(); err != nil {
			return err
		}
	}
	_, err := s.disk.Write(p)
	return err
}

// spill moves the bytes in memory to a file. It first removes files of processes that were
// killed between creating and unlinking one.
func (s *spool) spill() (err error) {
	left, err := filepath.Glob(filepath.Join(globEscaped(s.dir), spoolPattern))
	if err != nil {
		return err
	}
	for _, path := range left {
		_ = os.Remove(path) // removing a file in use may fail
	}
	if s.disk, err = vanishingFile(s.dir); err != nil {
		return err
	}
	_, err = s.disk.Write(s.held.Bytes())
	s.held = bytes.Buffer{}
	return err
}

// globEscaped returns a pattern that matches only the given path.
func globEscaped(path string) string {
	if filepath.Separator == '\\' { // this system cannot escape patterns
		return path
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// ReadAt implements io.ReaderAt.
func (s *spool) ReadAt(p []byte, offset int64) (int, error) {
	if s.disk != nil {
		return s.disk.ReadAt(p, offset)
	}
	return bytes.NewReader(s.held.Bytes()).ReadAt(p, offset)
}

// pieces holds buffers for bytes on their way to numbers.
var pieces = sync.Pool{New: func() any { return new([1 << 15]byte) }}

// read fills x with values, from the given place on.
func (s *spool) read(x []float64, offset int64) error {
	piece := pieces.Get().(*[1 << 15]byte)
	defer pieces.Put(piece)
	for len(x) > 0 {
		n := min(len(x), len(piece)/8)
		if got, err := s.ReadAt(piece[:8*n], offset); got < 8*n {
			return fmt.Errorf("read the copy of rows in %s: %w", s.dir, err)
		}
		for i := range n {
			x[i] = math.Float64frombits(binary.LittleEndian.Uint64(piece[8*i:]))
		}
		x, offset = x[n:], offset+int64(8*n)
	}
	return nil
}

// close frees memory and disk space.
func (s *spool) close() {
	s.held = bytes.Buffer{}
	if s.disk != nil {
		s.disk.Close()
		s.disk = nil
	}
}

// fault returns the error for a source that the spool cannot keep and that cannot be read again.
func (s *spool) fault(name string) error {
	if files.IsFull(s.err) {
		return fmt.Errorf("%s: keep rows in %s: %w", name, s.dir, s.err)
	}
	err := s.err
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return &Error{File: name, Msg: fmt.Sprintf("rows cannot be kept in %s: %v", s.dir, err), Hint: "allow more --memory, or save them in a file"}
}
