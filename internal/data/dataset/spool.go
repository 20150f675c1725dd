package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/collabdict/collabdict/internal/files"
)

// A spool holds the bytes of a source that can be read only once, CSV or JSON lines. It takes
// the place of a file that can be read repeatedly. It implements fs.FileInfo, by which
// [openFile] finds its bytes.
type spool struct {
	name    string // in messages
	objects bool   // not CSV
	// columns of a query result, nil for other sources
	columns []kind

	io.ReaderAt // the bytes, after done
	size        int64

	held bytes.Buffer // the bytes, unless they are in disk
	most int64        // most bytes in memory; 0 for no limit
	dir  string       // of disk
	disk *os.File
}

// spoolPattern matches the files of spools in a folder.
const spoolPattern = ".rows-*.tmp"

// Write adds bytes. Beyond the limit, all bytes go to a private file that vanishes when the
// process ends.
func (s *spool) Write(p []byte) (int, error) {
	s.size += int64(len(p))
	if s.disk == nil && s.most > 0 && s.size > s.most {
		if err := s.spill(); err != nil {
			return 0, s.writeError(err)
		}
	}
	if s.disk == nil {
		return s.held.Write(p)
	}
	n, err := s.disk.Write(p)
	if err != nil {
		err = s.writeError(err)
	}
	return n, err
}

// spill moves the bytes in memory to a file. It first removes files of processes that were
// killed between creating and unlinking one.
func (s *spool) spill() (err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	left, err := filepath.Glob(filepath.Join(globEscaped(s.dir), spoolPattern))
	if err != nil {
		return err
	}
	for _, path := range left {
		_ = os.Remove(path) // removing a file in use may fail
	}
	if s.disk, err = vanishingFile(s.dir, spoolPattern); err != nil {
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

func (s *spool) writeError(err error) error {
	if files.IsFull(err) {
		return fmt.Errorf("%s: keep rows in %s: %w", s.name, s.dir, err)
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return &Error{File: s.name, Msg: fmt.Sprintf("rows cannot be kept in %s: %v", s.dir, err), Hint: "allow more --memory, or save them in a file"}
}

// done ends writing and makes the bytes readable.
func (s *spool) done() {
	if s.disk != nil {
		s.ReaderAt = s.disk
		return
	}
	s.ReaderAt = bytes.NewReader(s.held.Bytes())
}

// open opens the source as a table.
func (s *spool) open(set CSV) (table, error) {
	if s.objects {
		return opener(openNDJSON)(s.name, s)
	}
	if s.columns == nil {
		return csvTable(s.name, s, &set)
	}
	t, err := openCSV(s.name, s, nil)
	if err != nil {
		return nil, err
	}
	return &resultTable{csvFile: t, columns: s.columns}, nil
}

// These methods implement fs.FileInfo and the reading that [file] needs.
func (s *spool) Name() string               { return s.name }
func (s *spool) Size() int64                { return s.size }
func (s *spool) Mode() fs.FileMode          { return 0o600 }
func (s *spool) ModTime() time.Time         { return time.Time{} }
func (s *spool) IsDir() bool                { return false }
func (s *spool) Sys() any                   { return nil }
func (s *spool) Stat() (fs.FileInfo, error) { return s, nil }
func (s *spool) Close() error               { return nil }
