package cli

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/internal/run/scoring"
	"github.com/collabdict/collabdict/model"
)

// The events of a threshold are those that score finds with it, over gaps and several files.
func TestThresholdsCountTheEventsOfScore(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var rows []scoredRow
	r := &scoring.Rows{Block: dataset.Block{X: mat.NewDense(400, 1, nil), Empty: make([]bool, 400)}, Limits: make([]float64, 400)}
	number := 0
	for i := range 400 {
		number += 1 + random.IntN(2) // some rows are left out
		file := []string{"a", "b"}[i/200]
		rows = append(rows, scoredRow{score: random.ExpFloat64(), number: number, file: file})
		r.Scores, r.Numbers, r.Carried = append(r.Scores, rows[i].score), append(r.Numbers, number), append(r.Carried, []string{file})
	}
	gap := 1
	for _, rules := range []*scoring.Rules{{}, {Anomalies: 2, Of: 3}, {Gap: &gap}} {
		for _, limit := range []float64{0, 0.5, 1, 2, 4, 100} {
			r.Verdicts = make([]scoring.Verdict, len(rows))
			for i, row := range rows {
				if r.Verdicts[i] = scoring.Normal; row.score > limit {
					r.Verdicts[i] = scoring.Anomalous
				}
			}
			f := scoring.NewFinder(scoring.New(&model.Model{}, local.Fixed(limit), false), &scoring.Explainer{Model: &model.Model{}}, rules, 0, scoring.NewPlaces([]string{dataset.FileColumn}, ""))
			if err := f.Add(r); err != nil {
				t.Fatal(err)
			}
			var x choice
			x.count(rows, limit, false, rules)
			if found := f.Found(); x.Events != len(found.Events) || x.Anomalies != found.Anomalies || x.Found != nil {
				t.Errorf("above %g: %+v, want %d anomalies in %d events", limit, x, found.Anomalies, len(found.Events))
			}
		}
	}
}

