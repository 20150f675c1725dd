package plots

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot"

	"github.com/collabdict/collabdict/internal/run/report"
)

// course makes up a run with rounds of 2 s. Each third member is left out of the odd rounds,
// and the second is down from 1 s to 5 s.
func course(size, rounds int) *report.Course {
	c := &report.Course{
		Virtual: time.Duration(2*rounds+1) * time.Second, Down: make([][]report.Span, size),
		Faults:      []report.Fault{{Label: "loss 1 %", Span: report.Span{To: time.Duration(2*rounds+1) * time.Second}}, {Label: "split 1 | 2", Span: report.Span{From: 2 * time.Second, To: 3 * time.Second}}},
		Convergence: &report.Convergence{Round: rounds, Members: size, Step: "chebyshev", Graph: "hamilton-cycles"},
	}
	for i := range size {
		c.Names = append(c.Names, fmt.Sprintf("member-%d", i+1))
		c.Sent = append(c.Sent, int64(100000+1000*i))
	}
	c.Down[1] = []report.Span{{From: time.Second, To: 5 * time.Second}}
	for r := 1; r <= rounds; r++ {
		s := report.Slot{Round: r, At: time.Duration(2*r) * time.Second}
		row := report.RoundRow{Round: r, Objective: report.Of(-1000 / float64(r))}
		for i := range size {
			if r%2 == 1 && i%3 == 2 {
				row.Missing = append(row.Missing, c.Names[i])
			} else {
				s.Members = append(s.Members, uint32(i))
			}
		}
		c.Slots, c.Rounds = append(c.Slots, s), append(c.Rounds, row)
	}
	y := 1.0
	for range 30 {
		c.Convergence.Measured = append(c.Convergence.Measured, y*0.9)
		c.Convergence.Predicted = append(c.Convergence.Predicted, y)
		y /= 3
	}
	return c
}

