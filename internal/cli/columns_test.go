package cli

import (
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/run/report"
)

// Beside equal figures, the table says that they are the same. It asks only where they differ.
func TestEqualFiguresAreTheSame(t *testing.T) {
	for _, of := range []struct {
		verdict report.Verdict
		want    string
	}{
		{report.Verdict{By: report.ByFaults, Rows: 12, FoundTogether: 12, FoundAlone: 12}, "same"},
		{report.Verdict{By: report.ByFaults, Rows: 12, FoundTogether: 12, FoundAlone: 11}, "?"},
		{report.Verdict{By: report.ByFaults, Rows: 12, FoundTogether: 12, FoundAlone: 12, Better: report.ByTogether}, "together"},
		{report.Verdict{By: report.ByExchanged, Rows: 12, Together: report.Of(0.9121), Alone: report.Of(0.9119), Error: report.Of(0.1)}, "same"},
		{report.Verdict{By: report.ByExchanged, Rows: 1}, "?"},
	} {
		p := report.Participant{Name: "a", Rows: 10, HeldOut: &report.HeldOut{Verdict: &of.verdict}}
		_, line := columnsOf(&report.Run{Participants: []report.Participant{p}}, false)
		cells := strings.Split(strings.TrimSuffix(line(tableLineOf(p)), "\t"), "\t")
		if got := cells[len(cells)-1]; got != of.want {
			t.Errorf("%+v: got %q, want %q", of.verdict, got, of.want)
		}
	}
}
