package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/internal/plants"
)

// member is a participant's process, whose words are watched.
type member struct {
	cmd   *exec.Cmd
	mu    sync.Mutex
	said  bytes.Buffer
	lines chan string
	done  chan struct{}
}

// start runs this program as a process of its own.
func start(t *testing.T, dir string, args ...string) *member {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	m := &member{cmd: exec.Command(self, args...), lines: make(chan string, 10000), done: make(chan struct{})}
	m.cmd.Args[0] = "collabdict" // TestMain then runs Main
	m.cmd.Dir = dir
	r, w := io.Pipe()
	m.cmd.Stderr = w
	if err := m.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = m.cmd.Wait()
		_ = w.Close()
	}()
	go func() {
		defer close(m.done)
		for s := bufio.NewScanner(r); s.Scan(); {
			m.mu.Lock()
			fmt.Fprintln(&m.said, s.Text())
			m.mu.Unlock()
			m.lines <- s.Text()
		}
	}()
	t.Cleanup(func() { _ = m.cmd.Process.Kill(); <-m.done })
	return m
}

// until waits for a line and returns its match.
func (m *member) until(t *testing.T, pattern string) []string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	limit := time.After(90 * time.Second)
	for {
		select {
		case line := <-m.lines:
			if found := re.FindStringSubmatch(line); found != nil {
				return found
			}
		case <-limit:
			t.Fatalf("no line like %q; it said:\n%s", pattern, m.all())
		}
	}
}

// end waits for the process and returns its exit code and all it said.
func (m *member) end(t *testing.T) (int, string) {
	t.Helper()
	select {
	case <-m.done:
	case <-time.After(90 * time.Second):
		t.Fatalf("it does not end; it said:\n%s", m.all())
	}
	return m.cmd.ProcessState.ExitCode(), m.all()
}

func (m *member) all() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.said.String()
}

// startPlants starts a process for each of the first n of three plants, which find
// each other through the first.
func startPlants(t *testing.T, dir string, n int, args func(i int) []string) []*member {
	t.Helper()
	paths, err := plants.WriteCSV(dir, plants.Generate(plants.Spec{Participants: 3, Rows: 60, Columns: 4, Patterns: 2}, 1))
	if err != nil {
		t.Fatal(err)
	}
	var members []*member
	var peer []string
	for i, path := range paths[:n] {
		a := append([]string{
			"run", "--data", path, "--where", "split=train", "--expect", "3", "--mdns", "", "--listen", "/ip4/127.0.0.1/tcp/0",
			"--join-timeout", "60s", "--components", "2",
		}, peer...)
		members = append(members, start(t, dir, append(a, args(i)...)...))
		if i == 0 {
			found := members[0].until(t, `reached with (--peer) (\S+)`)
			peer = found[1:]
		}
	}
	return members
}

// A member that is killed in mid-run is named by all the others while they wait;
// they end in bounded time with a clear message, and keep their last good model.
func TestAKilledMember(t *testing.T) {
	if testing.Short() {
		t.Skip("takes as long as a member is waited for")
	}
	t.Parallel()
	dir := t.TempDir()
	members := startPlants(t, dir, 3, func(int) []string { return []string{"--tol", "0", "--rounds", "1000000"} })
	members[0].until(t, `^round 5/`)
	if err := members[1].cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 2} {
		members[i].until(t, `^waiting for plant-b \d+s \(usual `)
	}
	for _, i := range []int{0, 2} {
		code, said := members[i].end(t)
		if code != membersLost.code || !strings.Contains(said, "lost plant-b") || strings.Contains(said, "goroutine ") {
			t.Errorf("exit code %d; it said:\n%s", code, said)
		}
		m, err := model.Read(filepath.Join(dir, fmt.Sprintf("plant-%c", 'a'+i), "model.npz"))
		if err != nil || m.Manifest.Rounds < 5 {
			t.Errorf("model of member %d: %v", i, err)
		}
	}
}

// Members with other hyper-parameters end on both sides with the field's name.
func TestOtherHyperParameters(t *testing.T) {
	t.Parallel()
	members := startPlants(t, t.TempDir(), 2, func(i int) []string { return []string{"--lambda0", fmt.Sprint(1 + i)} })
	for i, m := range members {
		want := fmt.Sprintf(`disagrees on lambda0: this node has "%d", the other "%d"`, 1+i, 2-i)
		if code, said := m.end(t); code != disagreement.code || !strings.Contains(said, want) {
			t.Errorf("exit code %d; it said:\n%s", code, said)
		}
	}
}

// Three processes that know only the first one's address learn together.
func TestThreeProcessesLearn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	members := startPlants(t, dir, 3, func(int) []string { return nil })
	var digest string
	for i, m := range members {
		if code, said := m.end(t); code != 0 {
			t.Fatalf("exit code %d; it said:\n%s", code, said)
		}
		name := fmt.Sprintf("plant-%c", 'a'+i)
		got, err := model.Read(filepath.Join(dir, name, "model.npz"))
		if err != nil {
			t.Fatal(err)
		}
		if digest == "" {
			digest = got.Manifest.Digest
		}
		if got.Manifest.Digest != digest || got.Manifest.Participant != name || got.Manifest.TotalRows != 180 {
			t.Errorf("%s: %+v", name, got.Manifest)
		}
	}
}
