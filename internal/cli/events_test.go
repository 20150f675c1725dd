package cli

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/collabdict/collabdict/internal/run/local"
)

// Rows are unlike those of training if many are anomalies. A fault of a few rows is none of that, whatever was
// promised.
func TestAFaultIsNotUnlikeTraining(t *testing.T) {
	m := mixtureOfTwo(t, 1)
	for _, c := range []struct {
		rows, anomalies int
		want            []string
	}{{144, 12, nil}, {144, 28, nil}, {144, 29, m.DataColumns()[1:]}, {20, 4, nil}, {1000, 1000, m.DataColumns()[1:]}} {
		f := newFinder(m, 0.001, "", local.Fixed(5))
		f.found.Rows, f.found.Anomalies = c.rows, c.anomalies
		f.found.Events = []event{{First: 1, Last: c.anomalies, Anomalies: c.anomalies, Sensors: []cause{{Sensor: m.DataColumns()[1], Share: 1}}}}
		if got := f.end().Unlike; !slices.Equal(got, c.want) {
			t.Errorf("%d of %d rows: unlike in %q, want %q", c.anomalies, c.rows, got, c.want)
		}
	}
}

// The strongest events are printed, in the order of rows.
func TestPrintedEventsAreInOrder(t *testing.T) {
	f := newFinder(mixtureOfTwo(t, 1), 0.01, "", local.Fixed(5))
	f.carried(nil)
	f.found.Rows, f.found.hasThreshold = 1000, true
	var want []string
	for i := range mostEvents + 3 {
		first := 10 * (i + 1)
		e := event{First: first, Last: first + 6, Anomalies: 4, weight: float64(i * 7 % (mostEvents + 3))}
		f.found.Events = append(f.found.Events, e)
		if e.weight >= 3 {
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
