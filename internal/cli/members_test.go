package cli

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

	"github.com/collabdict/collabdict/internal/data/plants"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/node"
)

// member is a participant's process and its messages.
type member struct {
	cmd   *exec.Cmd
	began time.Time
	mu    sync.Mutex
	said  bytes.Buffer
	lines chan string
	done  chan struct{}
}

// start runs this program as a process of its own. A run shows each round, for until.
func start(t *testing.T, dir string, args ...string) *member {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if args[0] == "up" || args[0] == "run" {
		args = append(args, "--verbose")
	}
	m := &member{cmd: exec.Command(self, args...), began: time.Now(), lines: make(chan string, 10000), done: make(chan struct{})}
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
			fmt.Fprintf(&m.said, "%5.1fs  %s\n", time.Since(m.began).Seconds(), s.Text())
			m.mu.Unlock()
			m.lines <- s.Text()
		}
	}()
	t.Cleanup(func() { _ = m.cmd.Process.Kill(); <-m.done })
	return m
}

// within is the longest time that a test waits for a line, on a busy machine.
const within = 3 * time.Minute

// until waits for a line and returns its match.
func (m *member) until(t *testing.T, pattern string) []string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	limit := time.After(within)
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
	case <-time.After(4 * time.Minute): // hundreds of rounds under the race detector
		t.Fatalf("it does not end; it said:\n%s", m.all())
	}
	return m.cmd.ProcessState.ExitCode(), m.all()
}

func (m *member) all() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.said.String()
}

// makeSecret makes a file with a secret in a folder.
func makeSecret(t *testing.T, dir, name string) {
	t.Helper()
	if err := node.MakeSecret(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

// startPlants starts a process for each of the first n of three plants, which find
// each other through the first.
func startPlants(t *testing.T, dir string, n int, args func(i int) []string) []*member {
	t.Helper()
	paths, err := plants.WriteCSV(dir, plants.Generate(plants.Spec{Participants: 3, Rows: 60, Columns: 4, Patterns: 2}, 1))
	if err != nil {
		t.Fatal(err)
	}
	makeSecret(t, dir, "our.secret")
	var members []*member
	var peer []string
	for i, path := range paths[:n] {
		a := append([]string{
			"run", "--data", path, "--where", "split=train", "--label", "label", "--expect", "3", "--secret-file", "our.secret", "--mdns", "", "--listen", "/ip4/127.0.0.1/tcp/0",
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

// kill kills the child of a process that works in a folder, without a signal that it can handle.
func kill(t *testing.T, parent int, folder string) {
	t.Helper()
	commands, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(commands) == 0 {
		t.Skip("processes are not listed here")
	}
	for _, path := range commands {
		args, _ := os.ReadFile(path)
		stat, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "stat"))
		var pid, of int
		_, after, _ := strings.Cut(string(stat), ") ")
		if _, err := fmt.Sscanf(after, "%1s %d", new(string), &of); err != nil || of != parent || !strings.Contains(string(args), folder) {
			continue
		}
		if _, err := fmt.Sscan(filepath.Base(filepath.Dir(path)), &pid); err != nil {
			t.Fatal(err)
		}
		p, err := os.FindProcess(pid)
		if err == nil {
			err = p.Kill()
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("no child of %d works in %s", parent, folder)
}

// Members with different hyper-parameters all fail, and their errors name the field.
func TestOtherHyperParameters(t *testing.T) {
	t.Parallel()
	members := startPlants(t, t.TempDir(), 2, func(i int) []string {
		return []string{"--lambda0", fmt.Sprint(1 + i), "--join-timeout", "20s"} // they wait for the third until then
	})
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
		got, err := model.ReadFile(filepath.Join(dir, name, "model.npz"))
		if err != nil {
			t.Fatal(err)
		}
		if digest == "" {
			digest = got.Manifest.Digest
		}
		if got.Manifest.Digest != digest || got.Manifest.Participant != name || got.Manifest.TotalRows != 144 {
			t.Errorf("%s: %+v", name, got.Manifest)
		}
	}
}

// Strangers without the secret, or with another one, take no seat, although they have the same
// settings and come first. The run begins without them.
func TestStrangersTakeNoSeat(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	paths, err := plants.WriteCSV(dir, plants.Generate(plants.Spec{Participants: 5, Rows: 60, Columns: 4, Patterns: 2}, 1))
	if err != nil {
		t.Fatal(err)
	}
	makeSecret(t, dir, "our.secret")
	makeSecret(t, dir, "other.secret")
	run := func(path string, args ...string) *member {
		return start(t, dir, append([]string{
			"run", "--data", path, "--where", "split=train", "--label", "label", "--expect", "3", "--mdns", "", "--listen", "/ip4/127.0.0.1/tcp/0", "--components", "2",
		}, args...)...)
	}
	ours := []string{"--secret-file", "our.secret", "--join-timeout", "60s"}
	honest := []*member{run(paths[0], ours...)}
	peer := honest[0].until(t, `reached with (--peer) (\S+)`)[1:]
	for i, args := range [][]string{{"--open"}, {"--secret-file", "other.secret"}} {
		stranger := run(paths[3+i], append(args, peer...)...)
		stranger.until(t, `reached with`)
		honest[0].until(t, `a peer without this run's secret is refused`)
	}
	for _, path := range paths[1:3] {
		honest = append(honest, run(path, append(ours, peer...)...))
	}
	for i, m := range honest {
		if code, said := m.end(t); code != 0 {
			t.Errorf("member %d: exit code %d; it said:\n%s", i, code, said)
			continue
		}
		got, err := model.ReadFile(filepath.Join(dir, fmt.Sprintf("plant-%c", 'a'+i), "model.npz"))
		if err != nil || got.Manifest.TotalRows != 144 {
			t.Errorf("member %d: %v, %+v", i, err, got)
		}
	}
}
