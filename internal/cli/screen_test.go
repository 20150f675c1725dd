package cli

import (
	"testing"
)

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
