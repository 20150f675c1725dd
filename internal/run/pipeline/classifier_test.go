package pipeline

import (
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
	"github.com/collabdict/collabdict/model"
)

func accuracy(t *testing.T, m *model.Model, p dataset.Participant) float64 {
	t.Helper()
	e, err := Evaluate(m, p)
	if err != nil {
		t.Fatal(err)
	}
	return e.Accuracy.Value
}

// All participants hold the same weights, bit for bit. Each has its own conditions, which improve
// its accuracy and are the same in a second run with the same secrets. The number of classes is
// that of all participants together, though one has only two.
func TestClassifiersTogether(t *testing.T) {
	parts := shifted(1, 4, 90)
	for i, c := range parts[0].TrainLabels {
		parts[0].TrainLabels[i] = min(c, 1)
	}
	k := small(t, "cgau")
	results, again := together(t, network(t, k), k, parts), together(t, network(t, k), k, parts)
	first := results[0].Model
	conditions := slices.Clone(first.Conditions())
	for s, r := range results {
		m := r.Model
		if m.WeightsDigest() != first.WeightsDigest() || !slices.Equal(m.Personal().Shared(), first.Personal().Shared()) {
			t.Errorf("participant %d has other weights", s)
		}
		if s > 0 && slices.Equal(m.Conditions(), conditions) {
			t.Errorf("participant %d has the conditions of another", s)
		}
		if !slices.Equal(m.Conditions(), again[s].Model.Conditions()) {
			t.Errorf("participant %d comes to other conditions when it begins again", s)
		}
		of := m.Manifest
		if of.TotalRows != 360 || of.Rounds != 40 || of.Hyper.Float("classes") != 3 || of.Hyper.Float("momentum") != 0.9 || of.FalseAlarm != 0 || m.Scorer() != nil {
			t.Errorf("participant %d: %+v", s, of)
		}
		with := accuracy(t, m, parts[s])
		clear(m.Conditions())
		if without := accuracy(t, m, parts[s]); !(with > 0.85) || !(with > without) {
			t.Errorf("participant %d: accuracy %.3f with its conditions, %.3f without", s, with, without)
		}
	}
	if of := first.Manifest.Privacy.History; !(of[39].Objective > of[0].Objective) {
		t.Errorf("history %+v", of)
	}
}

// A class that occurs only in test rows counts as a class of the model, and the model is evaluated
// on it.
func TestClassOfTestRowsAlone(t *testing.T) {
	parts := shifted(1, 2, 40)
	parts[1].TestLabels = slices.Clone(parts[1].TestLabels)
	parts[1].TestLabels[0] = 4
	for s, r := range together(t, lockstep.Run, small(t, "cgau", "rounds=2"), parts) {
		if e, err := Evaluate(r.Model, parts[s]); err != nil || len(e.Recall) != 5 {
			t.Errorf("participant %d: got %v and recall %v, want that of 5 classes", s, err, e.Recall)
		}
	}
}

// For a new participant, conditions fitted to a few rows are better than zero conditions and better
// than the mean of all members' conditions. The shared weights do not change.
func TestAdaptToAFewRows(t *testing.T) {
	for _, standardise := range []string{"none", "own"} {
		results := together(t, lockstep.Run, small(t, "cgau", "standardise="+standardise), shifted(1, 4, 90))
		m := results[0].Model
		weights := m.WeightsDigest()
		ofAll := make([]float32, len(m.Conditions()))
		for _, r := range results {
			for i, v := range r.Model.Conditions() {
				ofAll[i] += v / 4
			}
		}
		all := shifted(90, 4, 400)[3]
		few := all
		few.Name, few.Train, few.TrainLabels = "new", rows.InMemory(all.Train.(rows.Matrix).Slice(0, 30, 0, 2).(*mat.Dense)), nil
		if _, err := Adapt(t.Context(), m, few, 300); err != nil || m.Manifest.Rows != 0 {
			t.Fatalf("%v, %+v", err, m.Manifest)
		}
		if far := grouptest.Farthest(m.Conditions(), ofAll); far > 1e-5 {
			t.Errorf("%s: without labels, conditions differ by %g from the mean of all", standardise, far)
		}
		mean := accuracy(t, m, all)
		clear(m.Conditions())
		zero := accuracy(t, m, all)
		few.TrainLabels = all.TrainLabels[:30]
		if _, err := Adapt(t.Context(), m, few, 300); err != nil || m.Manifest.Rows != 30 || m.Manifest.Participant != "new" {
			t.Fatalf("%v, %+v", err, m.Manifest)
		}
		if fitted := accuracy(t, m, all); !(fitted > 0.85) || !(fitted > zero+0.05) || !(fitted > mean+0.05) {
			t.Errorf("%s: accuracy %.3f fitted, %.3f at 0, %.3f at the mean", standardise, fitted, zero, mean)
		}
		if m.WeightsDigest() != weights {
			t.Error("weights have changed")
		}
		few.TrainLabels = slices.Repeat([]float64{3}, 30)
		if _, err := Adapt(t.Context(), m, few, 300); err == nil || !strings.Contains(err.Error(), "new: label of row 1: want a class from 0 to 2, as agreed, got 3") {
			t.Errorf("got %v", err)
		}
	}
	parts, _ := clusters(1)
	none := together(t, lockstep.Run, example(t), parts)[0].Model
	if _, err := Adapt(t.Context(), none, parts[0], 1); err == nil || !strings.Contains(err.Error(), "want a model with private conditions, got one of kind ggm") {
		t.Errorf("got %v", err)
	}
}

// Adapt accepts a single row, or rows of one class, with a warning.
func TestAdaptToTooFew(t *testing.T) {
	m, p := together(t, lockstep.Run, small(t, "cgau", "rounds=2", "standardise=own"), shifted(1, 2, 30))[0].Model, shifted(1, 1, 30)[0]
	p.Train, p.TrainLabels = rows.InMemory(p.Train.(rows.Matrix).Slice(0, 1, 0, 2).(*mat.Dense)), p.TrainLabels[:1]
	warnings, err := Adapt(t.Context(), m, p, 5)
	got := strings.Join(warnings, "\n")
	if err != nil || !strings.Contains(got, "constant in the rows to adapt to, so not scaled: x, y") || !strings.Contains(got, "all 1 rows to adapt to are of class") {
		t.Errorf("got %q, %v", got, err)
	}
}
