package plots

import (
	"bytes"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// spread makes up n points of groups around different places.
func spread(n int, groups ...string) Scatter {
	s := Scatter{Name: "s", Title: "T", X: "a", Y: "b", Groups: groups}
	for i := range n {
		g := i % len(groups)
		s.Of = append(s.Of, g)
		s.At.X = append(s.At.X, float64(g)+math.Sin(float64(i))/3)
		s.At.Y = append(s.At.Y, float64(g*g)+math.Cos(float64(i))/3)
	}
	return s
}

// For any points, the figure can be drawn, contains no NaN, and has the same bytes when drawn
// again.
func TestScatter(t *testing.T) {
	far := spread(8, "a", "b")
	far.At.X[0], far.At.X[1], far.At.Y[2] = math.NaN(), math.Inf(1), math.Inf(-1)
	graded, rest, huge := spread(30, "low", "middle", "high"), spread(60, strings.Split("a b c d e f g h i others", " ")...), spread(9, "a")
	graded.Graded, rest.Last = true, true
	for i := range huge.At.X {
		huge.At.X[i] = 1e12
	}
	for name, c := range map[string]struct {
		Scatter
		points, keys int
	}{
		"many": {spread(3000, "a", "b", "c"), 3000, 3}, "none": {Scatter{Groups: []string{"a", "b"}}, 0, 0}, "one": {spread(1, "ñame & <b>"), 1, 1},
		"far": {far, 5, 2}, "graded": {graded, 30, 3}, "rest": {rest, 60, 10}, "the same": {huge, 9, 1},
	} {
		f := c.figure()
		svg, _, err := f.svg()
		again, _, _ := c.figure().svg()
		if err != nil || !bytes.Equal(svg, again) {
			t.Errorf("%s: another figure when it is drawn again: %v", name, err)
		}
		if err := wellFormed(svg); err != nil || bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
			t.Errorf("%s: %v, or numbers that are none", name, err)
		}
		// A circle is a move and at least two arcs; lines have no arcs.
		if n := bytes.Count(svg, []byte("A")); n < 2*c.points {
			t.Errorf("%s: %d arcs for %d points", name, n, c.points)
		}
		if len(f.keys) != c.keys || !(f.X.Max > f.X.Min) || !(f.Y.Max > f.Y.Min) {
			t.Errorf("%s: keys %v, from %g to %g and %g to %g", name, f.keys, f.X.Min, f.X.Max, f.Y.Min, f.Y.Max)
		}
	}
}

// Groups have different colours. The rest is grey, and the last of a series of grades stands out.
func TestGroupsHaveColours(t *testing.T) {
	for _, n := range []int{1, 2, 8, 10} {
		s := spread(n, strings.Split(strings.Repeat("g", n), "")...)
		seen := map[any]bool{}
		for _, c := range s.colors() {
			seen[c] = true
		}
		if len(seen) != n {
			t.Errorf("%d colours for %d groups", len(seen), n)
		}
	}
	if c := (Scatter{Groups: []string{"a", "b"}, Last: true}).colors(); c[1] != faint {
		t.Errorf("what remains is %v", c[1])
	}
	if c := (Scatter{Groups: []string{"a", "b", "c", "d"}, Graded: true}).colors(); c[0] != rgb(0xa6, 0xd3, 0xee) || c[2] != rgb(0, 0x3c, 0x6e) || c[3] != orange {
		t.Errorf("grades are %v", c)
	}
}

// Names of groups in one place are written next to each other while there is room. Two groups
// need only the legend.
func TestNamesDoNotOverlap(t *testing.T) {
	for _, c := range []struct{ groups, want int }{{2, 0}, {3, 3}, {5, 5}, {9, 5}} {
		s := Scatter{Name: "s"}
		for g := range c.groups {
			s.Groups = append(s.Groups, "group")
			s.Of = append(s.Of, g)
			s.At.X, s.At.Y = append(s.At.X, 1), append(s.At.Y, 1)
		}
		svg, _, err := s.figure().svg()
		if err != nil {
			t.Fatal(err)
		}
		// Each name is once in the legend, and nine times in the plot: eight copies form its halo.
		if got := (strings.Count(string(svg), ">group<") - c.groups) / 9; got != c.want {
			t.Errorf("%d names of %d in the plot, want %d", got, c.groups, c.want)
		}
	}
}

// Private figures are readable by their owner only; other figures by everybody.
func TestPrivateFiles(t *testing.T) {
	dir := t.TempDir()
	s, sheet := spread(3, "a"), Sheet{Name: "sheet", Height: 1, Width: 1, Private: true}
	s.Private = true
	if err := Draw(dir, s); err != nil {
		t.Fatal(err)
	}
	if err := Draw(dir, sheet); err != nil {
		t.Fatal(err)
	}
	s.Name, s.Private = "open", false
	if err := Draw(dir, s); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{"s.svg": 0o600, "s.png": 0o600, "sheet.svg": 0o600, "sheet.png": 0o600, "open.svg": 0o644} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v; want %v", name, info, err, want)
		}
	}
}

func TestOverlap(t *testing.T) {
	at := func(x, y vg.Length) vg.Rectangle {
		return vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + 10, Y: y + 4}}
	}
	for _, c := range []struct {
		x, y vg.Length
		want bool
	}{{0, 0, true}, {9, 3, true}, {-9, -3, true}, {10, 0, false}, {0, 4, false}} {
		if got := overlap(at(0, 0), at(c.x, c.y)); got != c.want {
			t.Errorf("(%g, %g): %t", c.x, c.y, got)
		}
	}
}
