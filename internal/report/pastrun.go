package report

import (
	"fmt"
	"strings"
)

// PastRun says that an earlier run differs from this one by so few members, or by the rows
// of so few, that the totals of the two tell something of these.
type PastRun struct {
	Run string `json:"run"`
	// Least and Most bound the number of changes: they differ if some members do not tell.
	Least int `json:"changes_least"`
	Most  int `json:"changes_most"`
	// Enough changes at once hide each of them.
	Enough int `json:"changes_enough"`
	// Left are members of the earlier run alone, Joined those of this run alone, and Changed
	// those of both whose rows have changed. Of Unknown members it is not known what of this
	// holds.
	Left    []string `json:"left,omitempty"`
	Joined  []string `json:"joined,omitempty"`
	Changed []string `json:"changed,omitempty"`
	Unknown []string `json:"unknown,omitempty"`
	// Unnamed members of the earlier run alone are not known by name in this folder.
	Unnamed int `json:"unnamed,omitempty"`
	// OtherSettings says that the two runs do not have the same settings.
	OtherSettings bool `json:"other_settings,omitempty"`
	// Known is what the totals tell of the rows that differ, exactly; "" where they tell it
	// only up to how the two models differ.
	Known string `json:"known,omitempty"`
}

// Line is the warning.
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

// changes lists what has changed.
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
