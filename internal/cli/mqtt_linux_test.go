package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Messages of an MQTT broker are scored one by one, as they come: each is a row, and the pipe of the page on
// serving passes each score on. A broker that restarts loses no message. A message that is no
// row ends the pipe.
func TestPipeOfMessages(t *testing.T) {
	paths := map[string]string{}
	for _, program := range []string{"mosquitto", "mosquitto_sub", "mosquitto_pub"} {
		path, err := exec.LookPath(program)
		if err != nil {
			path = "/usr/sbin/" + program
			if _, err := os.Stat(path); err != nil {
				t.Skipf("SKIPPED, NOTHING CHECKED: %s is not installed (Debian packages mosquitto and mosquitto-clients)", program)
			}
		}
		paths[program] = path
	}
	dir := t.TempDir()
	if code, said := start(t, dir, "sim", "--generate", "participants=3,rows=200,columns=2,patterns=1", "--components", "1", "--rounds", "3", "--out", "o").end(t); code != 0 {
		t.Fatal(said)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	set := fmt.Sprintf("listener %s 127.0.0.1\nallow_anonymous true\npersistence true\npersistence_location %s/\nlog_dest stderr\n", port, dir)
	if os.Getuid() == 0 {
		set += "user root\n" // another user could not write the folder of the test
	}
	config := filepath.Join(dir, "mosquitto.conf")
	if err := os.WriteFile(config, []byte(set), 0o600); err != nil {
		t.Fatal(err)
	}
	// lines passes on the lines of a stream. A test that waits for one ends in time.
	lines := func(c *exec.Cmd, of func() (io.ReadCloser, error)) <-chan string {
		from, err := of()
		if err == nil {
			err = c.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
		to := make(chan string, 1000)
		go func() {
			defer close(to)
			for s := bufio.NewScanner(from); s.Scan(); {
				to <- s.Text()
			}
		}()
		return to
	}
	next := func(from <-chan string) string {
		t.Helper()
		select {
		case line, ok := <-from:
			if !ok {
				t.Fatal("the stream has ended")
			}
			return line
		case <-time.After(time.Minute):
			t.Fatal("no line within a minute")
			return ""
		}
	}
	broker := func() *exec.Cmd {
		c := exec.Command(paths["mosquitto"], "-c", config)
		said := lines(c, c.StderrPipe)
		for !strings.HasSuffix(next(said), " running") {
		}
		return c
	}
	client := func(program string, args ...string) *exec.Cmd {
		return exec.Command(paths[program], append([]string{"-h", "127.0.0.1", "-p", port, "-q", "1"}, args...)...)
	}
	run := func(c *exec.Cmd) {
		t.Helper()
		if said, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v: %s", c.Args, err, said)
		}
	}
	send := func(message string) {
		t.Helper()
		run(client("mosquitto_pub", "-r", "-t", "plant/press-7", "-m", message))
	}
	in := []string{"-i", "scores", "-c", "-R", "-t", "plant/press-7"}
	out := []string{"-i", "listener", "-c", "-t", "scores/press-7"}
	b := broker()
	run(client("mosquitto_sub", append(in, "-E")...)) // the broker keeps messages from now on
	run(client("mosquitto_sub", append(out, "-E")...))
	send(`{"temp_1": 68.1, "flow_2": 12.4}`)
	program, err := exec.LookPath("collabdict")
	if err != nil {
		t.Fatal(err)
	}
	words := client("mosquitto_sub", in...).Args
	pipe := exec.Command("bash", "-c", `set -o pipefail; "$@" | "$SCORE" score o/plant-a - | "$PUB" -h 127.0.0.1 -p "$PORT" -q 1 -l -t scores/press-7`, "bash") //nolint:gosec // of this test
	pipe.Args = append(pipe.Args, words...)
	pipe.Dir, pipe.Env = dir, append(os.Environ(), "SCORE="+program, "PUB="+paths["mosquitto_pub"], "PORT="+port)
	var fault bytes.Buffer
	pipe.Stderr = &fault
	pipe.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := pipe.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-pipe.Process.Pid, syscall.SIGKILL) })
	listener := client("mosquitto_sub", out...)
	scores := lines(listener, listener.StdoutPipe)
	for _, want := range []string{"row,", "1,"} {
		if got := next(scores); !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %s…", got, want)
		}
	}
	if err := b.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = b.Wait()
	broker()
	send(`{"temp_1": 9000, "flow_2": 12.4}`)
	send(`{"temp_1": null, "flow_2": 12.4}`)
	// QoS 1 may repeat what was on its way, a score or a message as another row, and send it later than what follows.
	for fault, usual := 0, 0; fault == 0 || usual < fault; {
		got := strings.Split(next(scores), ",")
		row, err := strconv.Atoi(got[0])
		switch {
		case err != nil:
			t.Fatalf("got %q, want a row", got)
		case got[len(got)-1] == "1":
			fault = row
		default:
			usual = max(usual, row)
		}
	}
	send("no row")
	ended := make(chan error, 1)
	go func() { ended <- pipe.Wait() }()
	for deadline := time.Now().Add(time.Minute); ; { // mosquitto_sub notices at a later message that nobody reads
		select {
		case err = <-ended:
		default:
			if time.Now().After(deadline) {
				t.Fatal("the pipe goes on after a message that is no row")
			}
			send(`{"temp_1": 68.1, "flow_2": 12.4}`)
			continue
		}
		break
	}
	if code := pipe.ProcessState.ExitCode(); err == nil || code == 0 {
		t.Errorf("the pipe ends with code %d after a message that is no row: %s", code, &fault)
	}
}
