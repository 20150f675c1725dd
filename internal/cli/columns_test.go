package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/run/report"
)

// The line of a participant that has left does not move the columns of those after it.
func TestALostParticipantDoesNotMoveColumns(t *testing.T) {
	figure := func(v float64) report.Figure { return report.Figure{Value: v, Applies: true} }
	of := func(name string, found int) report.Participant {
		return report.Participant{
			Name: name, Rows: 320, ROCAUC: figure(0.8), Alone: &report.Scores{ROCAUC: figure(0.7)},
			HeldOut: &report.HeldOut{Verdict: &report.Verdict{By: report.ByFaults, Better: report.ByTogether, Rows: 48, FoundTogether: 100 * found, FoundAlone: found}},
		}
	}
	lost := report.Participant{Name: "plant-b", Rows: 400, Left: "nothing heard for 2m1.6s"}
	r := &report.Run{Model: "ggm", Alone: &report.Scores{ROCAUC: figure(0.7)}, ROCAUC: figure(0.8), Participants: []report.Participant{of("plant-a", 7), lost, of("plant-c", 1)}}
	var out bytes.Buffer
	(&app{}).runTable(&out, r)
	var ends []int
	for line := range strings.Lines(out.String()) {
		if i := strings.Index(line, report.ByTogether+"\n"); i > 0 && strings.Contains(line, "plant-") {
			ends = append(ends, i)
		}
	}
	if len(ends) != 2 || ends[0] != ends[1] {
		t.Errorf("the last column ends at %v:\n%s", ends, &out)
	}
}
