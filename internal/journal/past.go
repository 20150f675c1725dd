package journal

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/collabdict/collabdict/internal/files"
)

// keyFile is the file in a participant's folder with the key of the digests of its rows.
const keyFile = "runs.key"

// A KeyError reports that the key of the digests of rows is missing or damaged.
type KeyError struct {
	Path string
	Got  string
}

func (e *KeyError) Error() string {
	return fmt.Sprintf("%s: want the key of the digests of rows in %s, %d bytes, got %s; restore it, or put an empty file there: the program then forgets which rows earlier runs had, and does not warn about them",
		e.Path, File, sha256.Size, e.Got)
}

// Past is the past runs of a participant, the last one at the end, and the key of their digests of
// rows.
type Past struct {
	runs []run
	key  []byte
}

// Past returns the runs in the journal. In a folder without a run, it draws the key. The error about
// a key that is missing later is a *KeyError.
func (j *Journal) Past() (*Past, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	p := &Past{runs: slices.Clone(j.view.runs)}
	path := filepath.Join(j.dir, keyFile)
	var err error
	p.key, err = os.ReadFile(path)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !missing:
		return nil, err
	case len(p.key) == sha256.Size:
		return p, nil
	case missing && len(p.runs) > 0:
		return nil, &KeyError{path, "no file"}
	case len(p.key) > 0:
		return nil, &KeyError{path, fmt.Sprintf("%d bytes", len(p.key))}
	}
	p.key = make([]byte, sha256.Size)
	if _, err := rand.Read(p.key); err != nil {
		return nil, err
	}
	return p, files.WriteBytes(path, 0o600, p.key)
}

// Key returns a digest of the key, which tells it from others.
func (p *Past) Key() string {
	digest := sha256.Sum256(append([]byte("collabdict/runs.key/1"), p.key...))
	return hex.EncodeToString(digest[:])
}

// find returns a run, or nil.
func (p *Past) find(id string) *run {
	if i := slices.IndexFunc(p.runs, func(r run) bool { return r.id == id }); i >= 0 {
		return &p.runs[i]
	}
	return nil
}

// before returns the run before another, nil if there is none. A run that is not in the journal
// counts as the next one.
func (p *Past) before(id string) *run {
	i := slices.IndexFunc(p.runs, func(r run) bool { return r.id == id })
	if i < 0 {
		i = len(p.runs)
	}
	if i == 0 {
		return nil
	}
	return &p.runs[i-1]
}
