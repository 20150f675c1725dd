package scoring

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

const (
	// Between is the number of normal rows that two anomalies of one event may have between them.
	Between = 3
	// leastShare is the share of an event's deviations from which on a sensor is guilty.
	leastShare = 0.15
	// sensorsPerEvent is the largest number of sensors that an event lists.
	sensorsPerEvent = 3
	// unlike is the factor by which anomalies exceed those promised if the rows are unlike the
	// own ones.
	unlike = 5
	// leastUnlike is the least share of the rows that are then anomalies. Fewer may be one fault.
	leastUnlike = 0.2
)

// An Event is anomalies that follow each other in a file.
type Event struct {
	File      string  `json:"file,omitempty"`      // if there are several
	First     int     `json:"first"`               // its first row
	Last      int     `json:"last"`                // its last row
	Start     string  `json:"start,omitempty"`     // time of the first row
	End       string  `json:"end,omitempty"`       // time of the last row
	Anomalies int     `json:"anomalies"`           // rows above the threshold
	Peak      float64 `json:"peak"`                // the highest score
	PeakRow   int     `json:"peak_row"`            // its row
	PeakTime  string  `json:"peak_time,omitempty"` // the time of that row
	Sensors   []Cause `json:"sensors,omitempty"`   // those with the largest share of the deviations in all its anomalies, with their values at the peak

	Weight float64 `json:"-"` // sum of its scores
}

// Takes reports whether an anomaly belongs to an event, if it is in the given row of a file.
func (e *Event) Takes(file string, row int) bool { return e.File == file && row <= e.Last+Between+1 }

// Times returns the first and the last time of an event, or the numbers of the rows.
func (e *Event) Times() (start, end string) {
	return cmp.Or(e.Start, fmt.Sprintf("row %d", e.First)), cmp.Or(e.End, fmt.Sprintf("row %d", e.Last))
}

// Culprits returns the guilty sensors, and otherwise the first.
func (e *Event) Culprits() []Cause {
	n := slices.IndexFunc(e.Sensors, func(c Cause) bool { return !c.Guilty })
	if n < 0 {
		n = len(e.Sensors)
	}
	return e.Sensors[:max(n, min(1, len(e.Sensors)))]
}

// Strongest returns the events with the largest sums of scores, at most the given number.
func Strongest(events []Event, most int) []Event {
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(a, b Event) int { return cmp.Compare(b.Weight, a.Weight) })
	return events[:min(most, len(events))]
}

// Events is what was found in rows.
type Events struct {
	Rows      int     `json:"rows"`                            // rows scored
	NotScored int     `json:"not_scored,omitempty"`            // rows without any cell that is a number
	Anomalies int     `json:"anomalies"`                       // those above the threshold
	Promised  float64 `json:"false_alarms_promised,omitempty"` // share of rows like the own ones
	// Threshold is the score above which a row is an anomaly, unless that rolls.
	Threshold report.Figure `json:"threshold,omitzero"`
	Unlike    []string      `json:"unlike_in,omitempty"` // sensors, if far more are anomalies
	Events    []Event       `json:"events"`              // in the order of rows

	Begin, End string `json:"-"` // times of the first and the last row
	Judged     bool   `json:"-"` // reports whether there was a threshold
}

// tally is what the sensors of an event follow from, while it goes on.
type tally struct {
	parts  []float64 // sums of the sensors' parts over its anomalies
	guilty []int     // number of anomalies per guilty sensor
	atPeak []Cause   // all sensors at the peak
	cells  []float64 // of the peak
}

// A Finder joins anomalies to events.
type Finder struct {
	m         *model.Model
	Explainer *Explainer
	Places    *Places
	found     Events
	going     tally // of the last event
}

// NewFinder returns a finder of events in rows that s scores. promised is the share of rows like the own
// ones that lie above the threshold, and places is where rows have their times.
func NewFinder(s *Scorer, promised float64, places *Places) *Finder {
	f := &Finder{m: s.Model, Explainer: NewExplainer(s.Model), Places: places, found: Events{Promised: promised, Events: []Event{}}}
	if limit := s.Limits.Limit(); !s.Limits.Rolls() && !math.IsNaN(limit) {
		f.found.Threshold = report.Of(limit)
	}
	return f
}

