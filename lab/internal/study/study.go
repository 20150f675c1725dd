// Package study repeats experiments of published papers on the user's data. An experiment is
// cells of a grid, each computed once and kept in a journal, then tables and charts beside the
// published numbers.
//
// Start reading at Study and Run; the studies are in the packages below.
package study

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/collabdict/collabdict/internal/plots"
)

// Study is an experiment that can be repeated.
type Study struct {
	Name  string
	About string // in one line
	// Version changes whenever cells of an older program would differ in meaning.
	Version int
	// Needs lists the files required in the data folder.
	Needs []string
	Run   func(ctx context.Context, l *Lab) error
}

// Lab is the environment of a study.
type Lab struct {
	Quick   bool                             // a smaller version, to see that everything works
	Note    func(format string, args ...any) // reports progress
	data    string
	out     string
	cells   *journal
	Tables  []Table
	Figures []string // files
}

// Run runs a study on the files of a folder and writes into another. If it was stopped before,
// with the same out, it resumes with the missing cells.
func Run(ctx context.Context, s Study, data, out string, quick bool, note func(format string, args ...any)) (*Lab, error) {
	for _, name := range s.Needs {
		if _, err := os.Stat(filepath.Join(data, name)); err != nil {
			return nil, &Error{fmt.Sprintf("the experiment %s needs %s in the folder %s", s.Name, name, data)}
		}
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return nil, err
	}
	cells, err := openJournal(filepath.Join(out, s.Name+".cells.jsonl"), identity{s.Name, s.Version, quick})
	if err != nil {
		return nil, err
	}
	defer cells.close()
	l := &Lab{Quick: quick, Note: note, data: data, out: out, cells: cells}
	if n := len(cells.done); n > 0 {
		note("%d cells are there from before", n)
	}
	return l, s.Run(ctx, l)
}

// Error is the error of a study that cannot be run as requested.
type Error struct{ msg string }

func (e *Error) Error() string { return e.msg }

// Wrong returns an error for an invalid command line or plan.
func Wrong(msg string) error { return &Error{msg} }

// Path returns the path of a file in the data folder; name has slashes.
func (l *Lab) Path(name string) string { return filepath.Join(l.data, filepath.FromSlash(name)) }

// Out returns the path of a file that a study keeps beside its cells; name has slashes.
func (l *Lab) Out(name string) string { return filepath.Join(l.out, filepath.FromSlash(name)) }

// Cell returns the value of a cell of the grid. It computes the cell if it is not in the
// journal. The key identifies the cell permanently.
func Cell[T any](ctx context.Context, l *Lab, key string, compute func(ctx context.Context) (T, error)) (v T, err error) {
	if found, err := l.cells.get(key, &v); found || err != nil {
		return v, err
	}
	if err := ctx.Err(); err != nil {
		return v, err
	}
	l.Note("%s", key)
	if v, err = compute(ctx); err != nil {
		return v, fmt.Errorf("%s: %w", key, err)
	}
	return v, l.cells.put(key, v)
}

// Table is rows of text under a header, as in its CSV file.
type Table struct {
	Name   string     `json:"name"`
	File   string     `json:"file"`
	Header []string   `json:"header"`
	Rows   [][]string `json:"rows"`
}

// Table writes a table as NAME.csv.
func (l *Lab) Table(name string, header []string, rows [][]string) error {
	t := Table{Name: name, File: filepath.Join(l.out, name+".csv"), Header: header, Rows: rows}
	if err := t.write(); err != nil {
		return err
	}
	l.Tables = append(l.Tables, t)
	return nil
}

// Chart draws a chart as NAME.svg and NAME.png.
func (l *Lab) Chart(c plots.Chart) error { return l.draw(c.Name, c) }

// Fields draws fields as NAME.svg and NAME.png.
func (l *Lab) Fields(f plots.Fields) error { return l.draw(f.Name, f) }

func (l *Lab) draw(name string, p plots.Picture) error {
	err := plots.Draw(l.out, p)
	if err == nil {
		l.Figures = append(l.Figures, filepath.Join(l.out, name+".svg"), filepath.Join(l.out, name+".png"))
	}
	return err
}

// Find returns the study with the given name.
func Find(all []Study, name string) (Study, error) {
	var names []string
	for _, s := range all {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Study{}, &Error{fmt.Sprintf("want an experiment of %s, got %q", strings.Join(names, ", "), name)}
}
