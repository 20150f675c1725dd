package cli

import (
	"testing"

	"github.com/collabdict/collabdict/internal/run/scoring"
)

// comparisonOf returns a comparison of an old and a new model for n rows, where the new one has higher densities
// and lower scores of the rows from one to before another, on which it was trained. The old one is better in
// the other rows.
func comparisonOf(n, from, to int, faults ...int) *comparison {
	c := &comparison{falseAlarm: comparedShare}
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
			m.numbers, m.scores, m.densities = append(m.numbers, i+1), append(m.scores, v), append(m.densities, -v)
			m.isKnown, m.isAnomaly = append(m.isKnown, known), append(m.isAnomaly, false)
		}
		for _, f := range faults {
			m.isFault[f] = true
		}
	}
	return c
}

// Rows that trained a model are no evidence for it, if there are many.
func TestKnownRowsDoNotJudge(t *testing.T) {
	for _, of := range []struct {
		from, to, known, judged int
		better                  string
	}{{0, 0, 0, 1000, "old"}, {300, 1000, 700, 300, "old"}, {0, 1000, 1000, 0, ""}, {0, 150, 0, 1000, "old"}} {
		c := comparisonOf(1000, of.from, of.to)
		if err := c.judge(); err != nil {
			t.Fatal(err)
		}
		if c.New.Known != of.known || c.Old.Known != 0 || c.Judged != of.judged || c.Better != of.better {
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
