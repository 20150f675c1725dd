package export

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	posterior "github.com/collabdict/collabdict/gmm/release"
	"github.com/collabdict/collabdict/internal/algorithms"
	"github.com/collabdict/collabdict/internal/ledger"
	"github.com/collabdict/collabdict/internal/report"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/option"
)

// Release is a mixture whose means are drawn from their posterior, and what it tells of a row.
type Release struct {
	Radius     float64 `json:"radius"`
	Components int     `json:"components"`
	// LeftOut counts components of too few rows.
	LeftOut int     `json:"left_out"`
	Rows    float64 `json:"rows"`       // that the components released rest on
	Least   float64 `json:"least_rows"` // of these, those of the component that has the fewest
	// Spend is the loss by the precisions as they are, Prior by the largest that there can be;
	// that one does not apply if the precisions are no solution.
	Spend   report.Spend  `json:"by_precisions"`
	Prior   *report.Spend `json:"by_prior,omitempty"`
	Caveats []string      `json:"caveats"`

	parameters *gmm.Parameters
}

// NoPosteriorError is a model whose means have no posterior to draw from.
type NoPosteriorError struct{ Kind string }

func (e *NoPosteriorError) Error() string {
	var others []string
	for _, k := range algorithms.All() {
		if _, ok := k.New().(posterior.Releaser); ok {
			others = append(others, k.Name)
		}
	}
	return fmt.Sprintf("the model %s has no posterior of means to draw from: want %s, whose means follow from sums over the rows of all", e.Kind, option.Either(others...))
}

// NewRelease draws a release of a model for rows that are at most a radius apart, with ε told at
// delta. An error is of type *NoPosteriorError, or says what the model lacks.
func NewRelease(m *model.Model, radius, delta float64, src rand.Source) (*Release, error) {
	a, err := m.Algorithm()
	if err != nil {
		return nil, err
	}
	of, ok := a.(posterior.Releaser)
	switch {
	case !ok:
		return nil, &NoPosteriorError{m.Manifest.Kind}
	case m.Manifest.Window > 0:
		return nil, fmt.Errorf("a row of the data is in the %d rows of its windows, and epsilon is of one row learned from: train without --window", m.Manifest.Window)
	}
	p, err := of.Posterior(m.Learned, m.PriorVariances)
	if err != nil {
		return nil, err
	}
	loss, kept := p.Loss(radius), p.Kept()
	if math.IsInf(float64(loss.Precisions), 1) {
		return nil, fmt.Errorf("want a radius that rows can be apart, got %g", radius)
	}
	r := &Release{
		Radius: radius, Components: len(kept), LeftOut: len(p.Rows) - len(kept), Least: math.Inf(1),
		Spend: ledger.SpendOf(loss.Precisions, delta, neighbours(radius)), parameters: p.Draw(src),
	}
	for _, k := range kept {
		r.Rows += p.Rows[k]
		r.Least = math.Min(r.Least, p.Rows[k])
	}
	if !math.IsInf(float64(loss.Prior), 1) {
		prior := ledger.SpendOf(loss.Prior, delta, neighbours(radius))
		r.Prior = &prior
	}
	r.Caveats = caveats(m, radius)
	return r, nil
}

func neighbours(radius float64) string {
	return fmt.Sprintf("one row of one member in the place of another that is at most %g away in the coordinates trained on, with precisions, rows per component and responsibilities as they are", radius)
}

// caveats say in plain words what ε of a release does not cover.
func caveats(m *model.Model, radius float64) []string {
	list := []string{
		"Only the drawn means are protected. Precisions, weights and, but for agreed ranges, the scales of columns follow from the rows as well, and are in the file as they are. Epsilon takes them as fixed, and which component a row belongs to.",
		fmt.Sprintf("Nothing here has enforced the radius. If two possible rows, with what stands in the place of missing cells, can be further apart than %g, epsilon is too small for them: clip rows before training.", radius),
		"The means of the model itself have no protection: all members have them, and whoever has model.npz.",
		"Each release adds to those before it. The ledger of this folder counts its own; a release of the same training by another member adds as much again.",
		"Epsilon is a measure of this release alone. It does not make the training differentially private.",
	}
	if m.Manifest.Standardise == own {
		list = append(list, "Each participant has scaled columns by its own rows: the radius is in these units, which another row may also change.")
	}
	return list
}

// Parameters returns those that are released. They are not to be changed.
func (r *Release) Parameters() *gmm.Parameters { return r.parameters }

// JSON returns the file of a release: parameters in the coordinates trained on, how rows come to
// these as far as all have that in common, and what it tells.
func (r *Release) JSON(m *model.Model) (*File, error) {
	var f File
	d := m.Manifest
	out := struct {
		release
		Weights    []float64     `json:"weights"`
		Means      [][]float64   `json:"means"`
		Precisions [][][]float64 `json:"precisions"`
		Shift      []float64     `json:"shift,omitempty"`
		Scale      []float64     `json:"scale,omitempty"`
		Centre     []float64     `json:"centre,omitempty"`
		Axes       [][]float64   `json:"axes,omitempty"`
		Privacy    *Release      `json:"privacy"`
	}{
		// It has no digest, by which a guess at the exact totals could be checked.
		release: release{Format: Format, Version: Version, Kind: d.Kind, Columns: d.Columns, Window: d.Window, Standardise: d.Standardise, Normalise: d.Normalise},
		Weights: r.parameters.Weights, Privacy: r,
	}
	f.list("format, kind, columns, …", All, "names of columns and how they are scaled")
	f.list("weights", All, "each component's share of the rows of all")
	f.list("means", All, "drawn from their posterior, in the coordinates trained on")
	f.list("precisions", All, "as they were learned")
	k, _ := r.parameters.Means.Dims()
	for i := range k {
		out.Means = append(out.Means, r.parameters.Means.RawRowView(i))
		out.Precisions = append(out.Precisions, matrix(r.parameters.Precisions[i]))
	}
	if d.Standardise != own {
		f.scaling(columnsOf(m))
		out.Shift, out.Scale = m.Scaling.Shift, m.Scaling.Scale
	}
	if p := m.Projection; p != nil {
		f.axes(columnsOf(m))
		out.Centre, out.Axes = p.Mean, matrix(p.Axes)
	}
	f.list("privacy", All, "what the release tells of a row")
	text, err := json.MarshalIndent(out, "", "  ")
	f.Bytes = append(text, '\n')
	return &f, err
}

func matrix(m mat.Matrix) [][]float64 {
	rows, _ := m.Dims()
	out := make([][]float64, rows)
	for i := range out {
		out[i] = mat.Row(nil, i, m)
	}
	return out
}
