package doctor

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/node"
)

// lines returns findings as texts: a fault has an exclamation mark.
func lines(found []Finding) (out []string) {
	for _, f := range found {
		mark := ""
		if f.Fault {
			mark = "!"
		}
		out = append(out, fmt.Sprintf("%s%s: %s", mark, f.Check, f.Cause))
	}
	return out
}

func same(t *testing.T, name string, got []Finding, want ...string) {
	t.Helper()
	if l := lines(got); !slices.Equal(l, want) {
		t.Errorf("%s: got %q, want %q", name, l, want)
	}
	for _, f := range got {
		if f.Fix == "" {
			t.Errorf("%s: nothing to do about %q", name, f.Cause)
		}
	}
}

func TestRoom(t *testing.T) {
	same(t, "much", Room("a", 5<<30, 4<<30))
	same(t, "too little for the log", Room("a", 5<<30, 5<<30), "disk: the disk of a has 5120 MiB free, want at least 5184 MiB")
	same(t, "little", Room("a", 900<<20, 0), "disk: the disk of a has 900 MiB free, want at least 1024 MiB")
	same(t, "none", Room("a", 1<<20, 0), "!disk: the disk of a has 1 MiB free, want at least 1024 MiB")
}

func TestTable(t *testing.T) {
	column := func(name string, missing, low, high float64) dataset.ColumnProfile {
		return dataset.ColumnProfile{Name: name, Missing: missing, Min: &low, Max: &high}
	}
	ranges := pipeline.Ranges{"temp": {0, 100}, pipeline.EveryColumn: {-1, 1}}
	p := &dataset.Profile{File: "a.csv", Columns: []dataset.ColumnProfile{
		column("temp", 0, 10, 100), column("flow", 0.3, -0.5, 2), column("level", 0, 273, 300), column("other", 0.9, 5, 6), {Name: "text"},
	}, Findings: []dataset.Finding{{Column: "level", Message: "constant", Advice: "--ignore level"}, {Column: "other", Message: "constant", Advice: "--ignore other"}}}
	same(t, "a table", Table(p, []string{"temp", "flow", "level", "absent"}, ranges),
		"missing: a.csv: column flow: 30% of the cells are missing",
		"ranges: a.csv: column flow: values from -0.5 to 2, agreed range -1 to 1",
		"!ranges: a.csv: column level: values from 273 to 300, agreed range -1 to 1",
		"features: a.csv: column level: constant",
	)
	same(t, "no ranges", Table(p, []string{"temp"}, nil))
}

func TestMembers(t *testing.T) {
	fine := func(name string, ahead time.Duration) node.Probed {
		return node.Probed{Name: name, Trip: 200 * time.Millisecond, Ahead: ahead}
	}
	gone := node.Probed{Name: "c", Err: errors.New("failed to dial"), Failures: []string{"/ip4/192.0.2.1/tcp/1: connection refused"}}
	mute := node.Probed{Name: "c", Err: errors.New("stream reset")}
	other := fine("b", 0)
	other.Differs = []node.Difference{{Field: "components", Own: `"3"`, Theirs: `"2"`}}
	apart := fine("b", 0)
	apart.Refused = "does not let this node in"
	pair := []node.Unreached{{A: "b", B: "c", Reason: "a firewall", Advice: "relay"}}
	own := []node.Unreached{{A: "a", B: "c", Reason: "a firewall", Advice: "relay"}}
	for name, c := range map[string]struct {
		answers   []node.Probed
		unreached []node.Unreached
		want      []string
	}{
		"all well":               {[]node.Probed{fine("b", 2*time.Second), fine("c", -time.Second)}, nil, nil},
		"one is not reached":     {[]node.Probed{fine("b", 0), gone}, nil, []string{"!reached: c is not reached: /ip4/192.0.2.1/tcp/1: connection refused"}},
		"seen by another member": {[]node.Probed{fine("b", 0), gone}, own, []string{"!between: a and c do not reach each other: a firewall; /ip4/192.0.2.1/tcp/1: connection refused"}},
		"seen by a third member": {[]node.Probed{fine("b", 0), gone, fine("d", 0)}, append(own, pair...), []string{
			"!between: a and c do not reach each other: a firewall; /ip4/192.0.2.1/tcp/1: connection refused",
			"!between: b and c do not reach each other: a firewall",
		}},
		"one does not answer":    {[]node.Probed{fine("b", 0), mute}, nil, []string{"!reached: c does not answer: stream reset"}},
		"another version":        {[]node.Probed{{Name: "b", Err: fmt.Errorf("hello: %w", &node.VersionError{Got: 8, Want: 7})}}, nil, []string{"!versions: b speaks version 8 of the protocol, this member version 7"}},
		"another agreement":      {[]node.Probed{other}, nil, []string{`!agreement: b has another agreement: components: here "3", there "2"`}},
		"refused":                {[]node.Probed{apart}, nil, []string{"!agreement: b does not let this node in"}},
		"a pair":                 {[]node.Probed{fine("b", 0), fine("c", 0)}, pair, []string{"!between: b and c do not reach each other: a firewall"}},
		"one clock ahead":        {[]node.Probed{fine("b", 0), fine("c", time.Minute), fine("d", 0)}, nil, []string{"clock: the clock of c is 1m0s ahead of that of a"}},
		"one clock behind":       {[]node.Probed{fine("b", 0), fine("c", -time.Minute), fine("d", 0)}, nil, []string{"clock: the clock of c is 1m0s behind that of a"}},
		"the own clock":          {[]node.Probed{fine("b", time.Minute), fine("c", time.Minute), fine("d", 0)}, nil, []string{"clock: the clock of a is 1m0s behind those of most members"}},
		"within a slow exchange": {[]node.Probed{{Name: "b", Trip: 20 * time.Second, Ahead: 12 * time.Second}}, nil, nil},
	} {
		same(t, name, Members("a", c.answers, c.unreached), c.want...)
	}
}

func TestFaults(t *testing.T) {
	found := []Finding{{Check: Disk}, {Check: Listen, Fault: true}}
	if got := strings.Join(lines(Faults(found)), " "); got != "!listen: " {
		t.Error(got)
	}
}