// A fault is successive rows, and an event without any of them is another one.
func TestThresholdsCountFaults(t *testing.T) {
	var rows []scoredRow
	for i, r := range []struct {
		score float64
		fault int
	}{{9, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {3, 1}, {9, 1}, {9, 1}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {5, 2}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {2, 0}, {7, 0}} {
		rows = append(rows, scoredRow{score: r.score, number: i + 1, fault: r.fault})
	}
	for _, c := range []struct {
		limit                                        float64
		anomalies, events, found, foundRows, otherOf int
	}{{1, 7, 4, 2, 4, 2}, {4, 5, 4, 2, 3, 2}, {6, 4, 3, 1, 2, 2}, {8, 3, 2, 1, 2, 1}, {9, 0, 0, 0, 0, 0}} {
		var x choice
		x.count(rows, c.limit, true, &scoring.Rules{})
		got := []int{x.Anomalies, x.Events, *x.Found, *x.FoundRows, *x.Other}
		if want := []int{c.anomalies, c.events, c.found, c.foundRows, c.otherOf}; !slices.Equal(got, want) {
			t.Errorf("above %g: anomalies, events, faults, their rows and other events are %v, want %v", c.limit, got, want)
		}
	}
}

// One line says what the thresholds with one event a week miss, for all members that miss any.
func TestMissedFaultsAreNoted(t *testing.T) {
	of := func(name string, faults, found int, rules scoring.Rules) memberChoices {
		lower := faults
		return memberChoices{name, &choices{Faults: &faults, rules: rules, Thresholds: []choice{{Found: &lower}, {Found: &found, OneAWeek: true}}}}
	}
	none, unlabelled := of("c", 3, 0, scoring.Rules{}), of("d", 3, 0, scoring.Rules{})
	none.Thresholds[1].OneAWeek, unlabelled.Faults = false, nil
	joins := scoring.Rules{Anomalies: 2, Of: 3}
	for _, x := range []struct {
		all     []memberChoices
		missed  []int
		has     []string
		advises bool // events of several anomalies
	}{
		{[]memberChoices{of("", 3, 2, scoring.Rules{})}, []int{1}, []string{"1 of 3 faults"}, true},
		{[]memberChoices{of("", 1, 0, joins)}, []int{1}, []string{"1 of 1 fault"}, false},
		{[]memberChoices{of("", 3, 3, scoring.Rules{})}, []int{0}, nil, false},
		{[]memberChoices{of("a", 3, 1, joins), of("b", 2, 2, joins), none, unlabelled, of("e", 4, 3, scoring.Rules{})}, []int{2, 0, 0, 0, 1}, []string{"a 2 of 3", "e 1 of 4"}, true},
		{[]memberChoices{of("a", 2, 2, joins), of("b", 2, 1, joins)}, []int{0, 1}, []string{"b 1 of 2"}, false},
	} {
		for i, m := range x.all {
			if got := m.missed(); got != x.missed[i] {
				t.Errorf("%q: misses %d faults, want %d", m.Participant, got, x.missed[i])
			}
		}
		var text strings.Builder
		noteMissed(&text, x.all)
		got := strings.TrimSpace(text.String())
		for _, want := range x.has {
			if strings.Count(got, want) != 1 {
				t.Errorf("got %q, want %q once", got, want)
			}
		}
		if strings.Contains(got, "\n") || (got == "") != (x.has == nil) || strings.Contains(got, scoring.RulesFile) != x.advises {
			t.Errorf("got %q", got)
		}
	}
}

// Thresholds are listed from the largest share to the smallest, which has the highest threshold.
func TestThresholdsAreListedByShare(t *testing.T) {
	own := make([]float64, 3000)
	var rows []scoredRow
	for i := range own {
		own[i] = float64(i * 7919 % 3001)
		if i >= 2850 {
			own[i] += 1000
		}
		rows = append(rows, scoredRow{score: float64(i), number: i + 1})
	}
	m := &model.Model{Manifest: model.Manifest{FalseAlarm: 0.015}, Local: &model.Local{
		Nearest: local.NewNearest(mat.NewDense(2, 1, nil)), Held: 150,
		Scores: [][]float64{own, own}, Calibrations: []*model.Calibration{local.Calibrate(own), local.Calibrate(own)},
	}}
	m.SetThresholds()
	c := &choices{Days: 7}
	c.list(m, rows, nil)
	if len(c.Thresholds) < 5 || c.Faults != nil {
		t.Fatalf("got %+v", c)
	}
	for i, x := range c.Thresholds[1:] {
		before := c.Thresholds[i]
		lessPromised := x.FalseAlarm >= before.FalseAlarm && before.FalseAlarm > 0
		if lessPromised || x.Threshold <= before.Threshold || x.Anomalies > before.Anomalies {
			t.Errorf("%+v comes after %+v", x, before)
		}
		if *x.EventsPerDay != float64(x.Events)/7 {
			t.Errorf("got %+v, want the events of 2 days", x)
		}
	}
}

// ownScores returns a model whose thresholds for shares are those of scores from 0 to 0.999.
func ownScores() *model.Model {
	own := make([]float64, 1000)
	for i := range own {
		own[i] = float64(i) / 1000
	}
	m := &model.Model{Manifest: model.Manifest{FalseAlarm: 0.01}, Local: &model.Local{
		Nearest: local.NewNearest(mat.NewDense(2, 1, nil)),
		Scores:  [][]float64{own, own}, Calibrations: []*model.Calibration{local.Calibrate(own), local.Calibrate(own)},
	}}
	m.SetThresholds()
	return m
}

// If no promised threshold has at most one event a week, one of the rows' own scores has. One a day is listed
// as well.
func TestOneThresholdHasOneEventAWeek(t *testing.T) {
	var rows []scoredRow
	for i := range 2 * 7 * 24 { // hours of two weeks, with a peak every six hours
		r := scoredRow{number: i + 1, score: 0.5}
		if i%6 == 0 {
			r.score = 20 + float64(i*31%337)/100
		}
		rows = append(rows, r)
	}
	for _, labelled := range []bool{false, true} {
		c := &choices{Days: 14}
		if labelled {
			for i := range rows {
				if rows[i].score > 23 { // the highest are faults, each of its own
					rows[i].fault = i + 1
				}
			}
			n := 0
			c.Faults, c.FaultRows = &n, &n
		}
		c.list(ownScores(), rows, nil)
		week := c.Thresholds[len(c.Thresholds)-1]
		day := c.Thresholds[len(c.Thresholds)-2]
		if events := func(x choice) int {
			if labelled {
				return *x.Other
			}
			return x.Events
		}; events(week) != 2 || events(day) != 14 || !week.OneAWeek || day.OneAWeek || week.FalseAlarm != 0 || week.Of != ofTheseRows {
			t.Errorf("labels %v: got %+v and %+v, want 2 and 14 events, and the first for a week", labelled, week, day)
		}
	}
}

// Shares with the same threshold are one line, of the least share.
func TestEqualThresholdsStandOnce(t *testing.T) {
	m := ownScores()
	scores := m.Local.Scores[0]
	for i := 900; i < len(scores); i++ {
		scores[i] = 5
	}
	m.SetThresholds()
	c := &choices{}
	c.list(m, []scoredRow{{score: 1, number: 1}, {score: 70, number: 2}}, &choice{Threshold: 60, Of: ofFlag})
	var limits []float64
	for _, x := range c.Thresholds {
		limits = append(limits, x.Threshold)
	}
	if !slices.IsSorted(limits) || len(slices.Compact(limits)) != len(c.Thresholds) {
		t.Errorf("got thresholds %v, want each once", limits)
	}
	if last := c.Thresholds[len(c.Thresholds)-1]; last.Of != ofFlag || last.Anomalies != 1 {
		t.Errorf("got %+v, want the given threshold last", last)
	}
}

// The rounded threshold has the same rows above it, and few digits.
func TestThresholdsOfRowsAreRoundedUp(t *testing.T) {
	for _, of := range []struct{ v, next, want float64 }{
		{7.7263, 9, 8}, {7.7263, 7.9, 7.8}, {7.7263, 7.73, 7.727}, {173.9093, 408, 200}, {-2.34, -2.2, -2.3}, {9.99, 11, 10}, {0, 1, 0}, {0.0123, 0.015, 0.013},
	} {
		if got := roundedUp(of.v, []float64{-9, of.v, of.next}); math.Abs(got-of.want) > 1e-12*math.Abs(of.want) {
			t.Errorf("%g below %g: got %g, want %g", of.v, of.next, got, of.want)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		v := random.NormFloat64() * math.Pow(10, float64(random.IntN(8)-4))
		next := v + math.Abs(v)*math.Pow(10, -8*random.Float64())
		if got := roundedUp(v, []float64{v, next}); got < v || got >= next {
			t.Errorf("%g below %g: got %g", v, next, got)
		}
	}
}

// Rows of several files cover the sum of their times, in whatever order the files and rows are.
func TestTimesOfFilesAdd(t *testing.T) {
	const hour = 3600.0
	for _, order := range [][]float64{{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}} {
		var s span
		for _, at := range order {
			s.add(1e9 + at*hour)
		}
		if got := s.days(); math.Abs(got-4.0/24) > 1e-9 {
			t.Errorf("order %v: %g days, want four hours", order, got)
		}
	}
}
