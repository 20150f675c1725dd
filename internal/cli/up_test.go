package cli

import (
	"context"
	"errors"
	"fmt"
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

// Of the errors of several nodes, those of nodes that were stopped for the sake of another one say
// least.
func TestTheErrorThatTellsMost(t *testing.T) {
	cause := errors.New("missing members")
	stopped := fmt.Errorf("a: %w", context.Canceled)
	for _, failed := range [][]error{{stopped, cause}, {cause, stopped}, {cause}} {
		if got := tellingError(failed); !errors.Is(got, cause) {
			t.Errorf("of %v: got %v", failed, got)
		}
	}
	if got := tellingError([]error{stopped}); !errors.Is(got, stopped) {
		t.Errorf("got %v", got)
	}
}
