package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/run/launch"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/node"
)

// Of several nodes, one reports all, and another takes over when it has ended. A line that several
// nodes report is shown once.
func TestAFleetReportsOnce(t *testing.T) {
	var out bytes.Buffer
	f := newFleet(newScreen(&out), true, "o", []string{"a", "b", "c"})
	at := time.Unix(0, 0)
	state := map[int]*operate.Status{}
	next := func(i int, change func(s *operate.Status)) {
		at = at.Add(time.Millisecond)
		s := operate.Status{Phase: operate.Running, Began: at, Since: at, Rounds: 9, Node: &node.Status{}, Roster: []string{"a", "b", "c", "d"}}
		if before := state[i]; before != nil {
			s = *before
			n := *before.Node
			s.Node = &n
		}
		change(&s)
		s.At, state[i] = at, &s
		f.next(i, &s)
	}
	for i := range 3 {
		next(i, func(*operate.Status) {})
	}
	round := func(n int) func(*operate.Status) {
		return func(s *operate.Status) { s.Round, s.Last = n, &operate.Round{Loss: report.Of(2), Members: 3} }
	}
	waits := func(names string) func(*operate.Status) {
		return func(s *operate.Status) { s.Node.Waiting = []node.Waiting{{Name: names, For: 5 * time.Second}} }
	}
	left := func(s *operate.Status) { s.Roster = []string{"a", "b", "c"} }
	next(1, round(1))
	next(0, round(1))
	next(1, waits("c"))
	next(0, waits("c"))
	next(2, func(s *operate.Status) { s.Node.Held = []string{"a"} })
	next(2, left)
	next(0, left)
	hopeless := f.ended(0, report.End{Err: &launch.ChildError{Name: "a", Killed: true, Failure: launch.Failure{Message: "its process ended: signal: killed"}}})
	next(1, round(1))
	next(1, round(2))
	next(1, left)
	if hopeless || f.ended(2, report.End{Err: errors.New("no space")}) {
		t.Error("a node that was killed, or gave no class of error, may succeed if it is started again")
	}
	for class, want := range map[string]bool{"data": true, "members-lost": false} {
		if got := f.ended(2, report.End{Err: &launch.ChildError{Name: "c", Failure: launch.Failure{Code: class, Message: class}}}); got != want {
			t.Errorf("%s: would end in the same way again: %t", class, got)
		}
	}
	if f.ended(1, report.End{Run: &report.Run{Rounds: 2}, Err: &launch.ChildError{Name: "b", Failure: launch.Failure{Code: "interrupted"}}}) {
		t.Error("a node that was interrupted would be again")
	}
	got := strings.Split(strings.TrimSpace(strings.ReplaceAll(out.String(), `o\\`, "o/")), "\n")
	want := []string{
		"a: round 1/9  loss 2 per row  3 participants",
		"b: waiting for c 5s (usual 0s)",
		"c: the members have changed: d left; 3 now",
		"a: its process ended: signal: killed; collabdict run --dir o/a brings it back",
		"b: round 2/9  loss 2 per row  3 participants",
		"c: error: data", "c: error: members-lost",
		"b: the model of round 2 is saved; collabdict run --dir o/b resumes the run",
	}
	for i := 5; i < len(got) && i < 7; i++ { // of a map, in any order
		want[5], want[6] = min(got[5], got[6]), max(got[5], got[6])
	}
	if strings.Join(got[:min(5, len(got))], "\n") != strings.Join(want[:5], "\n") || got[len(got)-1] != want[7] || len(got) != len(want) {
		t.Errorf("said\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
