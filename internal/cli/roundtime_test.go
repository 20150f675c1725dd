package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/testkit/pipelinetest"
	"github.com/collabdict/collabdict/node"
)

// Replayed rounds and a pause do not change the duration of rounds.
func TestPace(t *testing.T) {
	var p pace
	now := time.Unix(0, 0)
	for i, c := range []struct {
		took     time.Duration
		replayed bool
		want     time.Duration // 0: not known
	}{
		{0, false, 0}, // the time before it is the start-up
		{time.Second, false, time.Second},
		{time.Millisecond, true, 0},
		{time.Millisecond, true, 0},
		{3 * time.Second, false, 3 * time.Second},
		{2 * time.Second, false, 2 * time.Second},
		{time.Hour, false, 3 * time.Second}, // paused
		{2 * time.Second, false, 2 * time.Second},
		{2 * time.Second, false, 2 * time.Second},
	} {
		now = now.Add(c.took)
		if got, known := p.round(now, c.replayed); got != c.want || known != (c.want > 0) {
			t.Errorf("%d: %v, %v, want %v", i, got, known, c.want)
		}
	}
}

// A member that catches up reports no remaining time.
func TestNoTimeLeftWhileCatchingUp(t *testing.T) {
	var out bytes.Buffer
	p := (&app{err: &out}).newProgress(pipelinetest.Task(t, "ggm", "rounds=9"))
	end := func(n int, s node.Status) {
		p.members(s)
		p.round(algorithm.Progress{Round: collabdict.Round{Number: n}}, 3, 0)
	}
	behind := node.Status{Name: "c", Members: []string{"a", "b"}, Absent: []node.Absent{{Name: "c", Reason: "catching up"}}}
	for n := 1; n <= 3; n++ {
		end(n, behind)
	}
	if strings.Contains(out.String(), "to go") {
		t.Errorf("said %q", out.String())
	}
	end(4, node.Status{Name: "c", Members: []string{"a", "b", "c"}})
	if !strings.Contains(out.String(), "at most 0s to go") {
		t.Errorf("said %q", out.String())
	}
}
