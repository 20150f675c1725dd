package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/option"
)

// Version is the newest version of model files. Files without principal axes are written as
// version 1, which older programs can read.
const (
	Version     = 2
	withoutAxes = 1
)

// A Model is a participant's trained model: what it has learned, and where it came from.
type Model struct {
	Manifest Manifest
	Scaling  Scaling
	// Projection, if not nil, is applied after the scaling.
	Projection *Projection
	Learned    algorithm.Model
	// PriorVariances holds, per coordinate, the variance that scales a mixture's prior; nil for
	// another prior.
	PriorVariances []float64
	// Local, if not nil, is the participant's local part.
	Local *Local

	with string // see With
}

// Manifest describes a model.
type Manifest struct {
	Format      string `json:"format"`      // "collabdict model"
	Version     int    `json:"version"`     // that of the format
	Kind        string `json:"kind"`        // the model, such as ggm
	Participant string `json:"participant"` // the name of its owner
	// Columns are the columns trained on: those of the data and, with a window, their means and
	// deviations.
	Columns []string `json:"columns"`
	// Units are the agreed units of the data's columns, by name.
	Units map[string]string `json:"units,omitempty"`
	// Window is the number of rows, up to the present one, whose means and standard deviations
	// are further columns; 0 means none.
	Window      int    `json:"window,omitempty"`
	Standardise string `json:"standardise"` // global, own, agreed or none
	// Normalise is minmax if columns were scaled to the range from 0 to 1, and robust if they
	// were scaled by their quartiles. Empty means mean 0 and variance 1, unless Standardise is
	// none.
	Normalise string `json:"normalise,omitempty"`
	PCA       *Axes  `json:"pca,omitempty"` // the axes onto which rows are projected
	// Covariance is the form of the covariance matrices; empty means full, or no such matrices.
	Covariance string `json:"covariance,omitempty"`
	// Threshold is the score of the shared model above which a row is an anomaly. At most the
	// share FalseAlarm of rows like the participant's own score higher. Classifiers have none.
	Threshold  float64 `json:"threshold,omitzero"`
	FalseAlarm float64 `json:"false_alarm,omitzero"` // the share of --false-alarm
	// HeldOut is the result on held-out rows; absent if the threshold follows from the training
	// rows.
	HeldOut *HeldOut `json:"held_out,omitempty"`
	Local   bool     `json:"local,omitempty"` // reports whether there was a local.npz beside the model

	// Hyper are the options as all participants agreed on them, or as they follow from the data.
	Hyper  Hyper    `json:"hyper_parameters"`
	Choice []Judged `json:"choice,omitempty"` // the settings that were tried, if members have chosen some

	Rounds    int    `json:"rounds"`             // completed rounds
	Converged bool   `json:"converged"`          // reports whether training stopped before the last allowed round
	Objective Figure `json:"objective,omitzero"` // what training improves
	Rows      int    `json:"rows"`               // rows of the participant
	TotalRows int    `json:"total_rows"`         // rows of all participants
	Views     []View `json:"views"`              // the members of the run, with an entry per change
	// Run is the path, relative to the model's, of a file with the names of the views and the
	// lone changes, if they are too many for each model.
	Run     string `json:"run,omitempty"`
	Digest  string `json:"digest,omitempty"` // digest of the last total
	Privacy Ledger `json:"privacy"`          // what the training revealed
	// Warnings are those given to the participant at the end of its training.
	Warnings []string `json:"warnings,omitempty"`
}

// Hyper holds options by their keys in files, with values as in JSON.
type Hyper map[string]any

// NewHyper returns the options of a table that apply, together with further values, which
// replace those of the table.
func NewHyper(t option.Table, further map[string]any) (Hyper, error) {
	all := map[string]any{}
	for _, e := range t.Entries() {
		all[e.Key] = e.Value
	}
	for k, v := range further {
		all[k] = v
	}
	text, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	var h Hyper
	return h, json.Unmarshal(text, &h)
}

// UnmarshalJSON keeps numbers as text, since a seed may have more digits than a floating-point
// number.
func (h *Hyper) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode((*map[string]any)(h))
}

// Float returns a number, or 0 if there is none.
func (h Hyper) Float(key string) float64 {
	n, _ := h[key].(json.Number)
	v, _ := n.Float64()
	return v
}