// The figures of any run can be drawn, contain no NaN, and have the same bytes when drawn
// again. COLLABDICT_PLOTS names a folder in which to look at them.
func TestFigures(t *testing.T) {
	paper := course(4, 3)
	paper.Convergence.Measured = make([]float64, 2000)
	paper.Convergence.Predicted = []float64{1, 0}
	long := course(7, 90)
	for stage, most := range []int{20, 6, 3} {
		for k := 1; k <= most; k++ {
			long.Choice = append(long.Choice, report.Judged{Stage: stage + 1, Components: k, Lambda: 0.1, Gain: 1 - 1/float64(k), Kept: k <= most/2}, report.Judged{Stage: stage + 1, Components: k, Lambda: 0.3, Gain: float64(k) / 1e9})
		}
	}
	paper.Choice = []report.Judged{{Stage: 1, Components: 3, Lambda: 0.1, Gain: -2, Kept: true}}
	long.Names[3] = strings.Repeat("ñame & <b>", 20)
	for i := range 40 {
		long.Faults = append(long.Faults, report.Fault{Label: fmt.Sprintf("links of member %d flap", i), Span: report.Span{From: time.Minute, To: time.Hour}})
	}
	for name, c := range map[string]*report.Course{
		"three": course(3, 5), "forty": course(40, 9), "many": course(200, 12), "hundreds": course(700, 12), "long": long, "paper": paper,
		"nothing": {Names: []string{"a", "b"}, Sent: []int64{0, 0}, Down: make([][]report.Span, 2)},
	} {
		for _, f := range figures(c) {
			svg, _, err := f.svg()
			again, _, _ := f.svg()
			if err != nil || !bytes.Equal(svg, again) {
				t.Errorf("%s: %s differs when it is drawn again: %v", name, f.name, err)
			}
			if err := wellFormed(svg); err != nil || bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
				t.Errorf("%s: %s.svg: %v, or numbers that are none", name, f.name, err)
			}
			if !bytes.Contains(svg, []byte(">"+f.title+"<")) || bytes.Contains(svg, []byte("font-family:Liberation")) {
				t.Errorf("%s: %s.svg has no title, or a font without others in its place", name, f.name)
			}
		}
		if keep := os.Getenv("COLLABDICT_PLOTS"); keep != "" {
			if err := Write(filepath.Join(keep, name), c); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	c := course(3, 5)
	if err := Write(filepath.Join(dir, "new"), c); err != nil {
		t.Fatal(err)
	}
	for _, f := range figures(c) {
		want, _, _ := f.svg()
		if !bytes.Equal(readFile(t, dir, "new", f.name+".svg"), want) {
			t.Errorf("%s.svg is not what is drawn", f.name)
		}
		p, err := png.Decode(bytes.NewReader(readFile(t, dir, "new", f.name+".png")))
		if err != nil || p.Bounds().Dx() != 1200 {
			t.Errorf("%s.png: %v", f.name, err)
		}
	}
}

// A run with exact sums has no figure of convergence, and a run without weights none of
// weights, even if an earlier run left them. Files of other packages stay.
func TestWriteLeavesNothingOfOtherRuns(t *testing.T) {
	dir := t.TempDir()
	c := course(3, 5)
	for _, f := range []func() error{
		func() error { return os.WriteFile(filepath.Join(dir, "notes.svg"), nil, 0o600) },
		func() error {
			c.Weightings, c.Choice = []report.Weighting{{Name: "a", Weight: 1}}, []report.Judged{{Components: 2}}
			return Write(dir, c)
		},
		func() error { c.Convergence, c.Weightings, c.Choice = nil, nil, nil; return Write(dir, c) },
		func() error { return Write(dir, c) },
	} {
		if err := f(); err != nil {
			t.Fatal(err)
		}
	}
	left, _ := filepath.Glob(filepath.Join(dir, "*.svg"))
	if len(left) != 4 || filepath.Base(left[0]) != "notes.svg" {
		t.Errorf("in the folder: %v", left)
	}
}

// The figure of a failed run shows some of the time after the last decision.
func TestTheEndOfAFailedRun(t *testing.T) {
	s := time.Second
	c := course(2, 4)
	c.Failed, c.Virtual = true, 30*time.Minute
	c.Down = [][]report.Span{{{From: 9 * s, To: c.Virtual}}, nil}
	want := [][]stretch{{{in, 0, 8 * s}, {out, 8 * s, 9 * s}, {down, 9 * s, 10 * s}}, {{in, 0, 8 * s}, {out, 8 * s, 10 * s}}}
	if got := stretches(c); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	if got := timeline(c).subtitle; got != "2 members, 4 calls decided in 8.00 s, then none until it ended at 1 800 s" {
		t.Error(got)
	}
}

// The legend of a timeline lists the states that occur.
func TestLegendOfATimeline(t *testing.T) {
	c := course(2, 4)
	c.Down = make([][]report.Span, 2)
	c.Faults = []report.Fault{{Label: "split 1 | 2", Span: report.Span{From: 8500 * time.Millisecond, To: 9 * time.Second}}} // after the last decision
	f := timeline(c)
	if len(f.keys) != 1 || f.keys[0].label != stateLabels[in] {
		t.Errorf("keys %+v", f.keys)
	}
	if svg, _, _ := f.svg(); bytes.Contains(svg, []byte("split")) {
		t.Error("a fault has a lane in which there is nothing")
	}
}

func readFile(t *testing.T, path ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func wellFormed(svg []byte) error {
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		if _, err := d.Token(); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

func TestStretches(t *testing.T) {
	s := time.Second
	all := stretches(course(3, 4))
	want := [][]stretch{
		{{in, 0, 8 * s}},
		{{in, 0, s}, {down, s, 5 * s}, {in, 5 * s, 8 * s}},
		{{out, 0, 2 * s}, {in, 2 * s, 4 * s}, {out, 4 * s, 6 * s}, {in, 6 * s, 8 * s}},
	}
	if !reflect.DeepEqual(all, want) {
		t.Errorf("got %v\nwant %v", all, want)
	}
	n := counts(all, 8*s, 4)
	if want := [states][]float64{{1.5, 2, 1.5, 3}, {1, 0, 1, 0}, {0.5, 1, 0.5, 0}}; !reflect.DeepEqual(n, want) {
		t.Errorf("counts %v, want %v", n, want)
	}
}

func TestTicks(t *testing.T) {
	for _, test := range []struct {
		got  []string
		want string
	}{
		{labels(even{5, 0}, 0, 10), "0 2 4 6 8 10"},
		{labels(even{5, 1}, 0, 2), "0 1 2"},
		{labels(even{4, 0}, -0.3, 0.3), "−0.2 0.0 0.2"},
		{labels(even{3, 0}, -5000, 12000), "0 10 000"},
		{labels(even{5, 0}, 3, 3), "3"},
		{labels(decades{4}, -7.2, 0.5), "1  1e-2  1e-4  1e-6 "},
		{labels(decades{6}, 0.9, 2.8), "10 20 50 100 200 500"},
		{labels(decades{6}, -0.1, 2.8), "100 10 1"},
	} {
		if got := strings.Join(test.got, " "); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
	if u := byteUnit(34e6); u.show(3.456e6) != "3.46 MB" || u.show(0) != "0.00 MB" {
		t.Errorf("got %s and %s", u.show(3.456e6), u.show(0))
	}
	if u := timeUnit(25 * time.Minute); u.show(float64(90*time.Second)) != "1.50 min" {
		t.Error(u)
	}
}

func labels(m plot.Ticker, low, high float64) []string {
	var all []string
	for _, x := range m.Ticks(low, high) {
		all = append(all, x.Label)
	}
	return all
}
