package export

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/model"
)

// A Mixture holds everything that files of a mixture contain, so parameters from any source can
// be written. [MixtureOf] takes those of a model.
type Mixture struct {
	*gmm.Mixture // in the coordinates of training; no file contains its ComponentRows
	Kind         string
	Columns      Columns
	// Expected reports whether a row's score is Eq. (19) of Idé et al. 2024, and not −ln p.
	Expected bool
	Digest   string // digest of the input of the last training step, "" if there is none
	// Own reports whether weights and threshold are the participant's own.
	Own bool
	// LeastWeight is the least weight of a component that is drawn, 0 to draw all.
	LeastWeight           float64
	Threshold, FalseAlarm float64
	// Release says what a release reveals about a row; nil if the means are as learned.
	Release  *Release
	Warnings []string
}

// UnknownRowsError reports a mixture without the number of rows per component.
type UnknownRowsError struct{}

func (*UnknownRowsError) Error() string {
	return "the model was written by an earlier version: it lacks the array component_rows, which weights the components"
}

// MixtureOf returns the part of a model that all participants share. Components are weighted by
// the rows of all, and those with fewer than [gmm.LeastRows] are left out. The result is the
// same at each participant. If own is true, it returns the whole mixture with the participant's
// weights, threshold and scaling; components that have fewer than LeastRows of its rows are not drawn.
// Errors are of type *KindError or *UnknownRowsError.
func MixtureOf(m *model.Model, own bool) (*Mixture, error) {
	of, ok := m.Learned.(interface{ Density() *gmm.Mixture })
	if !ok {
		return nil, &KindError{m.Manifest.Kind, "a mixture"}
	}
	_, expected := m.Learned.(gmm.Expected)
	x := &Mixture{Mixture: of.Density(), Kind: m.Manifest.Kind, Columns: columnsOf(m), Expected: expected, Digest: m.Manifest.Digest, Own: own}
	if own {
		x.Threshold, x.FalseAlarm = m.Manifest.Threshold, m.Manifest.FalseAlarm
		rows := math.Max(1, float64(m.Manifest.Rows))
		x.LeastWeight = math.Min(gmm.LeastRows(rows)/rows, slices.Max(x.Weights())) // the heaviest is always drawn
		return x, nil
	}
	x.Columns = x.Columns.shared()
	rows := x.ComponentRows()
	if rows == nil {
		return nil, &UnknownRowsError{}
	}
	kept := gmm.Enough(rows)
	if len(kept) == 0 {
		return nil, errors.New("want a component with at least 1 row, and at least a thousandth of one participant's rows, got none")
	}
	if left := x.Components() - len(kept); left > 0 {
		x.Warnings = append(x.Warnings, fmt.Sprintf("%d of %d components are left out: they have fewer than one row, or less than a thousandth of all rows", left, x.Components()))
	}
	x.Mixture = x.Only(kept)
	return x, nil
}

// whose returns the owner of the weights, and so of the file.
func (x *Mixture) whose() Owner {
	if x.Own {
		return Own
	}
	return All
}

// list adds the entries common to all forms.
func (x *Mixture) list(f *File) {
	f.Private, f.Warnings = x.Own, x.Warnings
	f.list("columns", All, "the names of the %d columns, and how they are scaled", len(x.Columns.Names))
	if x.Digest != "" {
		f.list("digest", All, "of the input of the last training step")
	}
	switch {
	case x.Own:
		f.list("weights", Own, "%d: the share of its own rows in each component", x.Components())
		f.list("threshold, false_alarm", Own, "the score above which its own rows are anomalies, and the share above it")
	default:
		f.list("weights", All, "%d: the share of all rows in each component", x.Components())
	}
	if x.Release == nil {
		f.list("means, precisions", All, "of the %d components, in the coordinates of training", x.Components())
	} else {
		f.list("means", All, "drawn from their posterior, for the %d components, in the coordinates of training", x.Components())
		f.list("precisions", All, "as learned")
		f.list("privacy", All, "what the release reveals about a row")
	}
	if !x.Columns.scaled() {
		f.Warnings = append(f.Warnings, "each participant scales columns by its own rows: readers of this file must scale rows by their own before they use it")
	}
}
