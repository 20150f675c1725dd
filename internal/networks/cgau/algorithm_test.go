package cgau

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/networks"
	"github.com/collabdict/collabdict/internal/networks/average"
	"github.com/collabdict/collabdict/internal/testkit/algorithmtest"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
)

var quick = []string{"rounds=40", "hidden=8,6", "batch=20", "dropout=0"}

func with(options ...string) []string { return append(slices.Clone(quick), options...) }

func TestOptions(t *testing.T) {
	algorithmtest.Options(t, Kind, "rounds=150 local-steps=10 hidden=64,64 batch=32 rate=0.1 classes=0 dropout=0.5", map[string]string{
		"rounds 0":      "rounds=0",
		"classes 1":     "classes=1",
		"classes 1001":  "classes=1001",
		"local-steps 0": "local-steps=0",
		"hidden ":       "hidden",
		"hidden 3,0":    "hidden=3,0",
		"batch 0":       "batch=0",
		"rate 0":        "rate=0",
		"dropout 1":     "dropout=1",
		"latent 3":      "latent",
	})
}

func TestTraitsAndDisclosure(t *testing.T) {
	for classes, number := range map[string]int{"0": 0, "7": 7} {
		a := algorithmtest.New(t, Kind, with("classes="+classes)...).(*Settings)
		of := a.Traits()
		if of.Rounds != 40 || !of.HoldsRows || of.UnitRange || !of.Classes.Learned || of.Classes.Number != number {
			t.Errorf("got %+v", of)
		}
		if got, want := of.Values(5), len(NewModel(a.config(5, max(number, 2), 1)).Shared().Values); got != want {
			t.Errorf("%d weights, want %d", got, want)
		}
		d := a.Disclosure(algorithm.Coordinates{})
		if told := slices.Contains(d.Items, algorithm.ClassesItem()); told != (number == 0) {
			t.Errorf("%s classes: got %+v", classes, d)
		}
		if !slices.Contains(d.Items, average.ConditionsItem()) || !strings.Contains(algorithmtest.Shown(d, algorithm.Summed), "the loss") || algorithmtest.Shown(d, algorithm.Published) != "" || d.RowsBound {
			t.Errorf("got %+v", d)
		}
	}
}

// shifted returns rows of three classes in bands that are elsewhere at each participant.
func shifted(seed uint64, participants, each int) (all []algorithm.Data, rows []*mat.Dense) {
	for s := range participants {
		x := algorithmtest.Draw(seed+uint64(s), each, []float64{0, 0}, []float64{2, 1})
		d := algorithmtest.Of(s, x)
		edge := float64(s%4) - 1.5
		for i := range each {
			class := 0
			if v := x.At(i, 0); v > edge+0.7 {
				class = 2
			} else if v > edge-0.7 {
				class = 1
			}
			d.Classes = append(d.Classes, class)
		}
		d.TestClasses = d.Classes
		all, rows = append(all, d), append(rows, x)
	}
	return all, rows
}

func accuracy(t *testing.T, m algorithm.Model, z *mat.Dense, classes []int) float64 {
	t.Helper()
	p, err := m.(algorithm.Classifier).Probabilities(z)
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for i, c := range classes {
		if row := p.RawRowView(i); row[c] == slices.Max(row) {
			right++
		}
	}
	return float64(right) / float64(len(classes))
}

// All members hold the same weights, bit for bit, and each has its own conditions. The same secrets
// give the same conditions again; without conditions, members classify worse. The model has the
// classes of all members, although one member has only two.
func TestAlgorithmTogether(t *testing.T) {
	all, x := shifted(1, 4, 90)
	for i, c := range all[0].Classes {
		all[0].Classes[i] = min(c, 1)
	}
	a := algorithmtest.New(t, Kind, quick...)
	results, again := algorithmtest.Run(t, a, all), algorithmtest.Run(t, a, all)
	first := results[0].Model.(Trained)
	for s, r := range results {
		m := r.Model.(Trained)
		if !slices.Equal(m.Shared(), first.Shared()) {
			t.Errorf("participant %d has other weights", s)
		}
		if s > 0 && slices.Equal(m.Own(), first.Own()) {
			t.Errorf("participant %d has the conditions of another", s)
		}
		if !slices.Equal(m.Own(), again[s].Model.(Trained).Own()) {
			t.Errorf("participant %d gets other conditions when it starts again", s)
		}
		if r.TotalRows != 360 || r.Last.Number != 40 || r.Used["classes"] != 3 || r.Used["momentum"] != 0.9 || m.Classes() != 3 {
			t.Errorf("participant %d: %+v", s, r.Outcome)
		}
		with := accuracy(t, m, x[s], all[s].Classes)
		clear(m.Own())
		if without := accuracy(t, m, x[s], all[s].Classes); !(with > 0.85) || !(with > without) {
			t.Errorf("participant %d: accuracy %.3f with its conditions, %.3f without", s, with, without)
		}
		if !(r.Last.Objective > r.History[0].Objective) || r.History[0].Loss != -r.History[0].Objective {
			t.Errorf("history %+v", r.History)
		}
	}
}

