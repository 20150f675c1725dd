package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/node"
)

// On a terminal a simulation shows a bar, in one line that is replaced. Elsewhere it writes one
// line per round, as any run does.
func TestProgressOfASimulation(t *testing.T) {
	play := func(terminal *os.File) string {
		var out bytes.Buffer
		p := &progress{w: &out, terminal: terminal, rounds: 4, began: time.Now()}
		p.start()
		for n := 1; n <= 3; n++ {
			p.virtual = time.Duration(n) * time.Minute
			p.round(algorithm.Progress{Round: collabdict.Round{Number: n}, Loss: 2}, 5, 0)
		}
		p.end()
		return out.String()
	}
	file, err := os.Create(t.TempDir() + "/terminal")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	live := play(file)
	if strings.Count(live, "\n") != 1 || !strings.HasPrefix(live, "\r[........................] start-up") ||
		!strings.Contains(live, "\r[##################......] 3/4  virtual time 3m0s  loss 2 per row  at most 0s to go") {
		t.Errorf("on a terminal: %q", live)
	}
	lines := strings.Split(strings.TrimSpace(play(nil)), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[2], "round 3/4  loss 2 per row  5 participants") {
		t.Errorf("elsewhere: %q", lines)
	}
}

// The line of a round shows the participant's action for each component with too few of its rows.
func TestProgressOfLowDiversity(t *testing.T) {
	var out bytes.Buffer
	p := &progress{w: &out, rounds: 4, began: time.Now()}
	p.round(algorithm.Progress{Round: collabdict.Round{Number: 1}, Loss: 2, LowDiversity: []algorithm.LowDiversity{{Component: 3, Action: "skip-component"}}}, 5, 0)
	if got, want := out.String(), "round 1/4  loss 2 per row  5 participants  component 3: skip-component"; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A line is cut between characters, and its width counts characters: names of members may be in any
// script.
func TestLinesAreCutBetweenCharacters(t *testing.T) {
	for _, c := range []struct {
		line  string
		width int
		want  string
	}{
		{"Zoë, Åsa, 東京", 40, "Zoë, Åsa, 東京"},
		{"Zoë, Åsa, 東京", 13, "Zoë, Åsa, 東京"},
		{"Zoë, Åsa, 東京", 12, "Zoë, Åsa, 東"},
		{"Zoë, Åsa, 東京", 7, "Zoë, Å"},
		{"Zoë, Åsa, 東京", 1, "Zoë, Åsa, 東京"},
	} {
		if got := cut(c.line, c.width); got != c.want {
			t.Errorf("width %d: got %q, want %q", c.width, got, c.want)
		}
	}
	if got, want := replaced("Zoë, Åsa", "Zoë"), "\rZoë     "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestQuoted(t *testing.T) {
	got := quoted("collabdict", []string{"sim", "--data", "a b/*.csv", "--faults=crash:node=1,at=2m;loss:rate=0.1", "it's", "", "50%", "x~y"})
	want := `collabdict sim --data 'a b/*.csv' '--faults=crash:node=1,at=2m;loss:rate=0.1' 'it'\''s' '' 50% 'x~y'`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A member that waits for the start time sees it beside the members that are here.
func TestProgressBeforeTheStart(t *testing.T) {
	var out bytes.Buffer
	p := &progress{w: &out, began: time.Now()}
	p.joining(node.Status{BeginAt: time.Now().Add(3*time.Hour + 12*time.Minute), Want: 2, Present: []string{"a", "b"}})
	if got := out.String(); !strings.HasPrefix(got, "2 of 2 members are here: a, b; begins at ") || !strings.HasSuffix(got, " (in 3 h 12 min)\n") {
		t.Errorf("got %q", got)
	}
}