// Explains reports whether events name sensors.
func (f *Finder) Explains() bool { return f.m.Explainer() != nil && f.m.Projection == nil }

// Events returns the events so far. The last one may go on.
func (f *Finder) Events() []Event { return f.found.Events }

// Add adds a block of rows.
func (f *Finder) Add(r *Rows) error {
	f.Places.See(r.Block)
	before := max(0, len(f.found.Events)-1) // the last event may go on
	of := f.join(r)
	if !f.Explains() {
		return nil
	}
	why, err := f.Explainer.Rows(r, func(i int) bool { return of[i] >= 0 })
	if err != nil {
		return err
	}
	events := f.found.Events[before:]
	tallies := make([]tally, len(events))
	if len(events) > 0 {
		tallies[0] = f.going
	}
	for i, at := range of {
		if at >= 0 {
			tallies[at-before].add(&f.found.Events[at], why, i, r)
		}
	}
	if err := f.Explainer.sensors(events, tallies); err != nil || len(events) == 0 {
		return err
	}
	f.going = tallies[len(events)-1]
	return nil
}

// add adds the explanation of an anomaly, row i of a block.
func (t *tally) add(e *Event, why *Explained, i int, r *Rows) {
	_, parts, _ := why.ranked(why.places[i])
	if r.Numbers[i] == e.First {
		*t = tally{parts: make([]float64, len(parts)), guilty: make([]int, len(parts))}
	}
	for j, part := range parts {
		t.parts[j] += part
	}
	for _, j := range why.guilty[why.places[i]] {
		t.guilty[j]++
	}
	if r.Numbers[i] == e.PeakRow {
		t.atPeak, t.cells = why.Causes(i, 0), slices.Clone(r.X.RawRowView(i))
	}
}

// join adds the anomalies of a block to events. It returns the place of the event of each row, -1 for none.
func (f *Finder) join(r *Rows) []int {
	if f.found.Rows+f.found.NotScored == 0 {
		f.found.Begin = f.Places.TimeOf(r.Block, 0)
	}
	for _, empty := range r.Empty {
		if empty {
			f.found.NotScored++
		} else {
			f.found.Rows++
		}
	}
	f.found.End = f.Places.TimeOf(r.Block, len(r.Scores)-1)
	of := make([]int, len(r.Scores))
	for i, score := range r.Scores {
		of[i] = -1
		f.found.Judged = f.found.Judged || r.Verdicts[i] != Unknown
		if r.Verdicts[i] != Anomalous {
			continue
		}
		f.found.Anomalies++
		file, time := f.Places.FileOf(r.Block, i), f.Places.TimeOf(r.Block, i)
		last := len(f.found.Events) - 1
		if last < 0 || !f.found.Events[last].Takes(file, r.Numbers[i]) {
			f.found.Events = append(f.found.Events, Event{File: file, First: r.Numbers[i], Start: time, Peak: -math.MaxFloat64})
			last++
		}
		of[i] = last
		e := &f.found.Events[last]
		e.Last, e.End, e.Weight = r.Numbers[i], time, e.Weight+score
		if e.Anomalies++; e.Anomalies == 1 || score > e.Peak {
			e.Peak, e.PeakRow, e.PeakTime = math.Min(score, math.MaxFloat64), r.Numbers[i], time
		}
	}
	return of
}

// Found returns the events of all rows.
func (f *Finder) Found() Events {
	e := f.found
	weights := map[string]float64{} // share of anomalies in events of a sensor
	for _, x := range e.Events {
		for _, s := range x.Culprits() {
			weights[s.Sensor] += float64(x.Anomalies) / float64(max(1, e.Anomalies))
		}
	}
	expected := e.Promised * float64(e.Rows)
	if n := float64(e.Anomalies); e.Promised > 0 && n > unlike*expected+10 && n >= leastUnlike*float64(e.Rows) {
		for _, name := range f.m.DataColumns() {
			if weights[name] >= 0.2 {
				e.Unlike = append(e.Unlike, name)
			}
		}
	}
	return e
}
