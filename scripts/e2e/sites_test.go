//go:build e2e && linux

package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// member is one participant: its folder, and its process while one runs.
type member struct {
	process
	dir     string
	id      string
	program string   // program that it runs; "" for the program under test
	env     []string // environment of its commands, added to the test's
}

// site describes the lines of a member's node.yaml besides its name and rows.
type site struct {
	listen, addrs []string
	more          string // lines of node.yaml
}

// consortium is the members of an agreement on this machine.
type consortium struct {
	t       *testing.T
	dir     string
	members []*member
	sites   []site
	rounds  int
}

// newConsortium writes the folders of members and their agreement, and signs it for all.
func newConsortium(t *testing.T, rounds int, sites ...site) *consortium {
	t.Helper()
	c := &consortium{t: t, dir: t.TempDir(), sites: sites, rounds: rounds}
	for i := range sites {
		c.members = append(c.members, c.newMember(i, sites[i]))
	}
	c.agree("")
	return c
}

// newMember creates a folder with an identity, rows and node.yaml.
func (c *consortium) newMember(i int, s site) *member {
	m := &member{process: newProcess(c.t, siteName(i)), dir: filepath.Join(c.dir, siteName(i))}
	fatal(c.t, os.Mkdir(m.dir, 0o700))
	m.id = strings.TrimSpace(m.command("id", "--dir", m.dir))
	rng := rand.New(rand.NewPCG(uint64(i), 7))
	var rows strings.Builder
	rows.WriteString("flow,temp,level\n")
	for range 300 {
		k := rng.IntN(2)
		x := rng.NormFloat64() + 6*float64(k)
		fmt.Fprintf(&rows, "%.4f,%.4f,%.4f\n", x, 0.8*x+rng.NormFloat64()*.5, rng.NormFloat64()+float64(i)*.1)
	}
	m.write("rows.csv", rows.String())
	m.write("node.yaml", m.nodeYAML(s, s.more))
	return m
}

func (m *member) nodeYAML(s site, more string) string {
	return fmt.Sprintf("version: 3\nname: %s\nconsortium: ../consortium.yaml\nlisten: [%s]\ndata: [rows.csv]\n%s\n",
		m.name, strings.Join(s.listen, ", "), more)
}

// agree writes the agreement of the members, with lines for changes, and signs it for all.
func (c *consortium) agree(changes string) {
	var text strings.Builder
	text.WriteString("version: 3\nmembers:\n")
	for i, s := range c.sites {
		fmt.Fprintf(&text, "  - {name: %s, id: %s, addrs: [%s]}\n", c.members[i].name, c.members[i].id, strings.Join(s.addrs, ", "))
	}
	fmt.Fprintf(&text, "%scolumns: [flow, temp, level]\nmodel: {kind: ggm, components: 2, rounds: %d, tol: 0}\nconsensus: {}\n", changes, c.rounds)
	fatal(c.t, os.WriteFile(c.agreement(), []byte(text.String()), 0o600))
	for _, m := range c.members {
		m.command("consortium", "sign", "--dir", m.dir)
	}
}

func (c *consortium) agreement() string { return filepath.Join(c.dir, "consortium.yaml") }

func (m *member) write(name, text string) {
	m.t.Helper()
	fatal(m.t, os.WriteFile(filepath.Join(m.dir, name), []byte(text), 0o600))
}

// command runs the program to its end, outside all namespaces.
func (m *member) command(args ...string) string {
	m.t.Helper()
	var errs bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		m.t.Fatalf("%s: %v: %s", strings.Join(args, " "), err, errs.String())
	}
	return string(out)
}

// at returns a command of the program in the member's namespace.
func (m *member) at(args ...string) *exec.Cmd {
	cmd := inSpace(m.name, append([]string{cmp.Or(m.program, program)}, args...)...)
	cmd.Env = append(os.Environ(), m.env...)
	return cmd
}

// start starts the member's run.
func (m *member) start(args ...string) {
	m.t.Helper()
	m.run(m.at(append([]string{"run", "--verbose", "--dir", m.dir}, args...)...))
}

// result is the content of a member's result.json.
type result struct {
	Participants []struct{ Digest string }
	Rounds       int
}

// oneModel waits until all members have ended successfully, and checks that they have the same
// model.
func (c *consortium) oneModel(most time.Duration) {
	c.t.Helper()
	digests := map[string]bool{}
	for _, m := range c.members {
		if code := m.exit(most); code != 0 {
			c.t.Errorf("%s ends with exit code %d:\n%s", m.name, code, m.said())
		}
		b, err := os.ReadFile(filepath.Join(m.dir, "result.json"))
		fatal(c.t, err)
		var r result
		fatal(c.t, json.Unmarshal(b, &r))
		if r.Rounds != c.rounds {
			c.t.Errorf("%s has %d rounds, want %d", m.name, r.Rounds, c.rounds)
		}
		digests[r.Participants[0].Digest] = true
	}
	if len(digests) != 1 {
		c.t.Errorf("the members have %d models: %v", len(digests), digests)
	}
}
