package cli

import (
	"bytes"
	"fmt"
	"testing"
)

func TestManyWarningsAreFolded(t *testing.T) {
	var out bytes.Buffer
	warnings := []string{"privacy: two sums differ by p0001 alone (rounds 1 and 2)"}
	for i := range 6 {
		warnings = append(warnings, fmt.Sprintf("p%04d: made of about %d.5 rows", i, i))
	}
	(&app{err: &out}).warn(append(warnings, "p0001: another"))
	want := `warning: privacy: two sums differ by p0001 alone (rounds 1 and 2)
warning: p0000: made of about 0.5 rows
warning: p0001: made of about 1.5 rows
warning: p0002: made of about 2.5 rows
warning: the same applies to 3 more participants; the result lists all (--json, --out)
warning: p0001: another
`
	if got := out.String(); got != want {
		t.Errorf("said\n%swant\n%s", got, want)
	}
}
