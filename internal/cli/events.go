package cli

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/floats"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

const (
	// between is the number of normal rows that two anomalies of one event may have between them.
	between = 3
	// mostEvents is the number of events that are printed.
	mostEvents = 12
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

// An event is anomalies that follow each other in a file.
type event struct {
	File      string  `json:"file,omitempty"`      // if there are several
	First     int     `json:"first"`               // its first row
	Last      int     `json:"last"`                // its last row
	Start     string  `json:"start,omitempty"`     // time of the first row
	End       string  `json:"end,omitempty"`       // time of the last row
	Anomalies int     `json:"anomalies"`           // rows above the threshold
	Peak      float64 `json:"peak"`                // the highest score
	PeakRow   int     `json:"peak_row"`            // its row
	PeakTime  string  `json:"peak_time,omitempty"` // the time of that row
	Sensors   []cause `json:"sensors,omitempty"`   // those with the largest share of the deviations in all its anomalies, with their values at the peak

	weight float64   // sum of its scores
	parts  []float64 // sums of the sensors' parts over its anomalies
	guilty []int     // numbers of anomalies of which each sensor is guilty
	atPeak []cause   // all sensors at the peak
	cells  []float64 // of the peak
}

// events is what score found.
type events struct {
	Rows      int     `json:"rows"`                            // rows scored
	NotScored int     `json:"not_scored,omitempty"`            // rows without any cell that is a number
	Anomalies int     `json:"anomalies"`                       // those above the threshold
	Promised  float64 `json:"false_alarms_promised,omitempty"` // share of rows like the own ones
	// Threshold is the score above which a row is an anomaly, unless that rolls.
	Threshold report.Figure `json:"threshold,omitzero"`
	Unlike    []string      `json:"unlike_in,omitempty"` // sensors, if far more are anomalies
	Events    []event       `json:"events"`              // in the order of rows

	begin, end   string // times of the first and the last row
	hasThreshold bool
}

// A finder joins anomalies to events.
type finder struct {
	m         *model.Model
	explain   *explainer
	time      string // column of times, "" to find it
	timeAt    int    // place of it among the carried columns, -1 for none
	searching bool   // timeAt is not known yet
	clock     dataset.Clock
	names     []string // of the carried columns
	fileAt    int      // place of the file, -1 for none
	found     events
	weights   map[string]float64 // share of anomalies in events of a sensor
	pictures  *scorePictures     // nil for none
}

func newFinder(m *model.Model, promised float64, time string, limits *local.Threshold) *finder {
	f := &finder{m: m, explain: newExplainer(m), time: time, weights: map[string]float64{}, found: events{Promised: promised, Events: []event{}}}
	if limit := limits.Limit(); !limits.Rolls() && !math.IsNaN(limit) {
		f.found.Threshold = report.Of(limit)
	}
	return f
}

// carried takes the names of the carried columns.
func (f *finder) carried(names []string) {
	f.names, f.fileAt = names, slices.Index(names, dataset.FileColumn)
	f.timeAt = slices.Index(names, f.time)
	f.searching = f.timeAt < 0
}

// add adds the rows of a block, whose thresholds are limits.
func (f *finder) add(b dataset.Block, scores, limits []float64, verdicts []verdict) error {
	before := max(0, len(f.found.Events)-1) // the last event may go on
	of := f.join(b, scores, verdicts)
	if f.explains() {
		if err := f.name(b, of, exceeded(limits, verdicts), f.found.Events[before:]); err != nil {
			return err
		}
	}
	if f.pictures == nil {
		return nil
	}
	return f.pictures.add(f, b, scores, limits, verdicts)
}

// exceeded returns the limits of anomalies, and NaN for other rows.
func exceeded(limits []float64, verdicts []verdict) []float64 {
	out := slices.Clone(limits)
	for i, v := range verdicts {
		if v != anomalous {
			out[i] = math.NaN()
		}
	}
	return out
}

// name names the sensors of events whose last rows are in a block. of[i] is the event of row i, as a place
// among all, -1 for none.
func (f *finder) name(b dataset.Block, of []int, limits []float64, events []event) error {
	why, err := f.explain.rows(b.X, limits, func(i int) bool { return of[i] >= 0 })
	if err != nil {
		return err
	}
	for i, at := range of {
		if at >= 0 {
			f.found.Events[at].add(why, i, b)
		}
	}
	if err := f.explain.sensors(events); err != nil {
		return err
	}
	for i := range len(events) - 1 { // these do not go on
		events[i].parts, events[i].guilty, events[i].atPeak, events[i].cells = nil, nil, nil, nil
	}
	return nil
}

// add adds the explanation of an anomaly, row i of a block.
func (e *event) add(why *sensors, i int, b dataset.Block) {
	_, parts, _ := why.ranked(why.places[i])
	if e.parts == nil {
		e.parts, e.guilty = make([]float64, len(parts)), make([]int, len(parts))
	}
	floats.Add(e.parts, parts)
	for _, j := range why.guilty[why.places[i]] {
		e.guilty[j]++
	}
	if b.Numbers[i] == e.PeakRow {
		e.atPeak, e.cells = why.causes(i, 0), slices.Clone(b.X.RawRowView(i))
	}
}

// explains reports whether events name sensors.
func (f *finder) explains() bool { return f.m.Explainer() != nil && f.m.Projection == nil }

// join adds the anomalies of a block to events. It returns the place of the event of each row, -1 for none.
func (f *finder) join(b dataset.Block, scores []float64, verdicts []verdict) []int {
	if f.searching {
		f.timeAt, f.searching = timeAmong(b.Carried[0]), false
	}
	if f.found.Rows+f.found.NotScored == 0 {
		f.timeAt, f.clock.Serial = serialAmong(b, f.names, f.timeAt)
		f.found.begin = f.clock.Text(cell(b, 0, f.timeAt))
	}
	for _, empty := range b.Empty {
		f.found.Rows += one(!empty)
		f.found.NotScored += one(empty)
	}
	f.found.end = f.clock.Text(cell(b, len(scores)-1, f.timeAt))
	of := make([]int, len(scores))
	for i, score := range scores {
		of[i] = -1
		f.found.hasThreshold = f.found.hasThreshold || verdicts[i] != unknown
		if verdicts[i] != anomalous {
			continue
		}
		f.found.Anomalies++
		file, time := cell(b, i, f.fileAt), f.clock.Text(cell(b, i, f.timeAt))
		last := len(f.found.Events) - 1
		if last < 0 || !f.found.Events[last].takes(file, b.Numbers[i]) {
			f.found.Events = append(f.found.Events, event{File: file, First: b.Numbers[i], Start: time, Peak: -math.MaxFloat64})
			last++
		}
		of[i] = last
		e := &f.found.Events[last]
		e.Last, e.End, e.weight = b.Numbers[i], time, e.weight+score
		if e.Anomalies++; e.Anomalies == 1 || score > e.Peak {
			e.Peak, e.PeakRow, e.PeakTime = math.Min(score, math.MaxFloat64), b.Numbers[i], time
		}
	}
	return of
}

// takes reports whether an anomaly belongs to an event, if it is in the given row of a file.
func (e *event) takes(file string, row int) bool { return e.File == file && row <= e.Last+between+1 }

// timeAmong returns the place of the first cell that is a time, and no number; -1 if there is none.
func timeAmong(cells []string) int {
	return slices.IndexFunc(cells, func(c string) bool {
		var clock dataset.Clock
		clock.Order(slices.Values([]string{c}))
		_, _, ok := clock.Read(c)
		return ok && strings.ContainsAny(c, "/:T") || ok && strings.Count(c, "-") > 1
	})
}

// serialAmong returns the place of the column of times, given that of one that is known or looks like one. It
// reports whether the times are dates as Excel numbers them, in the first column.
func serialAmong(b dataset.Block, names []string, known int) (place int, serial bool) {
	first := slices.IndexFunc(names, func(name string) bool { return name != dataset.FileColumn })
	if first < 0 || known >= 0 && known != first {
		return known, false
	}
	var cells []string
	for _, row := range b.Carried {
		if row[0] != b.Carried[0][0] && first > 0 { // another file
			break
		}
		cells = append(cells, row[first])
	}
	if !dataset.SerialDates(names[first], cells) {
		return known, false
	}
	return first, true
}

// cell returns a row's cell at a place among the carried columns, "" if there is none.
func cell(b dataset.Block, row, place int) string {
	if place < 0 {
		return ""
	}
	return b.Carried[row][place]
}

// cellsOf yields the cells of a block at a place among the carried columns, none if there is no such place.
func cellsOf(b dataset.Block, place int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range b.Carried {
			if place < 0 || !yield(b.Carried[i][place]) {
				return
			}
		}
	}
}

