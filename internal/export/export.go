package export

import (
	"fmt"

	"github.com/collabdict/collabdict/model"
)

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

// KindError is a model of a kind that has no export.
type KindError struct{ Kind string }

func (e *KindError) Error() string {
	return fmt.Sprintf("the model %s has no export: its model.npz is plain NumPy", e.Kind)
}

// own is how a manifest says that columns are scaled by the own rows.
const own = "own"

// list adds an entry.
func (f *File) list(name string, of Owner, format string, args ...any) {
	f.Contents = append(f.Contents, Entry{name, of, fmt.Sprintf(format, args...)})
}

// scaling lists how columns are scaled.
func (f *File) scaling(m *model.Model) {
	what := "mean and standard deviation"
	switch m.Manifest.Normalise {
	case "minmax":
		what = "smallest value and range"
	case "robust":
		what = "median, and distance of the quartiles over 1.349,"
	}
	switch m.Manifest.Standardise {
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
func (f *File) axes(m *model.Model) {
	if m.Projection != nil {
		f.list("centre, axes", All, "the %d principal axes of the rows of all", m.Dim())
	}
}
