package cli

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/collabdict/collabdict/internal/run/scoring"
)

// The strongest events are printed, in the order of rows.
func TestPrintedEventsAreInOrder(t *testing.T) {
	f := foundEvents{Events: scoring.Events{Rows: 1000, Judged: true}}
	var want []string
	for i := range mostEvents + 3 {
		first := 10 * (i + 1)
		e := scoring.Event{First: first, Last: first + 6, Anomalies: 4, Weight: float64(i * 7 % (mostEvents + 3))}
		f.Events.Events = append(f.Events.Events, e)
		if e.Weight >= 3 {
			want = append(want, fmt.Sprintf("row %d  row %d  4 of 7 ", e.First, e.Last))
		}
	}
	var out bytes.Buffer
	f.text(&out)
	var got []string
	for _, line := range regexp.MustCompile(`(?m)^row (\d+) +row (\d+) +(\d+) of (\d+) `).FindAllStringSubmatch(out.String(), -1) {
		got = append(got, fmt.Sprintf("row %s  row %s  %s of %s ", line[1], line[2], line[3], line[4]))
	}
	if !slices.Equal(got, want) {
		t.Errorf("printed\n%s\nwant %q", &out, want)
	}
}

// A cell is shown as it is; figures that no cell has are shown with four digits.
func TestCausesHaveFewDigits(t *testing.T) {
	got, expected := 0.14818344, 0.0603512
	large, more := 123456.0, 98765.4321
	for _, x := range []struct {
		of   scoring.Cause
		want string
	}{
		{scoring.Cause{Sensor: "flow", Got: &got, Expected: &expected}, "flow 0.14818344 (expected 0.06035)"},
		{scoring.Cause{Sensor: "flow", Of: "value", Got: &got}, "flow 0.14818344"},
		{scoring.Cause{Sensor: "flow", Of: "mean of 4", Got: &got, Expected: &expected}, "flow (mean of 4) 0.1482 (expected 0.06035)"},
		{scoring.Cause{Sensor: "flow", Of: "mean of 4", Expected: &more}, "flow (mean of 4) missing (expected 98765)"},
		{scoring.Cause{Sensor: "flow", Got: &large, Expected: &more}, "flow 123456 (expected 98765)"},
	} {
		if text := causeText(&x.of); text != x.want {
			t.Errorf("got %q, want %q", text, x.want)
		}
	}
}