// end returns the events of all rows.
func (f *finder) end() events {
	e := &f.found
	for _, x := range e.Events {
		for _, s := range x.culprits() {
			f.weights[s.Sensor] += float64(x.Anomalies) / float64(max(1, e.Anomalies))
		}
	}
	expected := e.Promised * float64(e.Rows)
	if n := float64(e.Anomalies); e.Promised > 0 && n > unlike*expected+10 && n >= leastUnlike*float64(e.Rows) {
		for _, name := range f.m.DataColumns() {
			if f.weights[name] >= 0.2 {
				e.Unlike = append(e.Unlike, name)
			}
		}
	}
	return *e
}

// text prints the strongest events, in the order of rows.
func (f *finder) text(w io.Writer) {
	e := f.found
	span := ""
	if e.begin != "" {
		span = fmt.Sprintf(", %s to %s", e.begin, e.end)
	}
	if e.NotScored > 0 {
		span += fmt.Sprintf(", and %s not scored", count(e.NotScored, "row"))
	}
	fmt.Fprintf(w, "%s%s: ", count(e.Rows, "row"), span)
	if e.Rows == 0 {
		fmt.Fprintln(w, "nothing to score")
		return
	}
	if !e.hasThreshold {
		fmt.Fprintln(w, "the model has no threshold; give one with --threshold")
		return
	}
	fmt.Fprintf(w, "%s in %s", counts(e.Anomalies, "anomaly", "anomalies"), count(len(e.Events), "event"))
	if e.Threshold.Defined {
		fmt.Fprintf(w, " (score above %.4g)", e.Threshold.Value)
	}
	if e.Promised > 0 {
		fmt.Fprintf(w, "; of rows like those of training, %s (%s)", falseAlarms(e.Promised*float64(e.Rows)), oneIn(e.Promised))
	}
	fmt.Fprintln(w)
	if len(e.Unlike) > 0 {
		fmt.Fprintf(w, "These rows are unlike those of training, above all in %s: check units and sensors first. Train again only if these rows are normal.\n", strings.Join(e.Unlike, ", "))
	}
	if len(e.Events) == 0 {
		return
	}
	shown := largest(e.Events, mostEvents)
	slices.SortFunc(shown, func(a, b event) int { return cmp.Compare(a.First, b.First) })
	fmt.Fprintln(w)
	f.table(w, shown)
	var notes []string
	if more := len(e.Events) - len(shown); more > 0 {
		notes = append(notes, count(more, "weaker event")+" left out: --events --json lists all.")
	}
	if slices.ContainsFunc(shown, func(e event) bool { return e.Start == "" || e.End == "" }) {
		over := ""
		if f.fileAt >= 0 {
			over = " over all files"
		}
		notes = append(notes, "Rows are numbered from 1"+over+", without the header.")
	}
	if len(notes) > 0 {
		fmt.Fprintf(w, "\n%s\n", strings.Join(notes, " "))
	}
}

