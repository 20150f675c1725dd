package operate

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/node"
)

// lost returns the status of a member of three that has lost one member and waits for the other.
func lost() *Status {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	return &Status{
		Name: "a", Model: "ggm", Phase: Running, At: at, Since: at.Add(-time.Hour), Run: strings.Repeat("0f", 32), Round: 11, Rounds: 40, Pace: 2 * time.Second,
		Warns: 9, Warned: []Warning{{At: at.Add(-time.Minute), Warning: report.Warning{Text: "b is lost"}}},
		Node: &node.Status{
			Name: "a", State: "session", Call: "sum", Want: 3, Members: []string{"a", "c"}, LastTook: 120 * time.Millisecond,
			Absent: []node.Absent{{Name: "b", Reason: "nothing heard for 8.1s", Lost: true}}, Waiting: []node.Waiting{{Name: "c", For: 70 * time.Second}},
			Links:   []node.Link{{Name: "c", Via: "b"}},
			Traffic: node.Traffic{BytesSent: 2500000, MessagesSent: 12, BytesReceived: 1000, MessagesReceived: 3},
		},
	}
}

func TestStatusForPeople(t *testing.T) {
	var got bytes.Buffer
	lost().WriteTable(&got)
	want := `a: round 12: waiting for c, 1m10s (running for 1h0m0s)
ggm: completed 11 of at most 40 rounds; at most 58s to go, run 0f0f0f0f0f0f0f0f
2 of 3 members are here

  a  in the sums (this member)
  b  lost: nothing heard for 8.1s
  c  in the sums, waited for 1m10s, through b

sent 2.5 MB in 12 messages, received 1.0 kB in 3; the last sum took 120ms

9 warnings; the last:
  05:05:07  b is lost
`
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", &got, want)
	}
	got.Reset()
	(&Status{Name: "a", Phase: Joining, Node: &node.Status{
		Name: "a", Want: 2, Present: []string{"a (12D3)"}, Missing: []string{"b (12D3)"},
		Unreached: []node.Unreached{{A: "b", B: "c", Reason: "a firewall", Advice: "let one relay"}},
	}}).WriteTable(&got)
	if want := "a: joining: 1 of 2 members are here; waiting for b (joining for 0s)\n1 of 2 members are here\n\n  a  here (this member)\n  b  missing\n\nb and c do not reach each other: a firewall\n  let one relay\n\nsent 0.0 kB in 0 messages, received 0.0 kB in 0\n"; got.String() != want {
		t.Errorf("got\n%swant\n%s", &got, want)
	}
}
