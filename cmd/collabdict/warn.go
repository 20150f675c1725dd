package main

import (
	"regexp"
	"strings"

	"github.com/collabdict/collabdict/internal/pipeline"
)

// alikeMost bounds the warnings that are told of many participants alike.
const alikeMost = 3

var figures = regexp.MustCompile(`\d+(\.\d+)?`)

// warn tells warnings. Of those that say the same of many participants, but for
// figures, only the first are told: the result has them all.
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
			a.note("warning: the same applies to %d more participants; the result lists all (--json, --out)", of[key]-alikeMost)
		}
	}
}

// warnOfShown tells before anything is shown what members will show each other and
// learn. The result has it, too.
func (a *app) warnOfShown(t *pipeline.Task) {
	a.warn(t.ShownWarnings())
}

// alike returns a warning without its participant and its figures.
func alike(warning string) string {
	if _, said, of := strings.Cut(warning, ": "); of && !strings.Contains(warning[:len(warning)-len(said)-2], " ") {
		warning = said
	}
	return figures.ReplaceAllString(warning, "")
}
