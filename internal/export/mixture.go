package export

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/model"
)

// Mixture is what files of a mixture are made of. Nothing else gets into them, so that
// parameters from anywhere can be written; [MixtureOf] takes those of a model.
type Mixture struct {
	*gmm.Mixture // in the coordinates trained on; no file has its ComponentRows
	Kind         string
	Columns      Columns
	// Expected says that a row's score is Eq. (19) of Idé et al. 2024, and not −ln p.
	Expected bool
	Digest   string // of what the last step of the training was given, empty if there is none
	// Own says that the weights are the participant's own, and so the threshold.
	Own                   bool
	Threshold, FalseAlarm float64
	Warnings              []string
}

// UnknownRowsError is a mixture without the rows that components have of all participants.
type UnknownRowsError struct{}

func (*UnknownRowsError) Error() string {
	return "the model has no array component_rows, by which components of all participants are weighted: an earlier version has written it"
}

// MixtureOf returns what all participants share of a model: components are weighted by the
// rows of all, and those of fewer than [gmm.LeastRows] are left out. It is the same at each
// participant. With own it is the whole mixture by the own weights, with the own threshold
// and scaling. An error is of type *KindError or *UnknownRowsError.
func MixtureOf(m *model.Model, own bool) (*Mixture, error) {
	of, ok := m.Learned.(interface{ Density() *gmm.Mixture })
	if !ok {
		return nil, &KindError{m.Manifest.Kind, "a mixture"}
	}
	_, expected := m.Learned.(gmm.Expected)
	x := &Mixture{Mixture: of.Density(), Kind: m.Manifest.Kind, Columns: columnsOf(m), Expected: expected, Digest: m.Manifest.Digest, Own: own}
	if own {
		x.Threshold, x.FalseAlarm = m.Manifest.Threshold, m.Manifest.FalseAlarm
		return x, nil
	}
	x.Columns = x.Columns.shared()
	rows := x.ComponentRows()
	if rows == nil {
		return nil, &UnknownRowsError{}
	}
	kept, err := enough(x.Mixture, rows)
	if err != nil {
		return nil, err
	}
	if left := x.Components() - kept.Components(); left > 0 {
		x.Warnings = append(x.Warnings, fmt.Sprintf("%d of %d components are left out: of all participants' rows they have fewer than one, or than one in a thousand", left, x.Components()))
	}
	x.Mixture = kept
	return x, nil
}

// enough returns the components that have enough rows, weighted by them. It knows their rows.
func enough(m *gmm.Mixture, rows []float64) (*gmm.Mixture, error) {
	var weights, means, diagonals, counts []float64
	var precisions []*mat.SymDense
	total := 0.0
	for _, n := range rows {
		total += n
	}
	least, all, kept := gmm.LeastRows(total), m.Means(), 0.0
	for k, n := range rows {
		if n < least {
			continue
		}
		kept += n
		counts, means = append(counts, n), append(means, all.RawRowView(k)...)
		p := m.Precision(k)
		precisions = append(precisions, p)
		for i := range m.Dim() {
			diagonals = append(diagonals, p.At(i, i))
		}
	}
	if len(counts) == 0 {
		return nil, fmt.Errorf("no component has as many as %.3g rows of all participants, of %.3g", least, total)
	}
	for _, n := range counts {
		weights = append(weights, n/kept)
	}
	k := len(counts)
	var out *gmm.Mixture
	var err error
	if m.Form() == gmm.Full {
		out, err = gmm.NewMixture(weights, mat.NewDense(k, m.Dim(), means), precisions)
	} else {
		out, err = gmm.NewDiagMixture(m.Form(), weights, mat.NewDense(k, m.Dim(), means), mat.NewDense(k, m.Dim(), diagonals))
	}
	if err != nil {
		return nil, err
	}
	return out.WithRows(counts), nil
}

// whose is the owner of the weights, and so of the file.
func (x *Mixture) whose() Owner {
	if x.Own {
		return Own
	}
	return All
}

// list lists what is in all files.
func (x *Mixture) list(f *File) {
	f.Private, f.Warnings = x.Own, x.Warnings
	f.list("columns", All, "the names of the %d columns, and how they are scaled", len(x.Columns.Names))
	if x.Digest != "" {
		f.list("digest", All, "of what the last step of the training was given")
	}
	switch {
	case x.Own:
		f.list("weights", Own, "%d: how often its own rows are of each component", x.Components())
		f.list("threshold, false_alarm", Own, "the score above which its own rows are anomalies, and how many may be")
	default:
		f.list("weights", All, "%d: the share of the rows of all in each component", x.Components())
	}
	f.list("means, precisions", All, "of the %d components, in the coordinates trained on", x.Components())
	if !x.Columns.scaled() {
		f.Warnings = append(f.Warnings, "each participant scales columns by its own rows: rows are to be given to this file scaled, as its readers do by their own")
	}
}
