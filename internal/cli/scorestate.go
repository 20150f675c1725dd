package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/run/local"
)

const stateFormat = "collabdict score state"

// scoreState is what score remembers of a series from one call to the next.
type scoreState struct {
	Format  string         `json:"format"` // "collabdict score state"
	Version int            `json:"version"`
	Model   string         `json:"model"` // SHA-256 of the model's file
	Series  dataset.Series `json:"series"`
	// Scores are the last ones of a rolling threshold, in their shortest form, as some may be
	// infinite.
	Scores []string `json:"scores,omitempty"`
}

// holdState keeps other processes from the state in a file until release is called.
func holdState(path string) (release func(), err error) {
	if err := files.MkdirPrivate(filepath.Dir(path)); err != nil {
		return nil, err
	}
	lock := path + ".lock" // the file itself is replaced
	unlock, err := files.TryLock(lock)
	if errors.Is(err, files.ErrHeld) {
		return nil, &flagError{"state", path + " is in use by another process", "wait until that has ended, or name another file"}
	}
	if err != nil {
		return nil, err
	}
	return func() {
		_ = os.Remove(lock) // not after unlocking, when another process may hold it
		unlock()
	}, nil
}

// readState reads the state of a series scored by a model, or begins one if there is no file.
func readState(path, modelFile string) (*scoreState, error) {
	b, err := os.ReadFile(modelFile)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(b)
	s := &scoreState{Format: stateFormat, Version: 1, Model: hex.EncodeToString(digest[:])}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	var was scoreState
	if err := files.DecodeJSON(text, "state of score", &was); err != nil {
		return nil, &flagError{"state", fmt.Sprintf("%s: %v", path, err), "name another file, or remove it to begin anew"}
	}
	switch {
	case was.Format != s.Format || was.Version != s.Version:
		return nil, &flagError{"state", fmt.Sprintf("%s: want format %q of version %d, got %q of version %d", path, s.Format, s.Version, was.Format, was.Version), "name another file"}
	case was.Model != s.Model:
		return nil, &flagError{"state", path + " is of a series scored by another model", "name another file, or remove it to begin anew"}
	}
	for _, text := range was.Scores {
		if _, err := strconv.ParseFloat(text, 64); err != nil {
			return nil, &flagError{"state", fmt.Sprintf("%s: scores: want numbers, got %q", path, text), "name another file, or remove it to begin anew"}
		}
	}
	return &was, nil
}

// resume continues the series.
func (s *scoreState) resume(spec *dataset.Spec, limits *local.Threshold) {
	spec.Series = &s.Series
	for _, text := range s.Scores {
		v, _ := strconv.ParseFloat(text, 64) // readState has checked it
		limits.Above(v)
	}
}

// keep records the scores that the threshold of the next row follows from.
func (s *scoreState) keep(limits *local.Threshold) {
	s.Scores = nil
	for _, v := range limits.Recent() {
		s.Scores = append(s.Scores, strconv.FormatFloat(v, 'g', -1, 64))
	}
}
