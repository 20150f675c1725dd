package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/mixtures/ggm"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/internal/run/scoring"
	"github.com/collabdict/collabdict/model"
)

// comparisonOf returns a comparison of an old and a new model for n rows, where the new one has lower scores of
// the rows from one to before another, on which it was trained.
func comparisonOf(n, from, to int, faults ...int) *comparison {
	c := &comparison{falseAlarm: report.FoundAt}
	for _, m := range []*comparedModel{&c.Old, &c.New} {
		m.isFault, m.knownRows = make([]bool, n), &scoring.KnownRows{Rows: n}
		for i := range n {
			v := float64(i % 7)
			known := m == &c.New && i >= from && i < to
			switch {
			case known:
				m.knownRows.Known++
				v -= 10
			case m == &c.New:
				v += 2
			}
			m.numbers, m.scores = append(m.numbers, i+1), append(m.scores, v)
			m.isKnown, m.isAnomaly = append(m.isKnown, known), append(m.isAnomaly, i%10 == 0)
		}
		for _, f := range faults {
			m.isFault[f] = true
		}
	}
	return c
}

// Rows that trained a model are no evidence for it, if there are many, and no anomalies that count. The old model
// finds the faults, and the new one does not.
func TestKnownRowsDoNotJudge(t *testing.T) {
	for _, of := range []struct {
		from, to, known, judged int
		better                  string
	}{{0, 0, 0, 1000, "old"}, {300, 1000, 700, 300, "old"}, {0, 1000, 1000, 0, ""}, {0, 150, 0, 1000, "old"}} {
		var faults []int
		for i := 5; i < 1000; i += 20 {
			faults = append(faults, i)
		}
		c := comparisonOf(1000, of.from, of.to, faults...)
		for _, i := range faults {
			c.Old.scores[i] = 100
		}
		if err := c.judge(); err != nil {
			t.Fatal(err)
		}
		if c.New.Known != of.known || c.Old.Known != 0 || c.Judged != of.judged || c.Old.Anomalies != of.judged/10 || c.Both != of.judged/10 || c.Better != of.better {
			t.Errorf("trained on %d rows: %d known, %d judge, %q is better; want %d, %d, %q", of.to-of.from, c.New.Known, c.Judged, c.Better, of.known, of.judged, of.better)
		}
	}
}

// Of one fault, what is found is reported, and no model is better.
func TestOneFaultIsReported(t *testing.T) {
	c := comparisonOf(600, 0, 0, 10, 11, 12, 13)
	for i := 10; i < 14; i++ {
		c.New.scores[i] = 100
	}
	if err := c.judge(); err != nil {
		t.Fatal(err)
	}
	if *c.Faults != 4 || *c.New.Found != 4 || *c.Old.Found != 0 || c.New.ROCAUC.Value != 1 || !c.Old.ROCAUC.Defined || c.Better != "" {
		t.Errorf("got %+v", c)
	}
	c = comparisonOf(4, 0, 0, 0, 1, 2, 3)
	if err := c.judge(); err != nil || *c.New.Found != 0 || c.New.ROCAUC.Defined || c.Better != "" {
		t.Errorf("without other rows: %+v, %v", c, err)
	}
}

// Faults are compared at the share of false alarms that was asked for.
func TestFaultsAreComparedAtTheShare(t *testing.T) {
	for share, want := range map[float64]int{0.01: 1, 0.5: 2} {
		c := comparisonOf(700, 0, 0, 0, 350)
		c.falseAlarm = share
		c.Old.scores[0], c.Old.scores[350] = 5, 100
		if err := c.judge(); err != nil || *c.Old.Found != want {
			t.Errorf("share %g: %d found, want %d; %v", share, *c.Old.Found, want, err)
		}
	}
}

// If the scores of faults show no better model, and both thresholds find the same faults, false alarms decide.
func TestFalseAlarmsCompareModelsThatFindTheSame(t *testing.T) {
	for _, of := range []struct {
		name          string
		old, new      func(row int) bool // false alarms
		missed        bool               // by the new model
		events, found int                // faults in all, and those that the new model finds
		oldAlarms     int
		by, better    string
	}{
		{"fewer", func(i int) bool { return i%40 == 7 }, nil, false, 8, 8, 25, byFalseAlarms, "new"},
		{"more", nil, func(i int) bool { return i%40 == 7 }, false, 8, 8, 0, byFalseAlarms, "old"},
		{"none", nil, nil, false, 8, 8, 0, byFalseAlarms, report.Same},
		{"one burst", func(i int) bool { return i >= 510 && i < 560 }, nil, false, 8, 8, 50, report.ByFaults, ""},
		{"another fault", func(i int) bool { return i%40 == 7 }, nil, true, 8, 7, 25, report.ByFaults, ""},
	} {
		c := comparisonOf(1000, 0, 0, 100, 101, 200, 201, 300, 400, 500, 600, 700, 800)
		for _, m := range []*comparedModel{&c.Old, &c.New} {
			m.Threshold = report.Of(50)
			alarms := of.old
			if m == &c.New {
				alarms = of.new
			}
			for i, is := range m.isFault {
				if m.isAnomaly[i] = is || alarms != nil && alarms(i); is {
					m.scores[i] = 100
				}
			}
		}
		if of.missed {
			c.New.isAnomaly[300] = false
		}
		if err := c.judge(); err != nil {
			t.Fatal(err)
		}
		if *c.Events != of.events || *c.Old.Events != of.events || *c.New.Events != of.found || *c.Old.FalseAlarms != of.oldAlarms || c.By != of.by || c.Better != of.better {
			t.Errorf("%s: by %s, %q is better, %d of %d faults, %d false alarms of the old model; want %s, %q, %d of %d, %d", of.name, c.By, c.Better, *c.New.Events, *c.Events, *c.Old.FalseAlarms, of.by, of.better, of.found, of.events, of.oldAlarms)
		}
	}
}