// Uint64 returns a whole number, such as a seed, or 0 if there is none.
func (h Hyper) Uint64(key string) uint64 {
	n, _ := h[key].(json.Number)
	v, _ := strconv.ParseUint(n.String(), 10, 64)
	return v
}

// Text returns a text, or "" if there is none.
func (h Hyper) Text(key string) string {
	s, _ := h[key].(string)
	return s
}

// Ledger describes what the training revealed to others, and how well the rest was hidden.
type Ledger struct {
	Protection Protection `json:"protection"` // what hid the vectors in sums
	// Published lists what members published to each other.
	Published      []string   `json:"published"`
	Diversity      *Diversity `json:"diversity,omitempty"`      // that of the last round
	LeastDiversity Figure     `json:"least_diversity,omitzero"` // the smallest of all rounds, in nats
	History        []Round    `json:"history"`                  // has an entry per round
	// Weightings are those of the participants, if they differ and are published.
	Weightings []Weighting `json:"weightings,omitempty"`
	// LoneChanges are pairs of sums that differ by few members.
	LoneChanges []LoneChange `json:"lone_changes,omitempty"`
	// OpenSeats means that anyone could become a member.
	OpenSeats  bool `json:"open_seats,omitempty"`
	ReleaseCap *Cap `json:"release_cap,omitempty"` // the agreed limit of what releases may reveal
	// Entries has an entry for each kind of data that was revealed in the run.
	Entries []Entry `json:"entries,omitempty"`
}

// New returns a model that an algorithm has learned with these options, from columns without
// scaling or projection. Add further facts about the training to its manifest before writing
// it. Its Threshold is 0 at first: the command then reports every row with a score above 0 as
// an anomaly.
func New(kind string, options option.Table, columns []string, learned algorithm.Model) (*Model, error) {
	if learned.Dim() != len(columns) {
		return nil, fmt.Errorf("model: want %d columns, one per coordinate of the model, got %d", learned.Dim(), len(columns))
	}
	hyper, err := NewHyper(options, nil)
	if err != nil {
		return nil, err
	}
	return &Model{
		Manifest: Manifest{Kind: kind, Columns: slices.Clone(columns), Standardise: algorithm.None, Hyper: hyper},
		Scaling:  rows.Unscaled(len(columns)), Learned: learned,
	}, nil
}

// Trained converts rows from the units of the data to the coordinates trained on. It overwrites
// x.
func (m *Model) Trained(x *mat.Dense) *mat.Dense {
	m.Scaling.ApplyTo(x, x)
	if m.fills() {
		n, _ := x.Dims()
		for i := range n {
			m.fill(x.RawRowView(i))
		}
	}
	if m.Projection == nil {
		return x
	}
	return m.Projection.Apply(x)
}

// fills reports whether missing cells (NaN) must be filled in before the model can take a row.
func (m *Model) fills() bool {
	_, ok := m.Learned.(algorithm.Completer)
	return !ok || m.Projection != nil
}

// fill replaces missing cells by the middle of the scaled column.
func (m *Model) fill(values []float64) {
	middle := 0.0
	if m.Manifest.Normalise != "" { // minmax
		middle = 0.5
	}
	for i, v := range values {
		if math.IsNaN(v) {
			values[i] = middle
		}
	}
}

// Rows returns rows that are converted like in Trained whenever they are read.
func (m *Model) Rows(x collabdict.Rows) collabdict.Rows {
	z := m.Scaling.Rows(x)
	if m.fills() {
		z = rows.Filled(z, m.fill)
	}
	if m.Projection == nil {
		return z
	}
	return m.Projection.Rows(z)
}

// InUnits converts points from the coordinates trained on, such as the means of components, to
// the units of the data. With a projection they are points in the plane of the axes.
func (m *Model) InUnits(means *mat.Dense) *mat.Dense {
	k, _ := means.Dims()
	out := mat.NewDense(k, len(m.Scaling.Scale), nil)
	for c := range k {
		z := means.RawRowView(c)
		if m.Projection != nil {
			z = m.Projection.Back(z)
		}
		for j, v := range z {
			out.Set(c, j, v*m.Scaling.Scale[j]+m.Scaling.Shift[j])
		}
	}
	return out
}

// Dim returns the number of coordinates trained on.
func (m *Model) Dim() int { return m.Learned.Dim() }

