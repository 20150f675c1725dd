//go:build e2e && linux

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/ops/operate"
)

// figures are the resources that a process uses at a moment.
type figures struct{ resident, goroutines, handles, state float64 }

var names = [...]string{"resident MiB", "goroutines", "file handles", "state MiB"}

func (f figures) all() [4]float64 { return [4]float64{f.resident, f.goroutines, f.handles, f.state} }

// figures measures the member's process.
func (m *member) figures() (f figures, rounds float64) {
	m.t.Helper()
	proc := fmt.Sprintf("/proc/%d/", m.cmd.Process.Pid)
	status, err := os.ReadFile(proc + "status")
	fatal(m.t, err)
	f.resident = number(m.t, status, `VmRSS:\s+(\d+) kB`) / 1024
	handles, err := os.ReadDir(proc + "fd")
	fatal(m.t, err)
	f.handles = float64(len(handles))
	info, err := os.Stat(filepath.Join(m.dir, "state.db"))
	fatal(m.t, err)
	f.state = float64(info.Size()) / (1 << 20)
	c, err := operate.NewClient(m.dir)
	fatal(m.t, err)
	metrics, err := c.Get(context.Background(), "/metrics")
	fatal(m.t, err)
	f.goroutines = number(m.t, metrics, `(?m)^collabdict_goroutines (\S+)$`)
	return f, number(m.t, metrics, `(?m)^collabdict_round (\S+)$`)
}

func number(t *testing.T, text []byte, pattern string) float64 {
	t.Helper()
	found := regexp.MustCompile(pattern).FindSubmatch(text)
	if found == nil {
		t.Fatalf("no %s in\n%s", pattern, bytes.TrimSpace(text))
	}
	v, err := strconv.ParseFloat(string(found[1]), 64)
	fatal(t, err)
	return v
}

// Every twenty seconds one of six members is killed and stays away for twelve: each is away for a
// tenth of the time. A member that is never killed does not use more and more memory, goroutines or file
// handles.
func TestSoak(t *testing.T) {
	most := lasts(t, "COLLABDICT_E2E_SOAK", 2*time.Minute)
	n, sites := opens(t, 6)
	n.tell("delay 20ms")
	c := newConsortium(t, 30_000, sites...)
	c.start()
	stays := c.members[0]
	stays.says(`round 20/`, time.Minute)
	rng, began := rand.New(rand.NewPCG(3, 4)), time.Now()
	var seen []figures
	kills := 0
	for time.Since(began) < most {
		m := c.members[1+rng.IntN(5)]
		m.kill()
		kills++
		time.Sleep(12 * time.Second)
		m.start()
		time.Sleep(8 * time.Second)
		f, round := stays.figures()
		seen = append(seen, f)
		t.Logf("%5s  round %5.0f  %6.1f MiB resident  %4.0f goroutines  %3.0f handles  state %6.1f MiB", time.Since(began).Round(time.Second), round, f.resident, f.goroutines, f.handles, f.state)
	}
	t.Logf("%d members were killed", kills)
	third := len(seen) / 3
	for i, name := range names {
		mean := func(part []figures) (sum float64) {
			for _, f := range part {
				sum += f.all()[i]
			}
			return sum / float64(len(part))
		}
		before, after := mean(seen[third:2*third]), mean(seen[2*third:])
		t.Logf("%s: %.1f in the second third, %.1f in the last", name, before, after)
		if after > 1.2*before && name != names[3] { // the log of decided slots grows with the rounds
			t.Errorf("%s have grown from %.1f to %.1f", name, before, after)
		}
	}
}
