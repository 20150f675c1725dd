//go:build e2e && linux

package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is a running program, with the output of this process and its predecessors.
type process struct {
	t    *testing.T
	name string

	mu   sync.Mutex
	log  bytes.Buffer
	news chan struct{}

	cmd   *exec.Cmd
	ended chan error
}

func newProcess(t *testing.T, name string) process {
	return process{t: t, name: name, news: make(chan struct{}, 1)}
}

// inSpace returns a command in a namespace.
func inSpace(space string, args ...string) *exec.Cmd {
	return exec.Command("ip", append([]string{"netns", "exec", prefix + space}, args...)...)
}

// run starts a program. It ends with the test at the latest.
func (p *process) run(cmd *exec.Cmd) {
	p.t.Helper()
	p.cmd = cmd
	out, in := io.Pipe()
	cmd.Stdout, cmd.Stderr = in, in
	fatal(p.t, cmd.Start())
	p.ended = make(chan error, 1)
	var read sync.WaitGroup
	read.Go(func() { p.read(out) })
	go func(ended chan<- error) {
		err := cmd.Wait()
		in.Close()
		read.Wait()
		ended <- err
	}(p.ended)
	p.t.Cleanup(p.kill)
}

func (p *process) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		p.mu.Lock()
		fmt.Fprintln(&p.log, lines.Text())
		p.mu.Unlock()
		if os.Getenv("COLLABDICT_E2E_LOG") != "" {
			fmt.Printf("%s %s %s\n", time.Now().Format("15:04:05.000"), p.name, lines.Text())
		}
		select {
		case p.news <- struct{}{}:
		default:
		}
	}
}

// said returns the output of all the member's processes.
func (p *process) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// says waits until the member has printed text that matches a pattern, and returns that text.
func (p *process) says(pattern string, most time.Duration) string {
	p.t.Helper()
	re := regexp.MustCompile(pattern)
	limit := time.After(most)
	for {
		if found := re.FindString(p.said()); found != "" {
			return found
		}
		select {
		case <-p.news:
		case <-limit:
			p.t.Fatalf("%s has not said %q within %s but\n%s", p.name, pattern, most, p.said())
		}
	}
}

// kill ends the process at once, like a power cut.
func (p *process) kill() {
	if p.ended == nil {
		return
	}
	_ = p.cmd.Process.Kill()
	<-p.ended
	p.ended = nil
}

// exit waits for the end of the process and returns its exit code.
func (p *process) exit(most time.Duration) int {
	p.t.Helper()
	select {
	case <-p.ended:
		p.ended = nil
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(most):
		_ = p.cmd.Process.Signal(syscall.SIGQUIT) // prints where it hangs
		<-p.ended
		p.ended = nil
		p.t.Fatalf("%s has not ended within %s:\n%s", p.name, most, p.said())
		return -1
	}
}

// eventually calls done until it returns true, and reports whether that was in time.
func eventually(most time.Duration, done func() bool) bool {
	limit, again := time.After(most), time.NewTicker(100*time.Millisecond)
	defer again.Stop()
	for !done() {
		select {
		case <-again.C:
		case <-limit:
			return false
		}
	}
	return true
}

// matches reports whether a text has a line that matches a pattern.
func matches(pattern, text string) bool { return regexp.MustCompile(pattern).MatchString(text) }
