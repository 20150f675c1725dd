package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func TestWarningsAreGrouped(t *testing.T) {
	var out bytes.Buffer
	warnings := []string{"privacy: two sums differ by p0001 alone (rounds 1 and 2)"}
	for i := range 6 {
		warnings = append(warnings, fmt.Sprintf("p%04d: made of %d.5, %d rows", i, i, i))
	}
	(&app{err: &out}).warn(append(warnings, "p0001: another", "p0002: another"))
	lines := strings.Split(out.String(), "\n")
	for i, want := range [][]string{
		{"p0001 alone (rounds 1 and 2)"},
		{"p0000: made of 0.5, 0 rows", "p0001, p0002, p0003", "2 more"},
		{"p0001: another", "p0002"},
		{""},
	} {
		for _, part := range want {
			if i >= len(lines) || !strings.Contains(lines[i], part) || len(lines) != 4 {
				t.Fatalf("got %q, want %q in line %d of 4", lines, part, i)
			}
		}
	}
}
