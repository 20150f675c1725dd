package cli

import (
	"regexp"
	"strings"
)

// alikeMost is the number of similar warnings printed about different participants.
const alikeMost = 3

var figures = regexp.MustCompile(`\d+(\.\d+)?`)

// warn prints warnings. Of warnings that differ only in the participant and figures, it prints
// the first few: the result has all.
func (a *app) warn(warnings []string) {
	of := map[string]int{}
	for _, w := range warnings {
		of[alike(w)]++
	}
	told := map[string]int{}
	for _, w := range warnings {
		key := alike(w)
		switch told[key]++; {
		case told[key] <= alikeMost:
			a.note("warning: %s", w)
		case told[key] == alikeMost+1:
			a.note("warning: the same applies to %s; the result lists all (--json, --out)", count(of[key]-alikeMost, "more participant"))
		}
	}
}

// alike returns a warning without its participant and figures.
func alike(warning string) string {
	if _, said, of := strings.Cut(warning, ": "); of && !strings.Contains(warning[:len(warning)-len(said)-2], " ") {
		warning = said
	}
	return figures.ReplaceAllString(warning, "")
}
