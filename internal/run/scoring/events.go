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
	Sensors   []Cause `json:"sensors,omitempty"`   // those that explain its peak row, at most three

	Weight float64 `json:"-"` // sum of its scores
}

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
	LeftOut   int     `json:"left_out,omitempty"`              // anomalies in no event, as rules of sensors or maintenance leave them out
	Promised  float64 `json:"false_alarms_promised,omitempty"` // share of rows like the own ones
	// Threshold is the score above which a row is an anomaly, unless that rolls.
	Threshold report.Figure `json:"threshold,omitzero"`
	Unlike    []string      `json:"unlike_in,omitempty"` // sensors, if far more are anomalies
	Events    []Event       `json:"events"`              // in the order of rows

	Begin, End string `json:"-"` // times of the first and the last row
	Judged     bool   `json:"-"` // reports whether there was a threshold
}

// A course is an event while its rows come.
type course struct {
	Event
	place int  // among the events found; -1 as long as it has too few anomalies, or none of these rows
	told  bool // that it has enough anomalies
}

// A Finder joins anomalies to events.
type Finder struct {
	Explainer *Explainer
	Places    *Places
	// Watch, if not nil, is called with each event once it has enough anomalies, and with ended once no
	// more rows belong to it.
	Watch func(e Event, ended bool)
	// Stream forgets events that have ended, in rows without end.
	Stream bool
	// Continued says that files continue each other, so that an event may begin in one and end in the next.
	Continued bool

	m      *model.Model
	rules  *Rules
	joiner *Joiner
	found  Events
	going  *course   // nil between events
	ended  []*course // since the last block
}

// NewFinder returns a finder of events in rows that s scores and e explains, by rules. promised is the share
// of rows like the own ones that lie above the threshold, and places is where rows have their times.
func NewFinder(s *Scorer, e *Explainer, rules *Rules, promised float64, places *Places) *Finder {
	f := &Finder{m: s.Model, Explainer: e, Places: places, rules: rules, joiner: NewJoiner(rules), found: Events{Promised: promised, Events: []Event{}}}
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
	f.count(r)
	var why *Explained // of all anomalies, if rules need their sensors
	var err error
	if f.Explains() && len(f.rules.Sensors) > 0 {
		if why, err = f.Explainer.Rows(r, func(i int) bool { return r.Verdicts[i] == Anomalous }); err != nil {
			return err
		}
	}
	of, changed := make([]*course, len(r.Scores)), []*course(nil)
	for i := range r.Scores {
		if r.Verdicts[i] != Anomalous {
			continue
		}
		f.found.Anomalies++
		if f.excused(r, i, why) {
			f.found.LeftOut++
			continue
		}
		f.join(r, i)
		of[i] = f.going
		if n := len(changed); n == 0 || changed[n-1] != f.going {
			changed = append(changed, f.going)
		}
	}
	if f.Explains() && why == nil {
		isPeak := func(i int) bool { return of[i] != nil && r.Numbers[i] == of[i].PeakRow }
		if why, err = f.Explainer.Rows(r, isPeak); err != nil {
			return err
		}
	}
	for i, c := range of {
		if c != nil && why != nil && r.Numbers[i] == c.PeakRow {
			c.Sensors = why.Causes(i, sensorsPerEvent)
		}
	}
	if n := len(r.Numbers) - 1; !f.joiner.Takes(f.file(r, n), r.Numbers[n]+1) {
		f.end()
	}
	f.passOn(slices.DeleteFunc(changed, func(c *course) bool { return c.place < 0 }))
	return nil
}

// Undated reports whether rules have times of maintenance, but the rows no times to compare with.
func (f *Finder) Undated() bool {
	return len(f.rules.Maintenance) > 0 && (f.Places.Time < 0 || !f.Places.Clock.Dated())
}

// excused reports whether rules leave out an anomaly.
func (f *Finder) excused(r *Rows, i int, why *Explained) bool {
	if at, ok := f.Places.Seconds(r.Block, i); ok && f.Places.Clock.Dated() && f.rules.Maintained(at) {
		return true
	}
	return why != nil && f.rules.excuses(why.accused(i))
}

// join adds an anomaly to the event that goes on, or begins another one.
func (f *Finder) join(r *Rows, i int) {
	time, row, score := f.Places.TimeOf(r.Block, i), r.Numbers[i], r.Scores[i]
	if begins, _ := f.joiner.Add(f.file(r, i), row); begins {
		f.end()
		f.going = &course{Event: Event{File: f.Places.FileOf(r.Block, i), First: row, Start: time, Peak: -math.MaxFloat64}, place: -1}
	}
	c := f.going
	c.Last, c.End, c.Weight = row, time, c.Weight+score
	if c.Anomalies++; c.Anomalies == 1 || score > c.Peak {
		c.Peak, c.PeakRow, c.PeakTime = math.Min(score, math.MaxFloat64), row, time
	}
	if f.joiner.enough && c.place < 0 {
		c.place = len(f.found.Events)
		f.found.Events = append(f.found.Events, c.Event)
	}
}

// file returns what separates row i from events of other rows: its file, unless files continue each other.
func (f *Finder) file(r *Rows, i int) string {
	if f.Continued {
		return ""
	}
	return f.Places.FileOf(r.Block, i)
}

// End ends the event that goes on, as no rows follow.
func (f *Finder) End() {
	f.end()
	f.passOn(nil)
}

// end ends the event that goes on, if there is one.
func (f *Finder) end() {
	if f.going != nil {
		f.ended, f.going = append(f.ended, f.going), nil
	}
}

// passOn passes on the events that have enough anomalies now, and those that have ended: each one in turn, so that
// an event ends before the next one begins.
func (f *Finder) passOn(changed []*course) {
	tell := func(c *course, ended bool) {
		if f.Watch != nil {
			f.Watch(c.Event, ended)
		}
	}
	ended := f.ended
	for _, c := range changed {
		for len(ended) > 0 && ended[0].First < c.First {
			if ended[0].told {
				tell(ended[0], true)
			}
			ended = ended[1:]
		}
		f.found.Events[c.place] = c.Event
		if !c.told {
			tell(c, false)
		}
		c.told = true
	}
	for _, c := range ended {
		if c.told {
			tell(c, true)
		}
	}
	f.ended = nil
	if !f.Stream {
		return
	}
	f.found.Events = f.found.Events[:0]
	if c := f.going; c != nil && c.place >= 0 {
		c.place, f.found.Events = 0, append(f.found.Events, c.Event)
	}
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

// count counts the rows of a block.
func (f *Finder) count(r *Rows) {
	if f.found.Rows+f.found.NotScored == 0 {
		f.found.Begin = f.Places.TimeOf(r.Block, 0)
	}
	for i, empty := range r.Empty {
		if empty {
			f.found.NotScored++
		} else {
			f.found.Rows++
		}
		f.found.Judged = f.found.Judged || r.Verdicts[i] != Unknown
	}
	f.found.End = f.Places.TimeOf(r.Block, len(r.Scores)-1)
}