// Scorer returns the scorer selected by [Model.With]. It gives anomaly scores, and the
// log-likelihood of the shared model. Scorer returns nil for a classifier.
func (m *Model) Scorer() algorithm.Scorer {
	s, _ := m.Learned.(algorithm.Scorer)
	if by := m.ScoredBy(); by != Shared {
		return blended{s, m.Local.Ensemble(s, by)}
	}
	return s
}

// Classifier returns the model as a classifier, or nil if it is none.
func (m *Model) Classifier() algorithm.Classifier {
	c, _ := m.Learned.(algorithm.Classifier)
	return c
}

// Personal returns the model with its private parameters, or nil if it has none.
func (m *Model) Personal() algorithm.Personal {
	p, _ := m.Learned.(algorithm.Personal)
	return p
}

// Clusterer returns the clusters found, or nil for other models.
func (m *Model) Clusterer() algorithm.Clusterer {
	c, _ := m.Learned.(algorithm.Clusterer)
	return c
}

// Components returns the number of components to which rows can belong, or 0 if the model has
// none.
func (m *Model) Components() int {
	if a, ok := m.Learned.(algorithm.Assigner); ok {
		return a.Components()
	}
	return 0
}

// Assign returns the component, from 0, of each row of z, which is in the coordinates trained
// on. It panics unless the model has Components.
func (m *Model) Assign(z *mat.Dense) []int { return m.Learned.(algorithm.Assigner).Assign(z) }

// Draws returns the number of densities whose mean is the log-likelihood of a row.
func (m *Model) Draws() int {
	if d, ok := m.Learned.(algorithm.Sampled); ok {
		return d.Draws()
	}
	return 1
}

// Scores returns the anomaly scores of rows in the coordinates trained on.
func (m *Model) Scores(z *mat.Dense) ([]float64, error) { return m.scores(rows.InMemory(z)) }

// ScoreRows returns the anomaly scores of rows in the units of the data. The rows have the
// [Model.DataColumns], or all columns of the model. With a window they must be in the order of
// time.
func (m *Model) ScoreRows(x collabdict.Rows) ([]float64, error) {
	x, err := m.windowed(x)
	if err != nil {
		return nil, fmt.Errorf("score: %w", err)
	}
	return m.scores(m.Rows(x))
}

// DataColumns returns the names of the columns that the data must have.
func (m *Model) DataColumns() []string {
	return rows.DataColumns(m.Manifest.Columns, m.Manifest.Window)
}

// windowed returns rows with all columns of the model.
func (m *Model) windowed(x collabdict.Rows) (collabdict.Rows, error) {
	_, columns := x.Dims()
	switch want := len(m.DataColumns()); {
	case columns == len(m.Manifest.Columns):
		return x, nil
	case columns != want:
		return nil, fmt.Errorf("want rows of %d columns, got %d", want, columns)
	}
	return rows.Windowed(x, m.Manifest.Window, nil, true), nil
}

func (m *Model) scores(z collabdict.Rows) ([]float64, error) {
	of := m.Scorer()
	if of == nil {
		return nil, fmt.Errorf("score: a model of kind %s is a classifier and gives no scores", m.Manifest.Kind)
	}
	n, _ := z.Dims()
	scores := make([]float64, n)
	err := of.EachScores(z, func(from int, block []float64) { copy(scores[from:], block) })
	return scores, err
}

// ExplainRows explains the score of each row of x, as ScoreRows computes it, by the model's
// columns. Rows and expected values are in the units of the data. It returns an error for a
// model of principal axes, which cannot separate columns.
func (m *Model) ExplainRows(x *mat.Dense) (algorithm.Explanation, error) {
	all, err := m.windowed(rows.InMemory(x))
	if err == nil {
		x, err = rows.Dense(all)
	}
	if err != nil {
		return algorithm.Explanation{}, fmt.Errorf("explain: %w", err)
	}
	of := m.Explainer()
	if of == nil || m.Projection != nil {
		return algorithm.Explanation{}, fmt.Errorf("explain: a model of kind %s with %d coordinates cannot rank columns", m.Manifest.Kind, m.Dim())
	}
	e, err := of.Explain(m.Trained(mat.DenseCopyOf(x)))
	if err != nil {
		return algorithm.Explanation{}, err
	}
	e.Expected = m.InUnits(e.Expected)
	return e, nil
}
