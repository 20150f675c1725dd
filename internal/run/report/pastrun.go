package report

import (
	"fmt"
	"strings"
)

// PastRun reports an earlier run that differs from this one by few members, or in the rows of
// few members, so that the totals of both reveal something about them.
type PastRun struct {
	Run   string `json:"run"`           // its identity
	Least int    `json:"changes_least"` // the fewest changes between the two runs
	// Most are the most changes; more than the fewest if members do not say what has changed.
	Most int `json:"changes_most"`
	// Enough is the number of simultaneous changes that hide each of them.
	Enough  int      `json:"changes_enough"`
	Left    []string `json:"left,omitempty"`    // members of the earlier run only
	Joined  []string `json:"joined,omitempty"`  // members of this run only
	Changed []string `json:"changed,omitempty"` // members of both whose rows have changed
	// Unknown are members of both that do not say whether their rows have changed.
	Unknown []string `json:"unknown,omitempty"`
	// Unnamed counts the members of only the earlier run whose names this folder does not have.
	Unnamed int `json:"unnamed,omitempty"`
	// OtherSettings reports that the two runs have different settings.
	OtherSettings bool `json:"other_settings,omitempty"`
	// Known is what the totals reveal exactly about the rows that differ; "" if only up to the
	// difference of the two models.
	Known string `json:"known,omitempty"`
}

// Line returns the warning.
func (p *PastRun) Line() string {
	count, differs := p.Least, "differs"
	if p.Least != p.Most {
		count, differs = max(1, p.Least), "may differ"
	}
	by := "1 member"
	if count > 1 {
		by = fmt.Sprintf("%d members", count)
	}
	short := p.Run[:min(16, len(p.Run))]
	known := p.Known + " of the rows that differ become"
	switch {
	case p.Known == "":
		known = "the contribution of the rows that differ becomes, up to the difference of the two models,"
	case !strings.Contains(p.Known, ","):
		known = p.Known + " that differ and, up to the difference of the two models, their contribution become"
	}
	if p.OtherSettings {
		known = "for the sums that both runs made, " + known
	}
	return fmt.Sprintf("privacy: this run %s from the earlier run %s by %s (%s): by subtracting the totals, %s known to all members of both. Only noise, or at least %d changes at once, hide it",
		differs, short, by, p.changes(), known, p.Enough)
}

// changes lists the changes.
func (p *PastRun) changes() string {
	var parts []string
	add := func(names []string, one, several string) {
		switch len(names) {
		case 0:
		case 1:
			parts = append(parts, names[0]+" "+one)
		default:
			parts = append(parts, strings.Join(names, ", ")+" "+several)
		}
	}
	add(p.Joined, "was not in it", "were not in it")
	add(p.Left, "was in it, and is not in this run", "were in it, and are not in this run")
	switch p.Unnamed {
	case 0:
	case 1:
		parts = append(parts, "1 more of its members is not in this run")
	default:
		parts = append(parts, fmt.Sprintf("%d more of its members are not in this run", p.Unnamed))
	}
	add(p.Changed, "has other rows", "have other rows")
	add(p.Unknown, "does not say whether its rows have changed", "do not say whether their rows have changed")
	return strings.Join(parts, "; ")
}
