package cli

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/export"
	"github.com/collabdict/collabdict/internal/mixtures/ggm"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/model"
)

// mixtureOfTwo returns a model of two columns with components of the given weights.
func mixtureOfTwo(t *testing.T, weights ...float64) *model.Model {
	t.Helper()
	var precisions []*mat.SymDense
	for range weights {
		precisions = append(precisions, mat.NewSymDense(2, []float64{2, -1, -1, 2}))
	}
	mixture, err := gmm.NewMixture(weights, mat.NewDense(len(weights), 2, nil), precisions)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New(ggm.Kind.Name, ggm.Kind.New().Options(), []string{"speed", "flow"}, mixture)
	if err != nil {
		t.Fatal(err)
	}
	m.Manifest.Threshold, m.Manifest.FalseAlarm = 57, 0.01
	return m
}

// withOwnRows gives a model a local part, whose blended scores have the threshold 1.25.
func withOwnRows(m *model.Model) *model.Model {
	m.Local = &model.Local{
		Nearest:        local.NewNearest(mat.NewDense(3, 2, []float64{0, 1, 1, 0, 0, 0})),
		Calibrations:   []*local.Calibration{local.Calibrate([]float64{1, 3, 2, 5}), local.Calibrate([]float64{0.1, 0.4, 0.2, 0.3})},
		BlendThreshold: 1.25,
	}
	return m
}

// The picture of scores shows the scores and the threshold of the command score: those of the blend
// if the model has a local part.
func TestHistogramHasTheScoresOfScore(t *testing.T) {
	data := &dataset.Dataset{Participants: []dataset.Participant{{Train: rows.InMemory(mat.NewDense(2, 2, []float64{0, 0, 50, -50}))}}}
	for _, m := range []*model.Model{mixtureOfTwo(t, 1), withOwnRows(mixtureOfTwo(t, 1))} {
		want, err := m.ScoreRows(data.Participants[0].Train)
		limit := m.Threshold()
		if err != nil {
			t.Fatal(err)
		}
		h, err := histogram(m, data)
		if err != nil || !slices.Equal(h.Groups[0].Values, want) || h.Mark != limit {
			t.Errorf("got scores %v and the threshold %g, %v, want %v and %g", h.Groups, h.Mark, err, want, limit)
		}
	}
}

// Graphs leave out components that describe less than one row, or a thousandth, of the
// participant's rows. A picture has at least one graph.
func TestGraphsOfComponentsThatHaveRows(t *testing.T) {
	for _, test := range []struct {
		rows    int
		weights []float64
		want    int
	}{
		{96, []float64{0.9, 0.02, 0.07997, 3e-5}, 3},
		{96, []float64{0.99, 0.01}, 1},
		{1_000_000, []float64{0.998, 0.0012, 0.00077, 3e-5}, 2},
		{2, []float64{0.25, 0.25, 0.25, 0.25}, 4},
		{0, []float64{0.5, 0.5}, 2},
	} {
		m := mixtureOfTwo(t, test.weights...)
		m.Manifest.Rows = test.rows
		x, err := export.MixtureOf(m, true)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(graphs(x).Panels); got != test.want {
			t.Errorf("%d rows, weights %v: got %d graphs, want %d", test.rows, test.weights, got, test.want)
		}
	}
}