// No vector that leaves a member has a place for conditions. The first vector holds its largest
// class. Each round then has two vectors. One holds the counts below each bound. The other holds
// the changes of weights and biases, a loss, two values of held-out rows (there are none) and the
// number of rows.
func TestAlgorithmSendsNoConditions(t *testing.T) {
	all, _ := shifted(1, 3, 40)
	a := algorithmtest.New(t, Kind, with("rounds=2")...)
	for s, r := range algorithmtest.Run(t, a, all) {
		m := r.Model.(Trained).Model
		round := []int{64 * (len(m.Shared().Shapes) + besides + 1), len(m.Shared().Values) + besides + 1}
		if want := slices.Concat([]int{algorithm.MostClasses}, round, round); !slices.Equal(r.Sums, want) || r.Gathers != 0 || len(m.Conditions().Values) != 2*(8+6) {
			t.Errorf("member %d, of %d conditions, sends vectors of %v values, want %v", s, len(m.Conditions().Values), r.Sums, want)
		}
	}
	var left [][]float64
	m := algorithmtest.Train(t, grouptest.Watch(lockstep.Run, &left), a, secret(all))[0].Model.(Trained)
	if last := left[len(left)-1][len(m.Shared()):]; !(last[0] > 0) || last[1] != 0 || last[2] != 0 || last[3] != 40 {
		t.Errorf("member 0 sends %v beside the changes", last)
	}
}

// secret gives each participant its own source.
func secret(all []algorithm.Data) []algorithm.Data {
	for s := range all {
		all[s].Source = rand.NewPCG(7, uint64(s))
	}
	return all
}

// A class that only test rows have is a class of the model. A class that no member announced is an
// error.
func TestClasses(t *testing.T) {
	all, _ := shifted(1, 2, 40)
	all[1].TestClasses = slices.Clone(all[1].TestClasses)
	all[1].TestClasses[0] = 4
	for s, r := range algorithmtest.Run(t, algorithmtest.New(t, Kind, with("rounds=2")...), all) {
		if got := r.Model.(Trained).Classes(); got != 5 {
			t.Errorf("participant %d: %d classes, want 5", s, got)
		}
	}
	a := algorithmtest.New(t, Kind, with("classes=4")...)
	if _, err := a.Learn(t.Context(), collabdict.Solo{}, all[1], nil); err == nil || err.Error() != "p1: label of row 41: want a class from 0 to 3, as agreed, got 4: train with more --classes" {
		t.Errorf("got %v", err)
	}
}

func TestFailedSumsLeaveTheModel(t *testing.T) {
	all, _ := shifted(1, 1, 40)
	two, more := algorithmtest.New(t, Kind, with("rounds=2", "classes=3")...), algorithmtest.New(t, Kind, with("rounds=5", "classes=3")...)
	for _, sums := range []int{2 * 2, 2*2 + 1} {
		algorithmtest.FailsLate(t, two, more, all[0], sums)
	}
}

// A participant with only one class gets a warning.
func TestOneClassCausesAWarning(t *testing.T) {
	a := algorithmtest.New(t, Kind, with("rounds=1")...)
	all, _ := shifted(1, 1, 20)
	for _, classes := range [][]int{all[0].Classes, slices.Repeat([]int{1}, 20)} {
		all[0].Classes = classes
		said := strings.Join(algorithmtest.Alone(t, a, all[0]).Warnings, "")
		if told := strings.Contains(said, "classes: all 20 own training rows are of class 1"); told != (slices.Max(classes) == 1) {
			t.Errorf("warnings %q", said)
		}
	}
}

