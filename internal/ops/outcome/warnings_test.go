package outcome

import (
	"slices"
	"testing"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/internal/privacy"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/internal/testkit/pipelinetest"
	"github.com/collabdict/collabdict/model"
)

// The lines that the program writes are recognised.
func TestWarningsSayWhatTheyAreAbout(t *testing.T) {
	few := privacy.FewWarnings(2, 5)
	few = append(few, privacy.RuleWarnings([]algorithm.LowDiversity{{Component: 1, Round: 2, Rows: 1.5, Largest: 0.9, Action: string(privacy.SkipComponent)}})...)
	for kind, lines := range map[report.WarningKind][]string{
		report.ShownWarning:     pipelinetest.Task(t, "fedgen").ShownWarnings(),
		report.LearnedWarning:   pipelinetest.Task(t, "ggm", "pca=2").ShownWarnings(),
		report.FewRowsWarning:   few,
		report.LoneRowsWarning:  privacy.LoneWarnings([]int{1}),
		report.OpenSeatsWarning: {report.OpenSeats},
		report.UnhiddenWarning:  {pipeline.BreachWarning(report.Protection{Mode: string(chunking.Sessions), BreachPredicted: new(0.5)})},
		"":                      {"no model of your own rows alone"},
	} {
		if len(lines) == 0 {
			t.Errorf("%s: no line", kind)
		}
		for _, line := range lines {
			if got := Described(line); got.Kind != kind || got.Text != line || got.Members != nil {
				t.Errorf("%s: got %+v", kind, got)
			}
		}
	}
	if got := Described("plant-a, plant-b: " + few[0]); got.Kind != report.FewRowsWarning || got.Text != few[0] || !slices.Equal(got.Members, []string{"plant-a", "plant-b"}) {
		t.Errorf("of two participants, got %+v", got)
	}
}

// Whose data a warning is about follows from the sums that the result lists.
func TestWarningsNameTheMembersThatTheyAreAbout(t *testing.T) {
	changes := []report.LoneChange{{Members: []string{"c"}, Slots: [2]uint64{1, 2}, Rounds: [2]int{1, 2}, Known: "N, mean and covariance"}}
	past := &report.PastRun{Run: "0123456789abcdef01", Least: 1, Most: 1, Enough: 3, Joined: []string{"d"}}
	stated := report.Stated(changes, past)
	m := &model.Manifest{Privacy: model.Ledger{LoneChanges: changes, Protection: report.Protection{PastRun: past}}}
	got := Privacy(m, []string{stated[0].Text, "a, b: " + stated[1].Text, "another"}, nil, false).Warnings
	if len(got) != 3 || got[0].Kind != report.KnownWarning || !slices.Equal(got[0].Members, []string{"c"}) || got[1].Kind != report.PastRunWarning || !slices.Equal(got[1].Members, []string{"d"}) || got[2].Kind != "" {
		t.Errorf("got %+v", got)
	}
}
