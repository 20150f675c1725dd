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
	"github.com/collabdict/collabdict/internal/ledger"
	"github.com/collabdict/collabdict/internal/report"
	"github.com/collabdict/collabdict/internal/rows"
	"github.com/collabdict/collabdict/option"
)

// Version is the newest version of model files. Those without principal axes are
// written as version 1, which older programs read, too.
const (
	Version     = 2
	withoutAxes = 1
)

// Model is a participant's trained model: what it has learned, and where it came from.
type Model struct {
	Manifest Manifest
	Scaling  rows.Scaling
	// Projection, if not nil, follows the scaling.
	Projection *rows.Projection
	Learned    algorithm.Model
	// PriorVariances are those of each coordinate that a mixture's prior is scaled by; nil of
	// another prior.
	PriorVariances []float64
	// Local, if not nil, is what the participant has beside to score rows by.
	Local *Local

	with string // see With
}

// Manifest describes a model.
type Manifest struct {
	Format      string `json:"format"` // "collabdict model"
	Version     int    `json:"version"`
	Kind        string `json:"kind"` // of algorithm
	Participant string `json:"participant"`
	// Columns were learned from: those of the data and, with a window, what it makes of them.
	Columns []string `json:"columns"`
	// Units are those of the data's columns that all participants have agreed on, by name.
	Units map[string]string `json:"units,omitempty"`
	// Window is of how many rows, up to each one, there are means and standard deviations of
	// each column; 0 if there are none.
	Window      int    `json:"window,omitempty"`
	Standardise string `json:"standardise"` // global, own, agreed or none
	// Normalise is minmax where columns were brought to the range from 0 to 1, and robust
	// where they were scaled by their quartiles; empty means to mean 0 and variance 1, unless Standardise is none.
	Normalise string `json:"normalise,omitempty"`
	// PCA is of the axes that rows are projected to; nil if they are not.
	PCA *report.PCA `json:"pca,omitempty"`
	// Covariance is the form of the covariance matrices; empty means full, or none.
	Covariance string `json:"covariance,omitempty"`
	// Threshold is the score by the shared model above which a row is an anomaly: no more
	// than FalseAlarm of rows like the participant's own have such a score. Classifiers have
	// none.
	Threshold  float64 `json:"threshold,omitzero"`
	FalseAlarm float64 `json:"false_alarm,omitzero"`
	// HeldOut says what the own rows that stayed out of training tell; nil if there are none,
	// and the threshold is by the training rows.
	HeldOut *report.HeldOut `json:"held_out,omitempty"`
	// Local says that there was a [LocalFile] beside the model's.
	Local bool `json:"local,omitempty"`

	// Hyper are the algorithm's options, as all participants agreed on them, or as they
	// were used where they follow from the data.
	Hyper Hyper `json:"hyper_parameters"`
	// Choice says what there was to choose from, where members have chosen some of Hyper.
	Choice []report.Judged `json:"choice,omitempty"`

	Rounds    int           `json:"rounds"`
	Converged bool          `json:"converged"`
	Objective report.Figure `json:"objective,omitzero"`
	Rows      int           `json:"rows"`       // the participant's own
	TotalRows int           `json:"total_rows"` // of all participants
	Views     []report.View `json:"views"`
	// Run is the file, seen from the model's, with the names of the views and the lone
	// changes, where there are too many for each model.
	Run     string `json:"run,omitempty"`
	Digest  string `json:"digest,omitempty"` // of what the last optimize was given
	Privacy Ledger `json:"privacy"`
	// Warnings are what the participant was told at the end of its training.
	Warnings []string `json:"warnings,omitempty"`
}

// Hyper are options by the keys that files have for them, with values as JSON has them.
type Hyper map[string]any

// NewHyper returns the options of a table that apply, and further values, which replace
// those of the table.
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

// UnmarshalJSON keeps numbers as they are written: a seed may have more digits than a
// floating-point number.
func (h *Hyper) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode((*map[string]any)(h))
}

// Float returns a number, 0 if there is none.
func (h Hyper) Float(key string) float64 {
	n, _ := h[key].(json.Number)
	v, _ := n.Float64()
	return v
}

// Uint64 returns a whole number, such as a seed, 0 if there is none.
func (h Hyper) Uint64(key string) uint64 {
	n, _ := h[key].(json.Number)
	v, _ := strconv.ParseUint(n.String(), 10, 64)
	return v
}

// Text returns a text, empty if there is none.
func (h Hyper) Text(key string) string {
	s, _ := h[key].(string)
	return s
}

// Ledger says what the training told others, and how well it was hidden.
type Ledger struct {
	Protection report.Protection `json:"protection"`
	// Published lists what members showed each other in the clear.
	Published []string `json:"published"`
	// Diversity is that of the last round, LeastDiversity the smallest of all
	// rounds and both kinds of weights, in nats, where they are measured.
	Diversity      *report.Diversity `json:"diversity,omitempty"`
	LeastDiversity report.Figure     `json:"least_diversity,omitzero"`
	History        []report.Round    `json:"history"`
	// Weightings are the participants', if they weigh differently and have published it.
	Weightings []report.Weighting `json:"weightings,omitempty"`
	// LoneChanges are pairs of sums that differ by few members.
	LoneChanges []report.LoneChange `json:"lone_changes,omitempty"`
	// OpenSeats says that anyone could be a member.
	OpenSeats bool `json:"open_seats,omitempty"`
	// ReleaseCap is what the members let releases tell; nil for no limit.
	ReleaseCap *ledger.Cap `json:"release_cap,omitempty"`
	// Entries are a line for each kind of what was told in the run.
	Entries []report.Entry `json:"entries,omitempty"`
}