// A participant that has not trained does better with conditions fitted to a few rows than with
// conditions of 0, or the mean of all; the shared parameters stay.
func TestAlgorithmAdapts(t *testing.T) {
	all, _ := shifted(1, 4, 90)
	a := algorithmtest.New(t, Kind, quick...)
	r := algorithmtest.Run(t, a, all)[0]
	a.(*Settings).Classes = 3
	m := algorithmtest.LoadedWhole(t, a, r.Model).(Trained)
	weights := slices.Clone(m.Shared())
	others, x := shifted(90, 4, 400)
	few := others[3]
	few.Rows, few.Classes = networks.Rows(x[3].Slice(0, 30, 0, 2).(*mat.Dense)), nil
	if rows, _, err := m.Adapt(t.Context(), few, 300); err != nil || rows != 0 {
		t.Fatalf("%d rows, %v", rows, err)
	}
	mean := accuracy(t, m, x[3], others[3].Classes)
	trained := r.Model.(Trained)
	trained.MeanCondition()
	if !slices.Equal(m.Own(), trained.Own()) {
		t.Error("the mean of a model that is loaded is another")
	}
	clear(m.Own())
	zero := accuracy(t, m, x[3], others[3].Classes)
	few.Classes = others[3].Classes[:30]
	if rows, warnings, err := m.Adapt(t.Context(), few, 300); err != nil || rows != 30 || warnings != nil {
		t.Fatalf("%d rows, %q, %v", rows, warnings, err)
	}
	if fitted := accuracy(t, m, x[3], others[3].Classes); !(fitted > 0.85) || !(fitted > zero+0.05) || !(fitted > mean+0.05) {
		t.Errorf("accuracy %.3f fitted, %.3f at 0, %.3f at the mean", fitted, zero, mean)
	}
	if !slices.Equal(m.Shared(), weights) {
		t.Error("weights have changed")
	}
	few.Classes = slices.Repeat([]int{1}, 30)
	if _, warnings, err := m.Adapt(t.Context(), few, 5); err != nil || !strings.Contains(strings.Join(warnings, ""), "all 30 rows to adapt to are of class 1") {
		t.Errorf("got %q, %v", warnings, err)
	}
	few.Classes = slices.Repeat([]int{3}, 30)
	if _, _, err := m.Adapt(t.Context(), few, 5); err == nil || !strings.Contains(err.Error(), "p3: label of row 1: want a class from 0 to 2, as agreed, got 3") {
		t.Errorf("got %v", err)
	}
}

func TestLoad(t *testing.T) {
	all, x := shifted(1, 2, 40)
	m := algorithmtest.Run(t, algorithmtest.New(t, Kind, with("rounds=2")...), all)[0].Model
	known := with("classes=3")
	got := algorithmtest.LoadedWhole(t, algorithmtest.New(t, Kind, known...), m).(Trained)
	p, err := got.Probabilities(x[0])
	if err != nil {
		t.Fatal(err)
	}
	if want, err := m.(Trained).Probabilities(x[0]); err != nil || !mat.Equal(p, want) {
		t.Errorf("other probabilities, %v", err)
	}
	algorithmtest.Refuses(t, Kind, m, map[string]func(algorithm.Algorithm, algorithmtest.Arrays){
		"classes: want their number, got none":                  func(a algorithm.Algorithm, _ algorithmtest.Arrays) { a.(*Settings).Classes = 0 },
		"classifier.0.weight: want shape [2 8], got [2 16]":     func(a algorithm.Algorithm, _ algorithmtest.Arrays) { a.(*Settings).Hidden = []int{4} },
		"classifier.2.weight: want shape [6 5], got [6 3]":      func(a algorithm.Algorithm, _ algorithmtest.Arrays) { a.(*Settings).Classes = 5 },
		"classifier.1.bias: want finite weights in single prec": func(_ algorithm.Algorithm, arrays algorithmtest.Arrays) { arrays[3].Values[0] = math.Inf(1) },
	}, known...)
}
