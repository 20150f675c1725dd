//go:build e2e && linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// findings runs doctor for a member, and returns its findings as "check: cause".
func (m *member) findings() (all string) {
	m.t.Helper()
	out, _ := m.at("doctor", m.dir, "--json").Output() // its exit code reports that there are faults
	var r struct {
		Findings []struct{ Check, Cause string }
	}
	if err := json.Unmarshal(out, &r); err != nil {
		m.t.Fatalf("doctor: %v: %s", err, out)
	}
	for _, f := range r.Findings {
		all += f.Check + ": " + f.Cause + "\n"
	}
	return all
}

// finds runs doctor for a member until its findings match a pattern.
func (m *member) finds(pattern string, most time.Duration) {
	m.t.Helper()
	var got string
	if !eventually(most, func() bool { got = m.findings(); return matches(pattern, got) }) {
		m.t.Fatalf("doctor does not find %q within %s, but\n%s", pattern, most, got)
	}
}

// doctor names each of ten planted faults, and reports nothing before and after.
func TestDoctor(t *testing.T) {
	symmetric := behindNAT("fully-random")
	n := newInternet(t, open, open, symmetric, symmetric)
	n.tell("delay 10ms")
	h := hospitals()
	c := newConsortium(t, 5, h[0], h[1], h[4], h[5])
	patient := c.members[1]
	for _, m := range []*member{c.members[0], c.members[2], c.members[3]} {
		m.start()
	}
	well := func() { t.Helper(); patient.finds(`^$`, time.Minute) } // the members behind NAT meet through the relay
	c.members[0].says(`3 of 4 members are here`, time.Minute)
	well()
	file := func(name string) string { return filepath.Join(patient.dir, name) }
	swap := func(path, old, new string) {
		t.Helper()
		b, err := os.ReadFile(path)
		fatal(t, err)
		if !strings.Contains(string(b), old) {
			t.Fatalf("%s has no %q", path, old)
		}
		fatal(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(b), old, new)), 0o600))
	}
	agreement := filepath.Join(patient.dir, "own.yaml")
	own := func(edit func()) func() {
		return func() {
			b, err := os.ReadFile(c.agreement())
			fatal(t, err)
			fatal(t, os.WriteFile(agreement, b, 0o600))
			swap(file("node.yaml"), "../consortium.yaml", "own.yaml")
			edit()
		}
	}
	shared := func() { swap(file("node.yaml"), "own.yaml", "../consortium.yaml") }
	rows, err := os.ReadFile(file("rows.csv"))
	fatal(t, err)
	healRows := func() { fatal(t, os.WriteFile(file("rows.csv"), rows, 0o600)) }
	var taken *helperProcess
	again := func(more string) { // restarts the first member with other lines in node.yaml
		c.members[0].kill()
		c.members[0].write("node.yaml", c.members[0].nodeYAML(h[0], more))
		c.members[0].start()
	}
	for _, f := range []struct {
		name        string
		plant, heal func()
		want        string
	}{
		{
			"a key that others can read",
			func() { fatal(t, os.Chmod(file("identity.key"), 0o644)) }, func() { fatal(t, os.Chmod(file("identity.key"), 0o600)) },
			"identity: ",
		},
		{"a column that is absent", func() { swap(file("rows.csv"), "temp", "tmp") }, healRows, `rows: .*temp`},
		{"many missing cells", func() { fatal(t, os.WriteFile(file("rows.csv"), levels("", "3.5"), 0o600)) }, healRows, "missing: .*column level: 50%"},
		{"a column that is constant", func() { fatal(t, os.WriteFile(file("rows.csv"), levels("7", "7"), 0o600)) }, healRows, "features: .*level"},
		{"a port that is taken", func() { taken = startHelper(t, patient.name, "listen") }, func() { taken.end() }, "listen: .*4001"},
		{"no node.yaml that can be read", func() { swap(file("node.yaml"), "name:", "nmae:") }, func() { swap(file("node.yaml"), "nmae:", "name:") }, "configuration: .*did you mean name"},
		{"an agreement that was altered", own(func() { swap(agreement, "components: 2", "components: 3") }), shared, "agreement: h1 has another agreement: components: here \"3\", there \"2\""},
		{"an agreement that is not signed", own(func() {
			b, err := os.ReadFile(agreement)
			fatal(t, err)
			unsigned, _, _ := strings.Cut(string(b), "signatures:")
			fatal(t, os.WriteFile(agreement, []byte(unsigned), 0o600))
		}), shared, "signatures: .*not signed by"},
		{"a member that has been stopped", c.members[0].kill, func() { c.members[0].start() }, "reached: h1 is not reached: /ip4/20.20.0.1/.*connection refused"},
		{"two members that do not reach each other", func() { again("") }, func() { again("relay: true") }, `^between: h3 and h4 do not reach each other.*\n$`},
	} {
		t.Log(f.name)
		f.plant()
		patient.finds(f.want, time.Minute)
		f.heal()
		well()
	}
}

// levels returns rows whose last column alternates between two values.
func levels(even, odd string) []byte {
	var text strings.Builder
	text.WriteString("flow,temp,level\n")
	for i := range 60 {
		level := even
		if i%2 == 1 {
			level = odd
		}
		fmt.Fprintf(&text, "%d.5,%d.25,%s\n", i*i%13, i*7%17, level)
	}
	return []byte(text.String())
}
