package cli

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/model"
)

// The events of a threshold are those that score finds with it, over gaps and several files.
func TestThresholdsCountTheEventsOfScore(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var rows []scoredRow
	b := dataset.Block{X: mat.NewDense(400, 1, nil)}
	number := 0
	for i := range 400 {
		number += 1 + random.IntN(2) // some rows are left out
		file := []string{"a", "b"}[i/200]
		rows = append(rows, scoredRow{score: random.ExpFloat64(), number: number, file: file})
		b.Numbers, b.Carried = append(b.Numbers, number), append(b.Carried, []string{file})
	}
	for _, limit := range []float64{0, 0.5, 1, 2, 4, 100} {
		f := newFinder(&model.Model{}, 0, "", local.Fixed(limit))
		f.carried([]string{dataset.FileColumn})
		scores, verdicts := make([]float64, len(rows)), make([]verdict, len(rows))
		for i, r := range rows {
			scores[i], verdicts[i] = r.score, verdictOf(r.score > limit, true)
		}
		f.join(b, scores, verdicts)
		var x choice
		x.count(rows, limit, false)
		if x.Events != len(f.found.Events) || x.Anomalies != f.found.Anomalies || x.Found != nil {
			t.Errorf("above %g: %+v, want %d anomalies in %d events", limit, x, f.found.Anomalies, len(f.found.Events))
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
		x.count(rows, c.limit, true)
		got := []int{x.Anomalies, x.Events, *x.Found, *x.FoundRows, *x.Other}
		if want := []int{c.anomalies, c.events, c.found, c.foundRows, c.otherOf}; !slices.Equal(got, want) {
			t.Errorf("above %g: anomalies, events, faults, their rows and other events are %v, want %v", c.limit, got, want)
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
	c := &choices{Days: 2}
	c.list(m, rows)
	if len(c.Thresholds) < 8 || c.Faults != nil {
		t.Fatalf("got %+v", c)
	}
	for i, x := range c.Thresholds[1:] {
		before := c.Thresholds[i]
		if x.FalseAlarm >= before.FalseAlarm || x.Threshold < before.Threshold || x.Anomalies > before.Anomalies {
			t.Errorf("%+v comes after %+v", x, before)
		}
		if *x.EventsPerDay != float64(x.Events)/2 {
			t.Errorf("got %+v, want the events of 2 days", x)
		}
	}
}
