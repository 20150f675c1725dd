package report

import (
	"errors"
	"slices"
	"testing"
)

func TestCombineTellsAWarningOnce(t *testing.T) {
	of := func(warnings ...string) End {
		return End{Run: &Run{Participants: []Participant{{Rows: 1}}, Warnings: warnings}}
	}
	run, failed := Combine([]string{"a", "b", "c", "d"}, []End{of("all"), of("one", "all"), {Err: errors.New("lost")}, of("all", "one")})
	if want := []string{"all", "b, d: one"}; len(failed) != 1 || !slices.Equal(run.Warnings, want) {
		t.Errorf("warnings %q, %d failed, want %q, 1 failed", run.Warnings, len(failed), want)
	}
	if run, _ := Combine([]string{"a"}, []End{of("own")}); !slices.Equal(run.Warnings, []string{"a: own"}) {
		t.Errorf("warnings %q", run.Warnings)
	}
}

// The figures of the run are those of a participant that has seen the end of the run.
func TestTheCommonPartIsOfAParticipantThatFinished(t *testing.T) {
	of := func(rounds int, err error) End {
		return End{Run: &Run{Rounds: rounds, Participants: []Participant{{Rows: 1}}}, Err: err}
	}
	gone := errors.New("removed")
	for want, ends := range map[int][]End{
		9: {of(3, gone), {Err: gone}, of(9, nil), of(9, nil)},
		3: {{Err: gone}, of(3, gone), of(4, gone), of(5, gone)},
	} {
		run, _ := Combine([]string{"a", "b", "c", "d"}, ends)
		if run.Rounds != want || len(run.Participants) != 3 {
			t.Errorf("%d rounds of %d participants, want %d of 3", run.Rounds, len(run.Participants), want)
		}
	}
}