// Without labels, copies of rows with an exchanged value judge, as after training: the better model knows how
// columns depend on each other. Two like models are the same, and of few rows nothing can be said. Columns that
// one model does not have are exchanged as well.
func TestExchangedValuesCompareModels(t *testing.T) {
	dir := t.TempDir()
	of := func(name string, dependence float64, columns ...string) string {
		dim := len(columns)
		precision := mat.NewSymDense(dim, nil)
		for i := range dim {
			precision.SetSym(i, i, 1)
		}
		precision.SetSym(0, 1, -dependence)
		mixture, err := gmm.NewMixture([]float64{1}, mat.NewDense(1, dim, nil), []*mat.SymDense{precision})
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.New(ggm.Kind.Name, ggm.Kind.New().Options(), columns, mixture)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if err := m.Write(file); err != nil {
			t.Fatal(err)
		}
		return path
	}
	knows, alike := of("knows.npz", 0.95, "a", "b", "c"), of("alike.npz", 0.95, "b", "a", "c")
	ignores, lacks := of("ignores.npz", 0, "a", "b", "c"), of("lacks.npz", 0, "c", "a")
	random, text := rand.New(rand.NewPCG(1, 1)), "a,b,c\n"
	for range 600 {
		a := 3 * random.NormFloat64()
		text += fmt.Sprintf("%.3f,%.3f,%.3f\n", a, a+random.NormFloat64()/2, random.NormFloat64())
	}
	many, few := filepath.Join(dir, "many.csv"), filepath.Join(dir, "few.csv")
	for path, text := range map[string]string{many: text, few: text[:6+strings.LastIndex(text[6:200], "\n")]} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct{ old, new, rows, better string }{
		{knows, ignores, many, "old"}, {ignores, knows, many, "new"}, {knows, lacks, many, "old"}, {knows, alike, many, "same"}, {knows, alike, few, ""},
	} {
		var c comparison
		for to, path := range map[*comparedModel]string{&c.Old: x.old, &c.New: x.new} {
			s := scoredFlags{model: path}
			s.data, s.text = []string{x.rows}, ofModel
			if err := new(app).openCompared(&s, to); err != nil {
				t.Fatal(err)
			}
			if err := to.score(&s); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.judge(); err != nil {
			t.Fatal(err)
		}
		if c.Better != x.better || c.By != report.ByExchanged || !c.Error.Defined || !c.Old.ROCAUC.Defined {
			t.Errorf("%s and %s: %q is better, want %q: %s", filepath.Base(x.old), filepath.Base(x.new), c.Better, x.better, c.Why)
		}
	}
}

// A kept threshold counts only if both models have one: otherwise, both are compared by their own.
func TestOneKeptThresholdDoesNotCount(t *testing.T) {
	for _, of := range []struct {
		old, new bool
		kept     string
	}{{false, false, ""}, {true, false, keptByOld}, {false, true, keptByNew}, {true, true, keptByBoth}} {
		flags := func(kept bool) *scoredFlags {
			s := &scoredFlags{kept: kept}
			if kept {
				s.text = "7.5"
			}
			return s
		}
		before, after := flags(of.old), flags(of.new)
		c := &comparison{}
		c.takeKept(before, after)
		both := of.kept == keptByBoth
		if c.Kept != of.kept || before.ofModel() == both || after.ofModel() == both || before.kept != both || after.kept != both {
			t.Errorf("kept by the old model %v, by the new one %v: got %q, thresholds %q and %q", of.old, of.new, c.Kept, before.text, after.text)
		}
	}
	given := func() *scoredFlags { return &scoredFlags{thresholdFlags: thresholdFlags{text: "9"}} }
	before, after := given(), given()
	c := &comparison{}
	if c.takeKept(before, after); c.Kept != "" || before.text != "9" || after.text != "9" {
		t.Errorf("a given threshold: got %q, thresholds %q and %q", c.Kept, before.text, after.text)
	}
}
