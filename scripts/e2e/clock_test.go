//go:build e2e && linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// ahead builds the program with a clock that is hours ahead. A static program allows no library
// in front of the clock, and a time namespace shifts only the clocks that count from the
// machine's start. So the change is in the standard library's time.Now.
func ahead(t *testing.T, hours int) string {
	t.Helper()
	dir := t.TempDir()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	fatal(t, err)
	original := filepath.Join(strings.TrimSpace(string(root)), "src/time/time.go")
	text, err := os.ReadFile(original)
	fatal(t, err)
	const reads = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	if !strings.Contains(string(text), reads) {
		t.Skipf("%s reads the clock in another way than %q", original, reads)
	}
	changed, overlay := filepath.Join(dir, "time.go"), filepath.Join(dir, "overlay.json")
	fatal(t, os.WriteFile(changed, []byte(strings.Replace(string(text), reads, fmt.Sprintf("%s\tsec += %d * 3600\n", reads, hours), 1)), 0o600))
	replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{original: changed}})
	fatal(t, err)
	fatal(t, os.WriteFile(overlay, replaced, 0o600))
	to := filepath.Join(dir, "collabdict")
	fatal(t, build(to, "-overlay", overlay))
	return to
}

// The clock of a member behind NAT is two hours ahead. Another member's doctor reports it, and
// the run completes, with connections by QUIC and through the relay.
func TestClock(t *testing.T) {
	symmetric := behindNAT("fully-random")
	n := newInternet(t, open, open, symmetric, symmetric)
	n.tell("delay 20ms")
	h := hospitals()
	c := newConsortium(t, 60, h[0], h[1], h[4], h[5])
	c.members[2].program = ahead(t, 2)
	for _, i := range []int{0, 2, 3} {
		c.members[i].start()
	}
	c.members[0].says(`3 of 4 members are here`, time.Minute)
	c.members[1].finds(`^clock: the clock of h3 is 2h0m0s ahead of that of h2\n$`, time.Minute)
	c.members[1].start()
	last := c.members[3]
	last.says(`round 1/`, time.Minute)
	last.reaches(map[string]string{"h1": "", "h2": "", "h3": "h1"}, 10*time.Second)
	c.oneModel(2 * time.Minute)
}
