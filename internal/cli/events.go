package cli

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/run/scoring"
)

// mostEvents is the number of events that are printed.
const mostEvents = 12

// foundEvents are events to print.
type foundEvents struct {
	scoring.Events
	files bool // rows are of several files
}

// text prints the strongest events, in the order of rows.
func (f foundEvents) text(w io.Writer) {
	e := f.Events
	span := ""
	if e.Begin != "" {
		span = fmt.Sprintf(", %s to %s", e.Begin, e.End)
	}
	if e.NotScored > 0 {
		span += fmt.Sprintf(", and %s not scored", count(e.NotScored, "row"))
	}
	fmt.Fprintf(w, "%s%s: ", count(e.Rows, "row"), span)
	if e.Rows == 0 {
		fmt.Fprintln(w, "nothing to score")
		return
	}
	if !e.Judged {
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
	if e.LeftOut > 0 {
		fmt.Fprintf(w, "; %s left out by %s", counts(e.LeftOut, "anomaly", "anomalies"), scoring.RulesFile)
	}
	fmt.Fprintln(w)
	if len(e.Unlike) > 0 {
		fmt.Fprintf(w, "These rows are unlike those of training, above all in %s: check units and sensors first. Train again only if these rows are normal.\n", strings.Join(e.Unlike, ", "))
	}
	if len(e.Events) == 0 {
		return
	}
	shown := scoring.Strongest(e.Events, mostEvents)
	slices.SortFunc(shown, func(a, b scoring.Event) int { return cmp.Compare(a.First, b.First) })
	fmt.Fprintln(w)
	f.table(w, shown)
	var notes []string
	if more := len(e.Events) - len(shown); more > 0 {
		notes = append(notes, count(more, "weaker event")+" left out: --events --json lists all.")
	}
	if slices.ContainsFunc(shown, func(e scoring.Event) bool { return e.Start == "" || e.End == "" }) {
		over := ""
		if f.files {
			over = " over all files"
		}
		notes = append(notes, "Rows are numbered from 1"+over+", without the header.")
	}
	if len(notes) > 0 {
		fmt.Fprintf(w, "\n%s\n", strings.Join(notes, " "))
	}
}

// table prints events, one per line.
func (f foundEvents) table(w io.Writer, shown []scoring.Event) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := "start\tend\tanomalous rows\tpeak\tsensors"
	if f.files {
		head = dataset.FileColumn + "\t" + head
	}
	fmt.Fprintln(t, head)
	for _, e := range shown {
		if f.files {
			fmt.Fprintf(t, "%s\t", e.File)
		}
		start, end := e.Times()
		fmt.Fprintf(t, "%s\t%s\t%d of %d\t%.3g\t%s\n", start, end, e.Anomalies, e.Last-e.First+1, e.Peak, why(&e))
	}
	t.Flush()
}

// why says in a clause what the sensors of an event were at the peak.
func why(e *scoring.Event) string {
	var parts []string
	for _, c := range e.Culprits() {
		parts = append(parts, causeText(&c))
	}
	return strings.Join(parts, ", ")
}

// causeText says what a sensor was, and what the model expected.
func causeText(c *scoring.Cause) string {
	text, got := c.Sensor, cmp.Or(exactly(c.Got), "missing")
	if c.Of != "" && c.Of != "value" {
		text += " (" + c.Of + ")"
		if c.Got != nil {
			got = fourDigits(*c.Got) // no cell has it
		}
	}
	text += " " + got
	if c.Expected != nil {
		text += " (expected " + fourDigits(*c.Expected) + ")"
	}
	return text
}

// fourDigits formats a number with four digits, and more only before the point.
func fourDigits(v float64) string {
	if size := math.Abs(v); size >= 1e4 && size < 1e9 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
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
