package export

import "fmt"

// File is one that is to be handed on.
type File struct {
	Bytes    []byte
	Contents []Entry
	Warnings []string
	Private  bool // others are to read it only if they are given it
}

// Entry is a part of what a file holds.
type Entry struct {
	Name string `json:"name"`
	Of   Owner  `json:"of"`
	What string `json:"what"`
}

// Owner says whom a part tells of.
type Owner string

// Owners.
const (
	All Owner = "all" // the same at all participants
	Own Owner = "own" // this participant's, which others do not know
)

// KindError is a model of a kind that is not written in a form.
type KindError struct{ Kind, Form string }

func (e *KindError) Error() string {
	return fmt.Sprintf("a model %s is not written as %s", e.Kind, e.Form)
}

// own is how a manifest says that columns are scaled by the own rows.
const own = "own"

// list adds an entry.
func (f *File) list(name string, of Owner, format string, args ...any) {
	f.Contents = append(f.Contents, Entry{name, of, fmt.Sprintf(format, args...)})
}

// scaling lists how columns are scaled.
func (f *File) scaling(c Columns) {
	what := "mean and standard deviation"
	switch c.Normalise {
	case "minmax":
		what = "smallest value and range"
	case "robust":
		what = "median, and distance of the quartiles over 1.349,"
	}
	switch c.Standardise {
	case own:
		f.list("shift, scale", Own, "%s of each column of its own rows", what)
	case "global":
		f.list("shift, scale", All, "%s of each column of the rows of all", what)
	case "agreed":
		f.list("shift, scale", All, "the ranges that were agreed on")
	default:
		f.list("shift, scale", All, "0 and 1: columns are as they are")
	}
}

// axes lists the principal axes, if the model has any.
func (f *File) axes(c Columns) {
	if c.Projection != nil {
		f.list("centre, axes", All, "the %d principal axes of the rows of all", c.dim())
	}
}
