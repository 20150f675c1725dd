package task

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/model"
)

func TestOptionsOfClassifiers(t *testing.T) {
	for want, change := range map[string]func(*Task){
		"components: the model cgau has none":              func(t *Task) { t.Components = 3 },
		"tol: the model cgau has none":                     func(t *Task) { t.Tol = 1 },
		"latent: the model cgau has none":                  func(t *Task) { t.Networks.Latent = 1 },
		"aggressive: the model cgau has none":              func(t *Task) { t.Networks.Aggressive = 1 },
		"classes: want 2 to 1000, or 0":                    func(t *Task) { t.Networks.Classes = 1 },
		"local-steps: want at least 1, got 0":              func(t *Task) { t.LocalSteps = 0 },
		"hidden: want at least 1 layer":                    func(t *Task) { t.Networks.Hidden = nil },
		"hidden: want 1 to 65536 units in layer 2":         func(t *Task) { t.Networks.Hidden = []int{3, 0} },
		"batch: want at least 1 row, got 0":                func(t *Task) { t.Networks.Batch = 0 },
		"rate: want a value above 0 and up to 1, got 0":    func(t *Task) { t.Networks.Rate = 0 },
		"dropout: want a probability from 0 to 0.99":       func(t *Task) { t.Networks.Dropout = 1 },
		"epsilon: the model cgau shows exact sums":         func(t *Task) { t.Privacy.Epsilon = 1 },
		"classes: the model mtvae has none":                func(t *Task) { *t = networkTask(); t.Networks.Classes = 2 },
		"dropout: the model dem has none":                  func(t *Task) { *t = mixtureTask(model.DEM); t.Networks.Dropout = 0.5 },
		"covariance: the model cgau has none":              func(t *Task) { t.Covariance = "full" },
		"components: the model cgau takes one number, got": func(t *Task) { t.MostComponents = 4 },
	} {
		k := classifierTask()
		change(&k)
		var e *Error
		if err := k.Validate(); !errors.As(err, &e) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	k := classifierTask()
	if err := k.Validate(); err != nil {
		t.Error(err)
	}
	base := fmt.Sprint(k.Fields(nil))
	for i, change := range []func(*Task){
		func(t *Task) { t.Networks.Hidden = []int{6} }, func(t *Task) { t.Networks.Batch = 5 },
		func(t *Task) { t.Networks.Rate = 1 }, func(t *Task) { t.LocalSteps = 3 },
		func(t *Task) { t.Networks.Classes = 5 }, func(t *Task) { t.Networks.Dropout = 0.5 },
	} {
		k := classifierTask()
		change(&k)
		if fmt.Sprint(k.Fields(nil)) == base {
			t.Errorf("change %d is not in the fields", i)
		}
	}
	if w := strings.Join(k.ShownWarnings(), ""); !strings.Contains(w, "how many members have which class as their largest") {
		t.Errorf("got %q", w)
	}
	if k.Networks.Classes = 3; k.ShownWarnings() != nil {
		t.Errorf("got %q", k.ShownWarnings())
	}
}

func TestLabelsThatAreNoClasses(t *testing.T) {
	for want, change := range map[string]func(*dataset.Participant){
		"label: want the column of the classes, got none: the model cgau learns classes":               func(p *dataset.Participant) { p.TrainLabels = nil },
		"p0: want labels that are whole numbers from 0, the same for a class at all members, got text": func(p *dataset.Participant) { p.TextLabels = true },
		"p0: label of row 3: want a class, a whole number from 0 to 999, got -1":                       func(p *dataset.Participant) { p.TrainLabels[2] = -1 },
		"p0: label of row 3: want a class, a whole number from 0 to 999, got 1.5":                      func(p *dataset.Participant) { p.TrainLabels[2] = 1.5 },
		"p0: label of row 3: want a class, a whole number from 0 to 999, got 1000":                     func(p *dataset.Participant) { p.TrainLabels[2] = 1000 },
		"p0: label of row 1: want a class, a whole number from 0 to 999, got 0.5":                      func(p *dataset.Participant) { p.TestLabels = []float64{0.5} },
	} {
		p := shifted(1, 1, 20)[0]
		change(&p)
		if _, err := classifierTask().Train(t.Context(), collabdict.Solo{}, p, nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	k := classifierTask()
	k.Networks.Classes = 2
	if err := k.CheckLabels(shifted(1, 1, 20)[0]); err == nil || !strings.Contains(err.Error(), "want a class from 0 to 1, as agreed, got 2; train with more --classes") {
		t.Errorf("got %v", err)
	}
	if err := example().CheckLabels(dataset.Participant{}); err != nil {
		t.Errorf("got %v", err)
	}
}

// Of weights by labels those of training alone count; of what a model is measured on, all.
func TestLabelFault(t *testing.T) {
	k := classifierTask()
	if want, _ := k.LabelFault()(0.5, false); want != "want a class, a whole number from 0 to 999" {
		t.Errorf("got %q", want)
	}
	k.Networks.Classes = 2
	if want, hint := k.LabelFault()(2, true); want != "want a class from 0 to 1, as agreed" || hint != "train with more --classes" {
		t.Errorf("got %q, %q", want, hint)
	}
	if want, _ := k.LabelFault()(1, true); want != "" {
		t.Errorf("got %q", want)
	}
	by := betaTask(Weighting{Weights: FedDisco}).LabelFault()
	if want, _ := by(-1, false); want != "" {
		t.Errorf("got %q of a row to test with", want)
	}
	if want, _ := by(math.NaN(), true); want == "" {
		t.Error("text is taken for a class")
	}
	if betaTask(byLatent).LabelFault() != nil {
		t.Error("labels that nothing follows from are checked")
	}
}
