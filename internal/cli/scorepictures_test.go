package cli

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/plots"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/internal/run/scoring"
)

// pictured scores files of rows, each a text, and returns the last picture, and the names of those
// drawn before it.
func pictured(t *testing.T, files map[string]string) (plots.Scores, []string) {
	t.Helper()
	dir := t.TempDir()
	m := mixtureOfTwo(t, 1)
	var paths []string
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	lines := scoreLines{scorer: scoring.New(m, local.Fixed(57), false), finds: true, promised: 0.01}
	lines.pictures = newScorePictures(filepath.Join(dir, "pictures"), paths[0], false)
	spec := dataset.Spec{Data: paths, Columns: m.Manifest.Columns, MinRows: 1, Missing: dataset.KeepMissing, Scored: true}
	if err := (&app{err: io.Discard}).writeScores(io.Discard, spec, &lines); err != nil {
		t.Fatal(err)
	}
	last := lines.pictures.of.picture(lines.found)
	if err := lines.pictures.end(lines.found); err != nil {
		t.Fatal(err)
	}
	drawn, _ := filepath.Glob(filepath.Join(dir, "pictures", "*.svg"))
	for i, path := range drawn {
		drawn[i] = strings.TrimSuffix(filepath.Base(path), ".svg")
	}
	return last, drawn
}

// rowsOf returns rows a minute apart. Those from one to before another are anomalies of the second
// column.
func rowsOf(n int, anomalies ...[2]int) string {
	var text strings.Builder
	text.WriteString("at,speed,flow\n")
	for i := range n {
		flow := 0.25
		for _, a := range anomalies {
			if i >= a[0] && i < a[1] {
				flow = 40
			}
		}
		fmt.Fprintf(&text, "2026-11-%02d %02d:%02d:00,0.5,%g\n", 3+i/1440, i/60%24, i%60, flow)
	}
	return text.String()
}

// The picture has the events with their times, and for the strongest ones the sensor with its value
// and the expected one, also around the event, whatever blocks the rows come in.
func TestPictureOfEvents(t *testing.T) {
	const start = 1793664000.0 // 2026-11-03
	s, drawn := pictured(t, map[string]string{"a.csv": rowsOf(9000, [2]int{0, 1}, [2]int{4090, 4100}, [2]int{4190, 4192}, [2]int{8180, 8200}, [2]int{8300, 8305}, [2]int{8990, 9000})})
	if !slices.Equal(drawn, []string{"scores-over-time-a"}) {
		t.Errorf("drawn: %v", drawn)
	}
	if !s.Dated || s.X != "at" || s.Y != "score" || len(s.Events) != 6 {
		t.Fatalf("got %+v", s)
	}
	if at := s.Events[1]; at.From != start+4090*60 || at.To != start+4099*60 {
		t.Errorf("the second event is from %f to %f", at.From, at.To)
	}
	want := []plots.Span{s.Events[1], s.Events[3], s.Events[4], s.Events[5]}
	var got []plots.Span
	for _, d := range s.Details {
		got = append(got, d.At)
		if len(d.Panels) == 0 || !strings.HasPrefix(d.Panels[0].Title, "flow ") {
			t.Errorf("the event from %f has sensors %+v", d.At.From, d.Panels)
			continue
		}
		p := d.Panels[0]
		if low, high := d.Of.Bounds(p.Got); low != 0.25 || high != 40 {
			t.Errorf("the event from %f has values from %g to %g", d.At.From, low, high)
		}
		if low, high := d.Of.Bounds(p.Expected); math.Abs(low-0.25) > 1e-9 || math.Abs(high-0.25) > 1e-9 {
			t.Errorf("the event from %f has expected values from %g to %g", d.At.From, low, high)
		}
		span := plots.Span{From: d.At.From - aroundEvent*60, To: min(d.At.To+aroundEvent*60, start+8999*60)}
		if d.Of.Span() != span {
			t.Errorf("the event from %f is drawn from %f to %f, want %f to %f", d.At.From, d.Of.Span().From, d.Of.Span().To, span.From, span.To)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("details of %v, want %v", got, want)
	}
}

// Every file has a picture with its own name. Without times, places are the numbers of rows.
func TestPictureOfEachFile(t *testing.T) {
	untimed := "speed,flow\n0.5,0.25\n0.5,40\n,\n"
	s, drawn := pictured(t, map[string]string{"a/x.csv": untimed, "b/X.csv": untimed, "c.1.csv": untimed})
	if want := []string{"scores-over-time-X-2", "scores-over-time-c.1", "scores-over-time-x"}; !slices.Equal(drawn, want) {
		t.Errorf("drawn: %v, want %v", drawn, want)
	}
	if s.Dated || s.X != "row" || len(s.Events) != 1 || s.Events[0] != (plots.Span{From: 8, To: 8}) {
		t.Errorf("got %+v", s)
	}
}

// A row whose time cannot be read is left out, and the others are drawn.
func TestPictureWithoutSomeTimes(t *testing.T) {
	s, _ := pictured(t, map[string]string{"a.csv": "at,speed,flow\n2026-11-03 00:00:00,0,0\nsoon,0,40\n2026-11-03 00:01:00,0,0\n"})
	if !s.Dated || len(s.Events) != 0 || s.Of.Span() != (plots.Span{From: 1793664000, To: 1793664060}) {
		t.Errorf("got %+v of %v", s, s.Of.Span())
	}
}
