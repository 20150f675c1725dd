package simulate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/netsim"
)

// courseOf returns the course of a simulated run in virtual time, for figures. Objectives come from
// the participants' histories in the result, everything else of the rounds from what the
// simulation observed.
func courseOf(objective string, c netsim.Config, observed *netsim.Report, result *report.Run) *report.Course {
	course := &report.Course{Names: c.Names, Virtual: observed.Virtual, Objective: "objective", Choice: result.Choice}
	if objective != "" {
		course.Objective += " (" + objective + ")"
	}
	for _, s := range observed.Slots {
		course.Slots = append(course.Slots, report.Slot{Round: int(s.Decision.Round), At: s.At, Members: s.Decision.Members})
	}
	for _, m := range observed.Members {
		course.Sent = append(course.Sent, m.Bytes)
		var down []report.Span
		for _, d := range m.Down {
			down = append(down, report.Span(d))
		}
		course.Down = append(course.Down, down)
	}
	for _, e := range observed.Faults {
		course.Faults = append(course.Faults, report.Fault{Label: faultLabel(e.Fault, c.Names), Span: report.Span(e.Span)})
	}
	for _, rank := range slices.Sorted(maps.Keys(c.Adversaries)) {
		kind := strings.ToLower(strings.TrimLeft(fmt.Sprintf("%T", c.Adversaries[rank]), "*"))
		_, kind, _ = strings.Cut(kind, ".")
		course.Faults = append(course.Faults, report.Fault{Label: c.Names[rank] + " " + kind, Span: report.Span{To: observed.Virtual}})
	}
	for _, p := range result.Participants {
		if p.Weighting != nil {
			w := *p.Weighting
			w.Name = p.Name
			course.Weightings = append(course.Weightings, w)
		}
	}
	course.Rounds = roundsOf(c.Names, observed.Slots, result)
	return course
}

// roundsOf returns a row for each round of the decided slots. Messages and bytes are added, the error
// is the largest, and the members and the time are those of the round's last slot. Round 0 is the
// start-up.
func roundsOf(names []string, slots []netsim.Slot, result *report.Run) []report.RoundRow {
	objectives := map[int]report.Figure{}
	for _, r := range result.RoundRows() {
		objectives[r.Round] = r.Objective
	}
	var rows []report.RoundRow
	for _, s := range slots {
		d := s.Decision
		if n := len(rows); n == 0 || rows[n-1].Round != int(d.Round) {
			rows = append(rows, report.RoundRow{Round: int(d.Round), Objective: objectives[int(d.Round)], Traffic: &report.Traffic{}})
		}
		r := &rows[len(rows)-1]
		r.Members, r.Missing = len(d.Members), nil
		for _, m := range d.Missing {
			r.Missing = append(r.Missing, names[m.Member])
		}
		r.Traffic.Messages += s.Messages
		r.Traffic.Bytes += s.Bytes
		r.Traffic.Error = max(r.Traffic.Error, s.Difference)
		r.Traffic.Virtual = s.At.Seconds()
	}
	return rows
}

// faultLabel describes a fault in a few words.
func faultLabel(f netsim.Fault, names []string) string {
	switch f := f.(type) {
	case netsim.Churn:
		return fmt.Sprintf("churn %s", percent(f.Rate))
	case netsim.Slow:
		return fmt.Sprintf("%s ×%.3g slower", names[f.Member], f.Factor)
	case netsim.Clock:
		return fmt.Sprintf("%s own clock", names[f.Member])
	case netsim.Partition:
		sides := make([]string, len(f.Sides))
		for i, s := range f.Sides {
			sides[i] = ranges(s)
		}
		return "split " + strings.Join(sides, " | ")
	case netsim.Flap:
		return names[f.Member] + " links flap"
	case netsim.NAT:
		return "NAT" + of(f.Members)
	case netsim.Loss:
		return fmt.Sprintf("loss %s", percent(f.Rate)) + of(f.Members)
	case netsim.Duplicate:
		return fmt.Sprintf("duplicates %s", percent(f.Rate))
	case netsim.Reorder:
		return fmt.Sprintf("reordered %s", percent(f.Rate))
	case netsim.Bandwidth:
		return "narrow links" + of(f.Members)
	}
	return strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", f), "netsim."))
}

func percent(rate float64) string { return fmt.Sprintf("%.3g %%", 100*rate) }

// of lists members by their numbers from 1; an empty list means all.
func of(members []int) string {
	if len(members) == 0 {
		return ""
	}
	return " " + ranges(members)
}

// ranges writes ranks as numbers from 1, such as 1-4+7.
func ranges(members []int) string {
	sorted := slices.Sorted(slices.Values(members))
	var parts []string
	for i := 0; i < len(sorted); {
		j := i
		for j+1 < len(sorted) && sorted[j+1] == sorted[j]+1 {
			j++
		}
		part := fmt.Sprint(sorted[i] + 1)
		if j > i {
			part += fmt.Sprintf("-%d", sorted[j]+1)
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, "+")
}
