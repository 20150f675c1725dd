package node

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/wire"
	"github.com/collabdict/collabdict/node/internal/nodetest"
	"github.com/collabdict/collabdict/node/internal/rendezvous"
)

// A process is a running command and its output.
type process struct {
	cmd   *exec.Cmd
	lines chan string // closed when it ends
}

// command starts the program in a folder.
func command(t *testing.T, program, dir string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(program, args...), lines: make(chan string, 10000)}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Dir, p.cmd.Stderr = dir, w
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer close(p.lines)
		for s := bufio.NewScanner(r); s.Scan(); {
			p.lines <- s.Text()
		}
		io.Copy(io.Discard, r)
		p.cmd.Wait()
		r.Close()
	}()
	t.Cleanup(func() { p.cmd.Process.Kill(); <-ended })
	return p
}

// says waits for a line with all the texts in it.
func (p *process) says(t *testing.T, texts ...string) {
	t.Helper()
	limit := time.After(3 * nodetest.Within)
	for {
		select {
		case line, running := <-p.lines:
			if !running {
				t.Fatalf("%s has ended without a line with %q", strings.Join(p.cmd.Args[1:], " "), texts)
			}
			t.Logf("%s: %s", strings.Join(p.cmd.Args[1:], " "), line)
			if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(line, text) }) {
				return
			}
		case <-limit:
			t.Fatalf("%s has printed no line with %q", strings.Join(p.cmd.Args[1:], " "), texts)
		}
	}
}

// succeeds waits for the end.
func (p *process) succeeds(t *testing.T) {
	t.Helper()
	limit := time.After(3 * nodetest.Within)
	for {
		select {
		case line, running := <-p.lines:
			if running {
				t.Logf("%s: %s", strings.Join(p.cmd.Args[1:], " "), line)
				continue
			}
			if p.cmd.ProcessState == nil || p.cmd.ProcessState.ExitCode() != 0 {
				t.Errorf("%s: %v", strings.Join(p.cmd.Args[1:], " "), p.cmd.ProcessState)
			}
			return
		case <-limit:
			t.Fatalf("%s does not end", strings.Join(p.cmd.Args[1:], " "))
		}
	}
}

// A stranger attacks the real program: it refuses a process with a list of members that waits
// for the others. The process logs the refusal, keeps waiting, and trains when the others come.
func TestAStrangerAttacksAProcess(t *testing.T) {
	testkit.SkipRaced(t) // the program is built without the detector
	testkit.LongOnly(t)
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "collabdict")
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/collabdict").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// A first run creates folders with a list of members and free ports.
	command(t, program, dir, "up", "--generate", "participants=3,rows=60,columns=4,patterns=2", "--components", "2", "--rounds", "3", "--out", "o").succeeds(t)
	agreed, err := config.ReadConsortium(filepath.Join(dir, "o", "consortium.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	stranger := newOutsider(t, Config{Listen: []string{"/ip4/127.0.0.1/tcp/0"}})
	victim := command(t, program, dir, "run", "--dir", "o/plant-a")
	victim.says(t, "1 of 3 members are here")
	first := agreed.Members[0]
	addrs := []string{first.Addrs[0] + "/p2p/" + first.ID}
	stranger.tells(t, addrs, wire.Hello{Name: "plant-b", Refused: rendezvous.WasRemoved})
	victim.says(t, "[WARN]", stranger.id.String())
	for _, h := range []wire.Hello{{Name: "plant-b", Refused: rendezvous.OtherFolder}, {Name: "plant-b"}, {}} {
		stranger.tells(t, addrs, h)
	}
	others := []*process{command(t, program, dir, "run", "--dir", "o/plant-b"), command(t, program, dir, "run", "--dir", "o/plant-c")}
	for _, p := range append(others, victim) {
		p.succeeds(t)
	}
}
