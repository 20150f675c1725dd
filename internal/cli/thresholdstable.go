package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/collabdict/collabdict/internal/run/scoring"
)

// rate says how often events occur.
func rate(perDay float64) string {
	if perDay < 1 {
		return fmt.Sprintf("%.2g/week", 7*perDay)
	}
	return fmt.Sprintf("%.3g/day", perDay)
}

func (c *choices) text(w io.Writer) {
	fmt.Fprintf(w, "%s", count(c.Rows, "row"))
	if c.Days > 0 {
		fmt.Fprintf(w, " of %.3g days", c.Days)
	}
	if c.Faults != nil {
		fmt.Fprintf(w, ", %s in %s", count(*c.Faults, "fault"), count(*c.FaultRows, "row"))
	}
	fmt.Fprint(w, "\n\n")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "--false-alarm\tthreshold\tanomalies\tevents\t"
	if c.Faults != nil {
		head += "faults found\tfaulty rows found\tother events\t"
	}
	if c.Days > 0 {
		head += map[bool]string{true: "their", false: "event"}[c.Faults != nil] + " rate\t"
	}
	fmt.Fprintln(t, head)
	unpromised := false
	for _, x := range c.Thresholds {
		share := ""
		if x.FalseAlarm > 0 {
			share = fmt.Sprintf("%.4g", x.FalseAlarm)
		}
		unpromised = unpromised || x.Of == ofTheseRows
		limit := fmt.Sprintf("%.4g", x.Threshold)
		if x.Of == ofTheseRows || x.Of == ofFlag {
			limit = fmt.Sprintf("%.10g", x.Threshold) // as it is to be typed
		}
		line := fmt.Sprintf("%s\t%s\t%d\t%d\t", share, limit, x.Anomalies, x.Events)
		counted := x.Events
		if x.Found != nil {
			line += fmt.Sprintf("%d of %d\t%d of %d\t%d\t", *x.Found, *c.Faults, *x.FoundRows, *c.FaultRows, *x.Other)
			counted = *x.Other
		}
		if c.Days > 0 {
			line += rate(float64(counted)/c.Days) + "\t"
		}
		fmt.Fprintln(t, line+x.marks())
	}
	t.Flush()
	if unpromised {
		fmt.Fprintln(w, "\nThresholds without --false-alarm are scores of these rows, and promise nothing about others.")
	}
	if c.known {
		fmt.Fprintln(w, "\nMany of the rows trained the model. Their scores are too low, and so are these thresholds: take later rows.")
	}
	if len(c.rules.Sensors) > 0 {
		fmt.Fprintln(w, "\nRules of sensors are left out here, so score may find fewer events.")
	}
	i := c.oneAWeek()
	switch {
	case i >= 0:
		x := c.Thresholds[i]
		fmt.Fprintf(w, "\nFor at most one event a week in rows like these%s: %s%s\n", c.counted(), c.command, x.flag())
		if c.Kept != "" {
			fmt.Fprintf(w, "It is kept in %s.\n", c.Kept)
		} else {
			fmt.Fprintln(w, "To keep it for each score, add --keep.")
		}
		if c.Days < fewDays {
			fmt.Fprintf(w, "%.3g days show little of a week: with more rows, the threshold is surer.\n", c.Days)
		}
	case c.Days > 0:
		fmt.Fprintf(w, "\n%.3g days are too few for a threshold of one event a week. Until there are more, the model's counts.\n", c.Days)
	default:
		fmt.Fprintln(w, "\nNo column has times, so there are no events per week.")
	}
}

// missed returns how many faults the threshold with one event a week misses.
func (c *choices) missed() int {
	if i := c.oneAWeek(); i >= 0 && c.Faults != nil {
		return *c.Faults - *c.Thresholds[i].Found
	}
	return 0
}

// noteMissed says which faults the thresholds with one event a week miss, in one line for all members. The only
// model has no member's name.
func noteMissed(w io.Writer, all []memberChoices) {
	var misses []string
	single, joined := len(all) == 1 && all[0].Participant == "", true
	for _, m := range all {
		n := m.missed()
		if n == 0 {
			continue
		}
		if joined = joined && m.rules.Anomalies > 1; single {
			fmt.Fprintf(w, "It misses %d of %s.", n, count(*m.Faults, "fault"))
		}
		misses = append(misses, fmt.Sprintf("%s %d of %d", m.Participant, n, *m.Faults))
	}
	if misses == nil {
		return
	}
	if !single {
		fmt.Fprintf(w, "\nThe thresholds with one event a week miss faults: %s.", listed(misses))
	}
	fmt.Fprint(w, " A lower threshold, with more events, may find more")
	if !joined {
		fmt.Fprintf(w, "; so may events of several anomalies: write anomalies: 2 and of: 3 into %s, and type this command again", scoring.RulesFile)
	}
	fmt.Fprintln(w, ".")
}

// fewDays is the time below which rare events are not sure to be rare.
const fewDays = 21

// counted says which events count.
func (c *choices) counted() string {
	if c.Faults == nil {
		return ", faults included"
	}
	return " without a fault"
}

// marks says in the table what is special about a threshold.
func (x *choice) marks() string {
	var marks []string
	switch x.Of {
	case ofModel:
		marks = append(marks, "the model's")
	case ofFlag:
		marks = append(marks, "as given")
	}
	if x.OneAWeek {
		marks = append(marks, "one a week")
	}
	if marks == nil {
		return ""
	}
	return "  " + strings.Join(marks, ", ")
}

// flag returns the flag of score for a threshold, with a space before it.
func (x *choice) flag() string {
	switch {
	case x.Of == ofModel:
		return ""
	case x.FalseAlarm > 0:
		return fmt.Sprintf(" --false-alarm %g", x.FalseAlarm)
	}
	return fmt.Sprintf(" --threshold %g", x.Threshold)
}
