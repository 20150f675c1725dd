package scoring

import (
	"testing"

	"github.com/collabdict/collabdict/internal/data/dataset"
)

// Times are found among carried cells. A date and a time of day in two columns are one time.
func TestPlacesOfTimes(t *testing.T) {
	for _, c := range []struct {
		cells []string
		want  string
		ok    bool
		at    float64
	}{
		{[]string{"i.O.", "01.10.2026 08:30"}, "01.10.2026 08:30", true, 1790843400},
		{[]string{"01.10.2026", "i.O.", "08:30"}, "01.10.2026 08:30", true, 1790843400},
		{[]string{"08:30:00", "2026-10-01"}, "2026-10-01 08:30:00", true, 1790843400},
		{[]string{"01.10.2026", "i.O."}, "01.10.2026", true, 1790843400 - 8.5*3600},
		{[]string{"i.O.", "08:30"}, "", false, 0},
		{[]string{"01.10.2026 08:30", "09:30"}, "01.10.2026 08:30", true, 1790843400},
	} {
		p := NewPlaces(make([]string, len(c.cells)), "time")
		b := dataset.Block{Carried: [][]string{c.cells}}
		p.See(b)
		at, ok := p.Seconds(b, 0)
		if got := p.TimeOf(b, 0); got != c.want || ok != c.ok || at != c.at {
			t.Errorf("%q: got %q, %f, %t, want %q, %f, %t", c.cells, got, at, ok, c.want, c.at, c.ok)
		}
	}
}
