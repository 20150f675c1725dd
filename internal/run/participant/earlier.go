package participant

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

// Results returns the names of the files that a run writes into a participant's folder.
func Results() []string {
	return []string{ModelFile, model.OwnFile, model.LocalFile, ResultFile, report.RoundsFile}
}

// keptPrefix begins the names of folders with the results of earlier runs.
const keptPrefix = "run-"

// FolderOf returns the participant's folder for a model file in it, or in the folder of an earlier run
// in it. Releases of all of them count together.
func FolderOf(file string) string {
	dir := filepath.Dir(file)
	above := filepath.Dir(filepath.Clean(dir))
	if there, err := journal.Exists(above); err == nil && there && strings.HasPrefix(filepath.Base(dir), keptPrefix) {
		return above
	}
	return dir
}

// keepEarlier copies the results of an earlier run in the folder dir to a folder of that run in it,
// before a run with the given identity replaces them. It returns that folder, "" if there is no
// earlier model. The originals stay in place, so that scoring always finds a model.
//
// The folder appears complete or not at all, and is never written again: a process that resumes the
// run may find a new model beside an old result.
func keepEarlier(dir, run string) (kept string, err error) {
	info, err := os.Stat(filepath.Join(dir, ModelFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	name := info.ModTime().UTC().Format("20060102T150405Z") // of a model without a result that names its run
	switch earlier := runOf(dir); {
	case earlier == run:
		return "", nil
	case earlier != "":
		name = earlier[:16]
	}
	name = keptPrefix + name
	kept = filepath.Join(dir, name)
	if _, err := os.Stat(kept); err == nil {
		return kept, nil
	}
	part := filepath.Join(dir, "."+name)
	if err := os.RemoveAll(part); err != nil {
		return "", err
	}
	for _, f := range Results() {
		if err := files.Copy(filepath.Join(part, f), filepath.Join(dir, f)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	if err := os.Rename(part, kept); err != nil {
		return "", err
	}
	return kept, files.SyncDir(dir)
}

// runOf returns the identity of the run whose result is in a folder, "" if it is not known.
func runOf(dir string) string {
	var result struct {
		Run string `json:"run"`
	}
	b, err := os.ReadFile(filepath.Join(dir, ResultFile))
	if err != nil || json.Unmarshal(b, &result) != nil {
		return ""
	}
	if id, err := hex.DecodeString(result.Run); err != nil || len(id) != 32 { // it becomes part of a path
		return ""
	}
	return result.Run
}
