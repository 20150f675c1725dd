package dataset

import (
	"slices"
	"strconv"
	"testing"
	"time"
)

func TestClock(t *testing.T) {
	want := time.Date(2026, 11, 3, 8, 30, 0, 0, time.UTC)
	seconds := float64(want.Unix())
	for _, c := range []struct {
		cell     string
		dayFirst bool
		want     float64
		zoned    bool
	}{
		{"2026-11-03 08:30:00", false, seconds, false},
		{"2026-11-03 08:30", false, seconds, false},
		{"2026-11-03T08:30:00Z", false, seconds, true},
		{"2026-11-03T08:30:00.25Z", false, seconds + 0.25, true},
		{"2026-11-03 08:30:00,5", false, seconds + 0.5, false},
		{"2026-11-03T10:30:00+02:00", false, seconds, true},
		{"2026-11-03 10:30:00 +0200", false, seconds, true},
		{"2026-11-03 08:30:00 UTC", false, seconds, true},
		{"20261103T083000", false, seconds, false},
		{"20261103T083000Z", false, seconds, true},
		{"2026/11/03 08:30", false, seconds, false},
		{"3.11.2026 08:30", false, seconds, false},
		{"03.11.2026 08:30:00", false, seconds, false},
		{"11/3/2026 8:30 AM", false, seconds, false},
		{"11/03/2026 08:30", false, seconds, false},
		{"03/11/2026 08:30", true, seconds, false},
		{"3-11-2026 08:30", false, seconds, false},
		{"3-Nov-2026 08:30", false, seconds, false},
		{"3 Nov 2026 08:30", false, seconds, false},
		{"2026-11-03", false, seconds - 8.5*3600, false},
		{"03.11.26 08:30", false, seconds, false},
		{"3.11.26 8:30", false, seconds, false},
		{"03.11.26", false, seconds - 8.5*3600, false},
		{"11/3/26 8:30 AM", false, seconds, false},
		{"03/11/26 08:30", true, seconds, false},
		{"3-Nov-26 08:30", false, seconds, false},
		{"03-Nov-26", false, seconds - 8.5*3600, false},
		{"1762158600.5", false, 1762158600.5, true},
	} {
		clock := Clock{DayFirst: c.dayFirst}
		for range 2 { // by the form of the first cell, too
			got, zoned, ok := clock.Read(c.cell)
			if !ok || got != c.want || zoned != c.zoned {
				t.Errorf("%s: got %f, %t, %t, want %f, %t", c.cell, got, zoned, ok, c.want, c.zoned)
			}
		}
	}
	for _, cell := range []string{"noon", "", "-", "12:30:00", "1.2.3", "2.5 bar", "3.11.26", "03-11-26", "26-11-03", "10.2.34", "1.2.345", "03.11.126 08:30", "31.02.2026", "13/13/2026", "M0-A", "20261103", "pump 3", "2026-11-03 08:30:00 later", "NaN"} {
		if seconds, _, ok := new(Clock).Read(cell); ok && cell != "20261103" {
			t.Errorf("%q is read as %f", cell, seconds)
		}
	}
}

// Dates of Excel are recognised by the name of their column, their size and their equal steps.
func TestSerialDates(t *testing.T) {
	for _, c := range []struct {
		name        string
		first, step float64
		digits      int // after the decimal sign
		want        bool
	}{
		{"time", 45000, 1.0 / 96, 10, true},
		{"Zeitpunkt", 45000, 1.0 / 1440, 6, true},
		{"timestamp", 45000.25, 1.0 / 24, 5, true},
		{"Date", 45000, 1, 0, true},
		{"flow", 45000, 1.0 / 96, 10, false},
		{"time", 1.7e9, 60, 0, false},
		{"time", 100, 1, 0, false},
		{"seconds", 45000, 1, 0, false},
		{"time", 45000, 60, 0, false},
		{"time", 45000, -0.5, 1, false},
	} {
		var cells []string
		for i := range 40 {
			cells = append(cells, strconv.FormatFloat(c.first+float64(i)*c.step, 'f', c.digits, 64))
		}
		if got := SerialDates(c.name, cells); got != c.want {
			t.Errorf("%+v: got %t", c, got)
		}
	}
	if SerialDates("time", []string{"45000", "45000.1", "45000.4"}) || SerialDates("time", []string{"45000", "noon", "45000.1"}) {
		t.Error("unequal steps or words are dates")
	}
	clock := Clock{Serial: true}
	want := time.Date(2023, 3, 15, 18, 0, 0, 0, time.UTC)
	if seconds, zoned, ok := clock.Read("45000.75"); !ok || zoned || seconds != float64(want.Unix()) || !clock.Dated() {
		t.Errorf("got %f, %t, %t", seconds, zoned, ok)
	}
	if got := clock.Text("45000.75"); got != "2023-03-15 18:00:00" {
		t.Errorf("got %s", got)
	}
	if got := new(Clock).Text("45000.75"); got != "45000.75" {
		t.Errorf("got %s", got)
	}
}

// Without a word about it, the order of day and month follows from cells.
func TestOrderOfDates(t *testing.T) {
	for _, c := range []struct {
		cells []string
		want  bool
	}{
		{[]string{"26/10/2026 00:00"}, true},
		{[]string{"10/26/2026 00:00"}, false},
		{[]string{"01/11/2026 00:00", "03/11/2026 00:10", "06/11/2026 23:50"}, true},
		{[]string{"11/01/2026 00:00", "11/03/2026 00:10", "11/06/2026 23:50"}, false},
		{[]string{"31/10/2026 23:50", "01/11/2026 00:00"}, true},
		{[]string{"01/11/26 00:00", "03/11/26 00:10", "06/11/26 23:50"}, true},
		{[]string{"2026/10/26"}, false},
		{[]string{"26.10.2026", "1"}, false},
		{[]string{"03/03/2026"}, false},
		{nil, false},
	} {
		var clock Clock
		if clock.Order(slices.Values(c.cells)); clock.DayFirst != c.want {
			t.Errorf("%q: day first %t", c.cells, clock.DayFirst)
		}
	}
	declared := Clock{DayFirst: true}
	if declared.Order(slices.Values([]string{"03/03/2026"})); !declared.DayFirst {
		t.Error("what was declared has changed")
	}
}

func TestDatesAndTimesOfDay(t *testing.T) {
	for cell, want := range map[string][2]bool{
		"01.10.2026": {true, false}, "2026-10-01": {true, false}, "01.10.26": {true, false}, "01.10.2026 00:05": {false, false},
		"20261001T083000": {false, false}, "08:30": {false, true}, "08:30:00": {false, true}, "8:30 PM": {false, true}, "12.5": {false, false},
		"083000": {false, false}, "": {false, false}, "45000": {false, false}, "25:00": {false, false},
	} {
		if got := [2]bool{DateOnly(cell), timeOfDay(cell)}; got != want {
			t.Errorf("%q: got %t, want %t", cell, got, want)
		}
	}
}