// largest returns the events with the largest sums of scores, at most the given number.
func largest(events []event, most int) []event {
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(b.weight, a.weight) })
	return events[:min(most, len(events))]
}

// table prints events, one per line.
func (f *finder) table(w io.Writer, shown []event) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := "start\tend\tanomalous rows\tpeak\tsensors"
	if f.fileAt >= 0 {
		head = dataset.FileColumn + "\t" + head
	}
	fmt.Fprintln(t, head)
	for _, e := range shown {
		if f.fileAt >= 0 {
			fmt.Fprintf(t, "%s\t", e.File)
		}
		start, end := e.times()
		fmt.Fprintf(t, "%s\t%s\t%d of %d\t%.3g\t%s\n", start, end, e.Anomalies, e.Last-e.First+1, e.Peak, e.why())
	}
	t.Flush()
}

// times returns the first and the last time of an event, or the numbers of the rows.
func (e *event) times() (start, end string) {
	return cmp.Or(e.Start, fmt.Sprintf("row %d", e.First)), cmp.Or(e.End, fmt.Sprintf("row %d", e.Last))
}

// culprits returns the guilty sensors, and otherwise the first.
func (e *event) culprits() []cause {
	n := slices.IndexFunc(e.Sensors, func(c cause) bool { return !c.guilty })
	if n < 0 {
		n = len(e.Sensors)
	}
	return e.Sensors[:max(n, min(1, len(e.Sensors)))]
}

// why says in a clause what the sensors were at the peak.
func (e *event) why() string {
	var parts []string
	for _, c := range e.culprits() {
		parts = append(parts, c.text())
	}
	return strings.Join(parts, ", ")
}

// text says what a sensor was, and what the model expected.
func (c *cause) text() string {
	text := c.Sensor
	if c.Of != "" && c.Of != "value" {
		text += " (" + c.Of + ")"
	}
	text += " " + cmp.Or(exactly(c.Got), "missing")
	if c.Expected != nil {
		text += fmt.Sprintf(" (expected %.4g)", *c.Expected)
	}
	return text
}

// falseAlarms says in a clause how many false alarms are expected.
func falseAlarms(n float64) string {
	switch {
	case n < 0.75:
		return "fewer than one would be a false alarm"
	case n < 1.5:
		return "about one would be a false alarm"
	}
	return fmt.Sprintf("about %.0f would be false alarms", n)
}

// oneIn says a share as one in a number.
func oneIn(share float64) string { return fmt.Sprintf("1 in %.4g", 1/share) }

// counts says a number of things whose plural is not regular.
func counts(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
