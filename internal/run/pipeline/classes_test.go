package pipeline

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/dataset"
)

func TestLabelsThatAreNoClasses(t *testing.T) {
	for want, change := range map[string]func(*dataset.Participant){
		"label: want the column of the classes, got none: the model cgau learns classes":                           func(p *dataset.Participant) { p.TrainLabels = nil },
		"p0: want labels that are whole numbers from 0, with the same number for a class at all members, got text": func(p *dataset.Participant) { p.TextLabels = true },
		"p0: label of row 3: want a class, a whole number from 0 to 999, got -1":                                   func(p *dataset.Participant) { p.TrainLabels[2] = -1 },
		"p0: label of row 3: want a class, a whole number from 0 to 999, got 1.5":                                  func(p *dataset.Participant) { p.TrainLabels[2] = 1.5 },
		"p0: label of row 3: want a class, a whole number from 0 to 999, got 1000":                                 func(p *dataset.Participant) { p.TrainLabels[2] = 1000 },
		"p0: label of row 1: want a class, a whole number from 0 to 999, got 0.5":                                  func(p *dataset.Participant) { p.TestLabels = []float64{0.5} },
	} {
		p := shifted(1, 1, 20)[0]
		change(&p)
		if _, err := small(t, "cgau").Fit(t.Context(), collabdict.Solo{}, p, nil, nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if err := small(t, "cgau", "classes=2").CheckLabels(shifted(1, 1, 20)[0]); err == nil || !strings.Contains(err.Error(), "want a class from 0 to 1, as agreed, got 2; train with more --classes") {
		t.Errorf("got %v", err)
	}
	if err := example(t).CheckLabels(dataset.Participant{}); err != nil {
		t.Errorf("got %v", err)
	}
}

// Weights by labels require labels that are classes.
func TestLabelsThatWeigh(t *testing.T) {
	for want, of := range map[string]struct {
		classes string
		labels  []float64
	}{
		"label: want the column of the classes, got none: --weights feddisco needs": {"classes=0", nil},
		"p0: label of row 2: want a class from 0 to 1, as agreed, got 7":            {"classes=2", []float64{0, 7}},
		"p0: label of row 2: want a class, a whole number from 0 to 999, got -1":    {"classes=0", []float64{0, -1}},
	} {
		k, p := small(t, "bvae", "weights=feddisco", "effect=0.5", "offset=0.1", of.classes), shifted(1, 1, 20)[0]
		p.TrainLabels = of.labels
		if _, err := k.Fit(t.Context(), collabdict.Solo{}, p, nil, nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A classifier's labels must be classes in all rows. Labels that only weigh members must be classes
// in training rows.
func TestLabelFault(t *testing.T) {
	if want, _ := small(t, "cgau").LabelFault()(0.5, false); want != "want a class, a whole number from 0 to 999" {
		t.Errorf("got %q", want)
	}
	k := small(t, "cgau", "classes=2")
	if want, hint := k.LabelFault()(2, true); want != "want a class from 0 to 1, as agreed" || hint != "train with more --classes" {
		t.Errorf("got %q, %q", want, hint)
	}
	if want, _ := k.LabelFault()(1, true); want != "" {
		t.Errorf("got %q", want)
	}
	by := small(t, "bvae", "weights=feddisco").LabelFault()
	if want, _ := by(-1, false); want != "" {
		t.Errorf("got %q of a row to test with", want)
	}
	if want, _ := by(math.NaN(), true); want == "" {
		t.Error("text is taken for a class")
	}
	if small(t, "bvae", latent...).LabelFault() != nil {
		t.Error("labels that nothing follows from are checked")
	}
}

// A participant with fewer rows than published values must rest on gets an error before it sends
// anything.
func TestTooFewRowsToShowAnything(t *testing.T) {
	for kind, with := range map[string]string{"fedgen": "components=2", "fedgem": "components=2", "dem": "start=k-fed"} {
		k, p := small(t, kind, with), shifted(1, 1, 4)[0]
		want := "min-rows: want at least 5 training rows per participant, got 4 from p0"
		if err := k.CheckRows(p); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v", kind, err)
		}
		if _, err := k.Fit(t.Context(), untouched{}, p, rand.NewPCG(1, 1), nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v", kind, err)
		}
	}
	if err := small(t, "dem").CheckRows(shifted(1, 1, 4)[0]); err != nil {
		t.Errorf("dem, which shows no clusters: got %v", err)
	}
}

// untouched is a group that panics at any collective.
type untouched struct{ collabdict.Group }

func (untouched) Membership() collabdict.Membership { return collabdict.Membership{Size: 3} }
