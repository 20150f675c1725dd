package plots

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/text"
)

// scoresOf makes up scores of rows a minute apart, with events of three sensors whose names are
// long.
func scoresOf(rows, events int, dated bool) Scores {
	s := Scores{Title: "Scores over time", X: "time", Y: "score", Dated: dated, Of: NewTrace(ScoreCells)}
	start := 0.0
	if dated {
		start = 1.79e9
	}
	for i := range rows {
		score, anomaly := 1+math.Sin(float64(i)), math.NaN()
		if events > 0 && i%max(1, rows/events) == 0 {
			score, anomaly = 9, 9
			s.Events = append(s.Events, Span{start + 60*float64(i), start + 60*float64(i)})
		}
		s.Of.Add(start+60*float64(i), []float64{score, 5, anomaly})
	}
	for _, e := range s.Events[:min(4, len(s.Events))] {
		d := Detail{Title: "an event", At: e, Of: NewTrace(DetailCells)}
		for i := range 100 {
			d.Of.Add(e.From+60*float64(i-50), []float64{float64(i), math.NaN(), 50})
		}
		for i := range len(s.Details)%3 + 1 {
			d.Panels = append(d.Panels, SensorPanel{Title: strings.Repeat("a sensor & <its> name ", 1+5*i), Unit: "°C", Got: i % 2, Expected: 2})
		}
		s.Details = append(s.Details, d)
	}
	return s
}

// Any scores can be drawn, the same bytes each time. COLLABDICT_PLOTS names a folder in which to
// look at them.
func TestPicturesOfScores(t *testing.T) {
	strange := scoresOf(30, 3, true)
	strange.Of.Add(1.8e9, []float64{math.Inf(1), math.NaN(), math.Inf(1)})
	strange.Of.Add(1.9e9, []float64{math.Inf(-1), math.Inf(1), math.NaN()})
	unlimited := Scores{Title: "Scores", Of: NewTrace(ScoreCells)}
	unlimited.Of.Add(1.7e18, []float64{3, math.NaN(), math.NaN()})
	infinite := Scores{Title: "Scores", Of: NewTrace(ScoreCells)}
	infinite.Of.Add(1, []float64{math.Inf(1), 5, math.Inf(1)})
	for name, s := range map[string]Scores{
		"nothing": {Title: "Scores", Of: NewTrace(ScoreCells)}, "one": scoresOf(1, 1, true), "ten": scoresOf(10, 2, false), "many": scoresOf(100_000, 4000, true),
		"normal": scoresOf(500, 0, true), "all": scoresOf(300, 300, true), "strange": strange, "unlimited": unlimited, "infinite": infinite,
	} {
		s.Name = name
		svg, _, err := s.figure().svg()
		again, _, _ := s.figure().svg()
		if err != nil || !bytes.Equal(svg, again) {
			t.Errorf("%s differs when it is drawn again: %v", name, err)
		}
		if err := wellFormed(svg); err != nil || bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
			t.Errorf("%s: %v, or numbers that are none", name, err)
		}
		if len(svg) > 4<<20 {
			t.Errorf("%s: %d bytes", name, len(svg))
		}
		if keep := os.Getenv("COLLABDICT_PLOTS"); keep != "" {
			if err := Draw(filepath.Join(keep, "scores"), s); err != nil {
				t.Error(err)
			}
		}
	}
}

// A few far scores do not squeeze the rest, and many do not count as few.
func TestEndsOfScores(t *testing.T) {
	s := scoresOf(1000, 0, true)
	if _, high, beyond := s.ends(); high != 5 || beyond {
		t.Errorf("normal scores: to %g, beyond: %t", high, beyond)
	}
	s.Of.Add(1.7e9, []float64{1e6, 5, 1e6})
	if _, high, beyond := s.ends(); high < 5 || high > 12 || !beyond {
		t.Errorf("with a far score: to %g, beyond: %t", high, beyond)
	}
	s = Scores{Of: NewTrace(ScoreCells)}
	for i := range 100 {
		s.Of.Add(float64(i), []float64{1e6, 5, 1e6})
	}
	if low, high, beyond := s.ends(); low != 5 || high != 1e6 || beyond {
		t.Errorf("all far: from %g to %g, beyond: %t", low, high, beyond)
	}
}

func TestMarksOfTimes(t *testing.T) {
	const second = 1793692800.0 // 2026-11-03 08:00 in UTC
	for _, test := range []struct {
		from, to float64
		want     string
	}{
		{second, second + 1, "08:00:00.000\n2026-11-03 08:00:00.200 08:00:00.400 08:00:00.600 08:00:00.800 08:00:01.000"},
		{second, second + 3600, "08:00\n2026-11-03 08:10 08:20 08:30 08:40 08:50 09:00"},
		{second, second + 24*3600, "12:00\n2026-11-03 18:00 00:00\n2026-11-04 06:00"},
		{second, second + 10*day, "2026-11-05 2026-11-07 2026-11-09 2026-11-11 2026-11-13"},
		{second, second + 200*day, "2027-01 2027-03 2027-05"},
		{second, second + 4000*day, "2028 2030 2032 2034 2036"},
		{-100 * 365 * day, 0, "1880 1900 1920 1940 1960"},
		{second, second + 500*365*day, "2100 2200 2300 2400 2500"},
	} {
		got := labels(dates{6}, test.from, test.to)
		if strings.Join(got, " ") != test.want {
			t.Errorf("from %g to %g: got %q, want %q", test.from, test.to, got, test.want)
		}
	}
	for size := 1e-3; size < 1e11; size *= 3 {
		if n := len(labels(dates{6}, second, second+size)); n > 13 {
			t.Errorf("%d marks in %g seconds", n, size)
		}
	}
	if got := labels(even{3, 0}, 0, 1e60); fmt.Sprint(got) != "[0 5e59 1e60]" {
		t.Errorf("got %v", got)
	}
}

func TestWrapped(t *testing.T) {
	s := style(tickSize, ink, text.XLeft, text.YTop)
	wide := s.Width("two words")
	for txt, want := range map[string][]string{
		"":                            {""},
		"two words":                   {"two words"},
		"two words more":              {"two words", "more"},
		"one two three four five six": {"one two", "three fo…"},
	} {
		if got := wrapped(s, txt, wide, 2); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", txt, got, want)
		}
	}
	for _, line := range wrapped(s, "averyveryverylongword and another", wide, 2) {
		if s.Width(line) > wide {
			t.Errorf("%q is too wide", line)
		}
	}
}
