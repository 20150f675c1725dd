package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Resolve returns the data files of paths, folders and globs, in the order given.
func Resolve(data []string) ([]string, error) {
	if len(data) == 0 {
		return nil, &Error{Msg: "no data given; " + fileForms}
	}
	var files []string
	seen := make(map[string]bool)
	for _, d := range data {
		found, _, err := resolve(d)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			if seen[filepath.Clean(f)] {
				return nil, &Error{File: f, Msg: "the file is given twice"}
			}
			seen[filepath.Clean(f)] = true
		}
		files = append(files, found...)
	}
	return files, nil
}

// resolve returns the data files of a path, and those in a folder or of a pattern that may be others, and would count
// if they were named.
func resolve(path string) (files, others []string, err error) {
	if path == "-" {
		return []string{StandardInput}, nil, nil
	}
	if IsDatabase(path) {
		return nil, nil, &Error{
			Msg:  "want a file, got the address of a database: other users of this machine can see it, and a password in it, in the list of processes",
			Hint: "write the query into a .sql file, and say where the database is by PGHOST, PGDATABASE and PGUSER or a service file; if the address had a password, change it",
		}
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return inFolder(path)
	case err == nil && !isData(path, true):
		return nil, nil, unknown(path)
	case err == nil:
		return []string{path}, nil, nil
	case strings.ContainsAny(path, "*?["):
		return matching(path)
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, &Error{File: path, Msg: "no such file or folder", Hint: spelling(path)}
	default:
		return nil, nil, fileError(path, err)
	}
}

func inFolder(path string) (files, others []string, err error) {
	entries, err := os.ReadDir(path) // sorted by name
	if err != nil {
		return nil, nil, fileError(path, err)
	}
	var found []string
	for _, e := range entries {
		if !e.IsDir() {
			found = append(found, filepath.Join(path, e.Name()))
		}
	}
	return dataAmong(found, path, "no data file in this folder")
}

// dataAmong returns the data files among those found at a place. Files that may be others count if there is no other
// kind; none is what to say if there is no data file.
func dataAmong(found []string, at, none string) (files, others []string, err error) {
	all := true
	for _, f := range found {
		switch {
		case strings.HasPrefix(filepath.Base(f), "."):
		case isData(f, false):
			files = append(files, f)
		case isData(f, true):
			others = append(others, f)
		default:
			all = false
		}
	}
	switch {
	case files != nil:
		return files, others, nil
	case others != nil && all:
		return others, nil, nil
	case others != nil:
		return nil, nil, &Error{File: at, Msg: "files there may be of any kind: " + listed(bases(others)), Hint: "name those with rows"}
	}
	return nil, nil, &Error{File: at, Msg: none + "; " + fileForms}
}

// Aside has a line for each folder or pattern in data with files that are left out, but would count if they were
// named.
func Aside(data []string) (lines []string) {
	for _, path := range data {
		if _, others, err := resolve(path); err == nil && others != nil {
			lines = append(lines, fmt.Sprintf("%s: left out, because they may be no data files: %s; name them to use them", path, listed(bases(others))))
		}
	}
	return lines
}

// bases returns the names of files without their folders.
func bases(files []string) (names []string) {
	for _, f := range files {
		names = append(names, filepath.Base(f))
	}
	return names
}

func matching(pattern string) (files, others []string, err error) {
	found, err := filepath.Glob(pattern)
	if err != nil {
		return nil, nil, &Error{File: pattern, Msg: "the pattern is malformed", Hint: "close every [ with a ]"}
	}
	if hint := spelling(pattern); hint != "" && found == nil {
		return nil, nil, &Error{File: pattern, Msg: "the pattern matches no file", Hint: hint}
	}
	if kind := filepath.Ext(pattern); kind != "" && !strings.ContainsAny(kind, "*?[") { // it is named
		files = slices.DeleteFunc(found, func(f string) bool { return !isData(f, true) })
		if len(files) > 0 {
			return files, nil, nil
		}
	}
	return dataAmong(found, pattern, "the pattern matches no data file")
}

// spelling says what is unusual in the name of a file that does not exist, "" for nothing.
func spelling(path string) string {
	switch {
	case strings.IndexAny(path, "\"'“”‘’„`") == 0:
		return "leave out the quotes that are part of the name"
	case strings.Contains(path, `\`) && filepath.Separator == '/':
		return `write / in place of \`
	}
	return ""
}

// isData reports whether a name has an ending of data files. Some endings count only if somebody has
// named them. Hidden files do not count: file managers leave them beside real ones.
func isData(path string, named bool) bool {
	f := formatOf(path)
	if f == nil || strings.HasPrefix(filepath.Base(path), ".") {
		return false
	}
	return named || slices.ContainsFunc(f.endings, func(e string) bool { return strings.EqualFold(e, f.ending(path)) })
}

// stem returns the file name without the ending of data files.
func stem(path string) string {
	name := filepath.Base(path)
	if f := formatOf(path); f != nil {
		return strings.TrimSuffix(name, f.ending(path))
	}
	return name
}

// Files resolves Data, without standard input, and adds label files that belong to images.
func (s Spec) Files() ([]string, error) {
	files, err := Resolve(s.Data)
	files = slices.DeleteFunc(files, func(f string) bool { return f == StandardInput })
	for _, f := range files {
		if labels := labelsBeside(f); idxFormat.fits(f) && labels != "" {
			files = append(files, labels)
		}
	}
	return files, err
}

// FilesByName resolves Data and returns each file under its participant's name, as in a split
// by file.
func (s Spec) FilesByName() (map[string]string, error) {
	files, err := Resolve(s.Data)
	if err != nil {
		return nil, err
	}
	byName := make(map[string]string, len(files))
	for _, f := range files {
		byName[stem(f)] = f
	}
	return byName, nil
}

// IgnoredIn returns the ignored columns that a file has. If each participant has its own file,
// a file need not have all.
func (s Spec) IgnoredIn(path string) ([]string, error) {
	var header []string
	if from, ok := s.once[path]; ok && from.header != nil {
		header = from.header
	} else {
		t, err := s.open(path, nil)
		if err != nil {
			return nil, err
		}
		defer t.close()
		header = t.header()
	}
	return slices.DeleteFunc(trimmed(s.Ignore), func(name string) bool { return !slices.Contains(header, name) }), nil
}
