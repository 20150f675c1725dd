package follow

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A Place is where a reader of a file has stopped. The file is known by what was read, not by its number in a
// file system: that may be given again, and not all systems have one.
type Place struct {
	Bytes  int64  `json:"bytes"`  // that were read, at least
	Digest string `json:"digest"` // SHA-256 of these
	Rows   int    `json:"rows"`   // that were used: the next one follows
	Header string `json:"header"` // the first line, which holds for files without one that follow
}

// Check reports a place that no reader has left.
func (p *Place) Check() error {
	if digest, err := hex.DecodeString(p.Digest); err != nil || len(digest) != sha256.Size || p.Bytes < 0 || p.Rows < 0 {
		return fmt.Errorf("want a digest and numbers of bytes and rows, got %q, %d and %d", p.Digest, p.Bytes, p.Rows)
	}
	return nil
}

// in reports whether a file begins with what was read.
func (p *Place) in(f io.ReaderAt) (bool, error) {
	sum := sha256.New()
	n, err := io.Copy(sum, io.NewSectionReader(f, 0, p.Bytes))
	return err == nil && n == p.Bytes && hex.EncodeToString(sum.Sum(nil)) == p.Digest, err
}

// find opens the file that the place is in: that of a path, or one that was renamed from it or copied from it,
// whose name then begins with the same. It returns nil if there is none.
func (p *Place) find(path string) (*os.File, error) {
	names := []string{path}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(path)) && e.Name() != filepath.Base(path) && e.Type().IsRegular() {
			names = append(names, filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
	for _, name := range names {
		f, err := os.Open(name)
		if errors.Is(err, os.ErrNotExist) || err != nil && name != path { // another reader may not be allowed to
			continue
		}
		if err != nil {
			return nil, err
		}
		is, err := p.in(f)
		if is {
			return f, nil
		}
		f.Close()
		if err != nil && name == path {
			return nil, err
		}
	}
	return nil, nil
}
