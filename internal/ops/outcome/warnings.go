package outcome

import (
	"strings"

	"github.com/collabdict/collabdict/internal/run/report"
)

// phrases tell what the lines of a result that have no structure beside them are about.
var phrases = []struct {
	has  string
	kind report.WarningKind
}{
	{"privacy: with --model ", report.ShownWarning},
	{"privacy: before the first round, all members learn", report.LearnedWarning},
	{"another member's vector is recovered", report.UnhiddenWarning},
	{report.OpenSeats, report.OpenSeatsWarning},
	{"components of the shared model have only your rows", report.LoneRowsWarning},
	{"privacy: own components of fewer than", report.FewRowsWarning},
	{"statistics of some components were less diverse", report.FewRowsWarning},
	{"more groups of members whose part in sums is known", report.KnownWarning},
	{"its noise follows from the seed", report.SeededWarning},
}

// Described returns a line of warning with what it is about.
func Described(line string) report.Warning {
	w := report.Warning{Text: line}
	if names, text, of := strings.Cut(line, ": privacy: "); of { // participants that gave it
		w.Text, w.Members = "privacy: "+text, strings.Split(names, ", ")
	}
	for _, p := range phrases {
		if strings.Contains(line, p.has) {
			w.Kind = p.kind
			break
		}
	}
	return w
}

// describedAll returns lines with what they are about. Those of sums that differ by few members, and of an earlier
// run, are among the warnings of the result itself, which are given.
func describedAll(lines []string, of ...report.Warning) (list []report.Warning) {
	for _, line := range lines {
		w := Described(line)
		for _, known := range of {
			if known.Text == w.Text {
				w = known
			}
		}
		list = append(list, w)
	}
	return list
}
