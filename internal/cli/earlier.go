package cli

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
)

// earlier holds the result files, by path, that existed before a run that writes files of the
// same names. They stay until the run has written its own, and must not be mistaken for them.
type earlier map[string]fs.FileInfo

// earlierIn returns the given files that exist in a folder.
func earlierIn(dir string, files ...string) earlier {
	e := earlier{}
	for _, f := range files {
		path := filepath.Join(dir, f)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			e[path] = info
		}
	}
	return e
}

// inFolders returns the paths of the files in each of the folders.
func inFolders(names []string, files ...string) []string {
	var paths []string
	for _, name := range names {
		for _, f := range files {
			paths = append(paths, filepath.Join(name, f))
		}
	}
	return paths
}

// keep returns an error if one of the files to read would be overwritten.
func (e earlier) keep(files []string) error {
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			continue // reading it tells
		}
		for _, path := range slices.Sorted(maps.Keys(e)) {
			if os.SameFile(info, e[path]) {
				return &usageError{errors.New(path + " is an input that the results would overwrite"), "name another folder for the results"}
			}
		}
	}
	return nil
}

// refuse returns an error if a folder has files of an earlier run.
func (e earlier) refuse(dir string) error {
	if len(e) == 0 {
		return nil
	}
	return &flagError{"out", dir + " has the results of an earlier run", "name another folder, so that collabdict compare can compare both; --replace deletes the earlier ones"}
}

// addReplace adds the flag --replace.
func addReplace(cmd *cobra.Command, replace *bool) {
	cmd.Flags().BoolVar(replace, "replace", false, "replace the results of an earlier run in --out, and give up an unfinished one")
}

// left returns the files that the run has not replaced, in order.
func (e earlier) left() []string {
	var paths []string
	for _, path := range slices.Sorted(maps.Keys(e)) {
		now, err := os.Stat(path)
		if err == nil && os.SameFile(now, e[path]) && now.ModTime().Equal(e[path].ModTime()) {
			paths = append(paths, path)
		}
	}
	return paths
}

// remove deletes the files that the run has not replaced, once its result is complete.
func (e earlier) remove() error {
	var errs []error
	for _, path := range e.left() {
		errs = append(errs, os.Remove(path))
	}
	return errors.Join(errs...)
}

// noteEarlier lists the files that a failed run has not replaced.
func (a *app) noteEarlier(e earlier) {
	if left := e.left(); len(left) > 0 {
		a.note("files of an earlier run were kept: %s", listed(left))
	}
}
