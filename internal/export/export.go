package export

import "fmt"

// A File is a model in a form for others.
type File struct {
	Bytes    []byte
	Contents []Entry
	Warnings []string
	Private  bool // whether a part is this participant's own; only its owner should be able to read the file
}

// An Entry describes a part of a file.
type Entry struct {
	Name string `json:"name"` // that of the arrays, nodes or keys
	Of   Owner  `json:"of"`   // all, or own if it describes this participant alone
	What string `json:"what"` // its meaning
}

// An Owner says whose data a part describes.
type Owner string

// Owners.
const (
	All Owner = "all" // the same at all participants
	Own Owner = "own" // this participant's own, unknown to others
)

// KindError reports a kind of model that a form does not support.
type KindError struct{ Kind, Form string }

func (e *KindError) Error() string {
	return fmt.Sprintf("a model of kind %s cannot be written as %s", e.Kind, e.Form)
}

// own is the manifest's value for columns scaled by the participant's own rows.
const own = "own"

// list adds an entry. A file with an entry of its own is private.
func (f *File) list(name string, of Owner, format string, args ...any) {
	f.Private = f.Private || of == Own
	f.Contents = append(f.Contents, Entry{name, of, fmt.Sprintf(format, args...)})
}

// scaling lists how columns are scaled.
func (f *File) scaling(c Columns) {
	what := "mean and standard deviation"
	switch c.Normalise {
	case "minmax":
		what = "smallest value and range"
	case "robust":
		what = "median, and interquartile range over 1.349,"
	}
	switch c.Standardise {
	case own:
		f.list("shift, scale", Own, "%s of each column of its own rows", what)
	case "global":
		f.list("shift, scale", All, "%s of each column over all rows", what)
	case "agreed":
		f.list("shift, scale", All, "the agreed ranges")
	default:
		f.list("shift, scale", All, "0 and 1: columns are as they are")
	}
}

// axes lists the principal axes, if the model has any.
func (f *File) axes(c Columns) {
	if c.Projection != nil {
		f.list("centre, axes", All, "the %d principal axes of all rows", c.dim())
	}
}
