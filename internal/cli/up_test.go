package cli

import (
	"testing"

	"github.com/collabdict/collabdict/internal/run/report"
)

// Of the participants of a run, those that a change of the roster has removed need not finish.
func TestRemovedParticipantsNeedNotFinish(t *testing.T) {
	names := []string{"a", "b", "c"}
	if n := staying(nil, names); n != 3 {
		t.Errorf("%d without a run, want 3", n)
	}
	run := &report.Run{RosterChanges: []report.RosterChange{{Removed: []string{"b", "x"}}}}
	if n := staying(run, names); n != 2 {
		t.Errorf("%d after b was removed, want 2", n)
	}
}
