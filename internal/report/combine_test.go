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