// New returns the model of an algorithm with these options, learned from columns as they
// are, without scaling or axes. It can be written; what else is known of the training goes
// into its manifest. With a Threshold of 0, which is what it has at first, the command
// calls every row of a score above 0 an anomaly.
func New(kind string, options option.Table, columns []string, learned algorithm.Model) (*Model, error) {
	if learned.Dim() != len(columns) {
		return nil, fmt.Errorf("model: want %d columns, as many as the model has coordinates, got %d", learned.Dim(), len(columns))
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

// Trained returns rows, given in the units of the data and overwritten, in the
// coordinates trained on.
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

// fills reports whether missing cells, which are NaN, have to be filled in before the model can be
// given a row.
func (m *Model) fills() bool {
	_, ok := m.Learned.(algorithm.Completer)
	return !ok || m.Projection != nil
}

// fill puts the middle of scaled columns in the place of missing cells.
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

// filled are rows whose missing cells are filled in.
type filled struct {
	collabdict.Rows
	by *Model
}

// ReadRows fills x with the rows from row from on.
func (f filled) ReadRows(x []float64, from int) error {
	err := f.Rows.ReadRows(x, from)
	f.by.fill(x)
	return err
}

// Rows is Trained of rows whenever they are read.
func (m *Model) Rows(x collabdict.Rows) collabdict.Rows {
	z := m.Scaling.Rows(x)
	if m.fills() {
		z = filled{z, m}
	}
	if m.Projection == nil {
		return z
	}
	return m.Projection.Rows(z)
}

// InUnits returns points in the coordinates trained on, such as the means of components,
// in the units of the data. With a projection they are points of the axes' plane.
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

// Scorer returns what gives anomaly scores, see [Model.With], and the log-likelihood of the
// shared model; nil of a classifier.
func (m *Model) Scorer() algorithm.Scorer {
	s, _ := m.Learned.(algorithm.Scorer)
	switch m.scoredBy() {
	case Blend:
		return blended{s, m.Local.Ensemble(s)}
	case Alone:
		if m.Local.Alone != nil {
			return m.Local.Alone
		}
	}
	return s
}

// Classifier returns what tells classes apart, nil of other models.
func (m *Model) Classifier() algorithm.Classifier {
	c, _ := m.Learned.(algorithm.Classifier)
	return c
}

// Personal returns the model's two parts, nil if it has no part of the participant's own.
func (m *Model) Personal() algorithm.Personal {
	p, _ := m.Learned.(algorithm.Personal)
	return p
}

// Clusterer returns the clusters that were found, nil of other models.
func (m *Model) Clusterer() algorithm.Clusterer {
	c, _ := m.Learned.(algorithm.Clusterer)
	return c
}

// Components returns the number of components that rows can be of, 0 if the model has
// none.
func (m *Model) Components() int {
	if a, ok := m.Learned.(algorithm.Assigner); ok {
		return a.Components()
	}
	return 0
}

// Assign returns the component, from 0, that each row of z is of, in the coordinates
// trained on. The model has to have Components.
func (m *Model) Assign(z *mat.Dense) []int { return m.Learned.(algorithm.Assigner).Assign(z) }

// Draws returns how many densities of a row its log-likelihood is a mean of.
func (m *Model) Draws() int {
	if d, ok := m.Learned.(algorithm.Sampled); ok {
		return d.Draws()
	}
	return 1
}

// Scores returns the anomaly scores of rows in the coordinates trained on.
func (m *Model) Scores(z *mat.Dense) ([]float64, error) { return m.scores(rows.InMemory(z)) }

// ScoreRows returns the anomaly scores of rows in the units of the data. With a window, rows
// follow each other in the order of time. They have the [Model.DataColumns], or all columns
// that a window has made of these.
func (m *Model) ScoreRows(x collabdict.Rows) ([]float64, error) {
	x, err := m.windowed(x)
	if err != nil {
		return nil, fmt.Errorf("score: %w", err)
	}
	return m.scores(m.Rows(x))
}

// DataColumns names the columns that the data are to have.
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
	return rows.Windowed(x, m.Manifest.Window, nil), nil
}

func (m *Model) scores(z collabdict.Rows) ([]float64, error) {
	of := m.Scorer()
	if of == nil {
		return nil, fmt.Errorf("score: the model %s tells classes apart and gives no scores", m.Manifest.Kind)
	}
	n, _ := z.Dims()
	scores := make([]float64, n)
	err := of.EachScores(z, func(from int, block []float64) { copy(scores[from:], block) })
	return scores, err
}

// ExplainRows explains the score of each row of x, as ScoreRows has it, by each of the model's
// columns. Rows and expected values are in the units of the data. A model of principal axes
// cannot tell columns apart.
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
		return algorithm.Explanation{}, fmt.Errorf("explain: the model %s, of %d coordinates, does not tell columns apart", m.Manifest.Kind, m.Dim())
	}
	e, err := of.Explain(m.Trained(mat.DenseCopyOf(x)))
	if err != nil {
		return algorithm.Explanation{}, err
	}
	e.Expected = m.InUnits(e.Expected)
	return e, nil
}
