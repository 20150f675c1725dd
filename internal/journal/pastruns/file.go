package pastruns

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/collabdict/collabdict/internal/files"
)

// The files in a participant's folder: the list of past runs, and the key of the row digests in
// it.
const (
	File    = "runs.json"
	KeyFile = "runs.key"
)

const (
	version = 1
	most    = 16 // number of runs kept
)

// Member is a member of a run, by its name and its peer ID.
type Member struct {
	Name string `json:"name"`
	ID   string `json:"id"`
}

// DamageError reports that a file is missing, or not as this program writes it.
type DamageError struct {
	Path string
	Err  error
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("%s: %v; if it is lost, remove %s: the program then forgets the past runs of this folder, and does not warn about them", e.Path, e.Err, File)
}

func (e *DamageError) Unwrap() error { return e.Err }

// Run is a record of a run.
type Run struct {
	ID        string   `json:"id"`        // in hexadecimal, as are the next two
	Agreement string   `json:"agreement"` // digest of the settings of the run
	Rows      string   `json:"rows"`      // keyed digest of the own training rows
	Members   []Member `json:"members"`   // by rank, with members that joined later
}

// History holds the past runs of a participant, the last one at the end.
type History struct {
	dir  string
	runs []Run
	key  []byte // key of row digests; on disk if there are runs
}

// contents are the contents of the file.
type contents struct {
	Version int   `json:"version"`
	Runs    []Run `json:"runs"`
}

// Open reads the past runs in a folder. If there is no file, the list is empty and the key is
// new.
func Open(dir string) (*History, error) {
	h := &History{dir: dir}
	path := filepath.Join(dir, File)
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil {
		if h.runs, err = decode(b); err != nil {
			return nil, &DamageError{path, err}
		}
	}
	if h.runs == nil {
		h.key = make([]byte, sha256.Size)
		_, err := rand.Read(h.key)
		return h, err
	}
	path = filepath.Join(dir, KeyFile)
	h.key, err = os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &DamageError{path, fmt.Errorf("want the key of the digests in %s, got no file", File)}
	case err == nil && len(h.key) != sha256.Size:
		return nil, &DamageError{path, fmt.Errorf("want a key of %d bytes, got %d", sha256.Size, len(h.key))}
	}
	return h, err
}

// decode decodes the file strictly.
func decode(b []byte) ([]Run, error) {
	var c contents
	if err := files.DecodeJSON(b, "list of past runs", &c); err != nil {
		return nil, err
	}
	if c.Version != version {
		return nil, fmt.Errorf("want version %d, got %d", version, c.Version)
	}
	if len(c.Runs) > most {
		return nil, fmt.Errorf("want at most %d runs, got %d", most, len(c.Runs))
	}
	if len(c.Runs) == 0 {
		return nil, errors.New("want past runs, got none")
	}
	known := map[string]bool{}
	for i, r := range c.Runs {
		for _, digest := range []string{r.ID, r.Agreement, r.Rows} {
			if raw, err := hex.DecodeString(digest); err != nil || len(raw) != 32 || digest != hex.EncodeToString(raw) {
				return nil, fmt.Errorf("run %d: want digests of 64 hexadecimal digits, got %q", i+1, digest)
			}
		}
		if known[r.ID] {
			return nil, fmt.Errorf("run %d: want each run once, got %s twice", i+1, r.ID)
		}
		known[r.ID] = true
		if err := checkMembers(r.Members); err != nil {
			return nil, fmt.Errorf("run %d: %w", i+1, err)
		}
	}
	return c.Runs, nil
}

func checkMembers(members []Member) error {
	names, ids := map[string]bool{}, map[string]bool{}
	for _, m := range members {
		if m.Name == "" || m.ID == "" || names[m.Name] || ids[m.ID] {
			return fmt.Errorf("want members with a name and an ID of their own, got name %q and ID %q", m.Name, m.ID)
		}
		names[m.Name], ids[m.ID] = true, true
	}
	if len(members) == 0 {
		return errors.New("want its members, got none")
	}
	return nil
}

// Enter records a run, and returns when it is on disk. A run that is already recorded keeps its
// place: it was resumed, or has new members.
func (h *History) Enter(r Run) error {
	if h.runs == nil {
		err := files.Write(filepath.Join(h.dir, KeyFile), 0o600, func(w io.Writer) error { _, err := w.Write(h.key); return err })
		if err != nil {
			return fmt.Errorf("note the run: %w", err)
		}
	}
	runs := slices.Clone(h.runs)
	if i := h.find(r.ID); i >= 0 {
		runs[i] = r
	} else {
		runs = append(runs, r)
	}
	runs = runs[max(0, len(runs)-most):]
	if err := files.WriteJSON(filepath.Join(h.dir, File), contents{version, runs}); err != nil {
		return fmt.Errorf("note the run: %w", err)
	}
	h.runs = runs
	return nil
}

// find returns the index of a run, -1 if it is not recorded.
func (h *History) find(id string) int {
	return slices.IndexFunc(h.runs, func(r Run) bool { return r.ID == id })
}

// before returns the run before another, nil if there is none. A run that is not recorded
// counts as the next one.
func (h *History) before(id string) *Run {
	i := h.find(id)
	if i < 0 {
		i = len(h.runs)
	}
	if i == 0 {
		return nil
	}
	return &h.runs[i-1]
}
