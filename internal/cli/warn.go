package cli

import (
	"regexp"
	"strings"
)

// numbers are those in a warning, also as a list.
var numbers = regexp.MustCompile(`\d+(\.\d+)?(, \d+)*`)

// alikeMost is the number of participants that a warning names beside the first.
const alikeMost = 3

// warn prints warnings. Those that differ only in the participant and in numbers are one, which
// names the participants.
func (a *app) warn(warnings []string) {
	var order []string
	of := map[string][]string{} // by text without the participant and numbers
	for _, w := range warnings {
		_, said := spokenBy(w)
		key := numbers.ReplaceAllString(said, "")
		if of[key] == nil {
			order = append(order, key)
		}
		of[key] = append(of[key], w)
	}
	for _, key := range order {
		line, more := of[key][0], of[key][1:]
		var names []string
		for _, w := range more[:min(len(more), alikeMost)] {
			if name, _ := spokenBy(w); name != "" {
				names = append(names, name)
			}
		}
		switch rest := len(more) - len(names); {
		case len(names) == 0 && rest > 0:
			line += " [and " + count(rest, "more like it") + "]"
		case rest > 0:
			line += " [similar for " + strings.Join(names, ", ") + " and " + count(rest, "more participant") + "]"
		case len(names) > 0:
			line += " [similar for " + strings.Join(names, ", ") + "]"
		}
		a.note("warning: %s", line)
	}
}

// spokenBy returns the participant that a warning begins with, if any, and the rest of it.
func spokenBy(warning string) (name, said string) {
	name, said, found := strings.Cut(warning, ": ")
	if !found || strings.Contains(name, " ") || name == "privacy" || name == "threshold" {
		return "", warning
	}
	return name, said
}
