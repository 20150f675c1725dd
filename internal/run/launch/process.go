package launch

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/internal/run/report"
)

// LogFile is the file in a child's folder with its standard error.
const LogFile = "node.log"

// Child is a member's process.
type Child struct {
	Name string
	Dir  string
	cmd  *exec.Cmd
	last [32]byte // run that an earlier process took part in last, if any
	done chan struct{}
	end  report.End
}

// killAfter is how long a child may take to shut down.
const killAfter = 15 * time.Second

// Start starts the process of the member in dir: this program with the given arguments. Each
// line of its standard error goes to its log and to onLine. When the context ends, the child is
// asked to shut down.
func Start(ctx context.Context, name, dir string, args []string, onLine func(line string)) (*Child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	log, err := os.OpenFile(filepath.Join(dir, LogFile), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	// Results of an earlier run must not be mistaken for new ones.
	if err := os.Remove(filepath.Join(dir, participant.ResultFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, errors.Join(err, log.Close())
	}
	c := &Child{Name: name, Dir: dir, done: make(chan struct{})}
	if c.last, err = lastRun(dir); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	c.cmd = exec.CommandContext(ctx, self, args...)
	c.cmd.Args[0] = os.Args[0] // name of the running program
	ownGroup(c.cmd)
	c.cmd.Cancel = func() error { return interrupt(c.cmd.Process) }
	c.cmd.WaitDelay = killAfter
	var out limited
	c.cmd.Stdout = &out
	lines, feed := io.Pipe()
	c.cmd.Stderr = io.MultiWriter(log, feed)
	// The end of its standard input tells a child that its parent is gone.
	if _, err := c.cmd.StdinPipe(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	if err := c.cmd.Start(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	var reading sync.WaitGroup
	reading.Go(func() {
		s := bufio.NewScanner(lines)
		for s.Scan() {
			onLine(s.Text())
		}
		_, _ = io.Copy(io.Discard, lines) // a line too long to scan
	})
	go func() {
		err := c.cmd.Wait()
		_ = feed.Close()
		reading.Wait()
		_ = log.Close()
		c.end = report.End{Run: c.readReport(), Err: childError(name, err, out.bytes)}
		close(c.done)
	}()
	return c, nil
}

// Wait returns how the child ended.
func (c *Child) Wait() report.End {
	<-c.done
	return c.end
}

// begun reports whether the child, which has ended, had begun a run as far as is known.
func (c *Child) begun() bool {
	run, err := lastRun(c.Dir)
	return err != nil || run != c.last
}

// lastRun returns the run that the folder's member took part in last, zero if none.
func lastRun(dir string) (run [32]byte, err error) {
	s, err := store.Open(dir)
	if err != nil {
		return run, err
	}
	j, err := s.Last()
	if err == nil && j != nil {
		run = j.ID
	}
	return run, errors.Join(err, s.Close())
}

func (c *Child) readReport() *report.Run {
	b, err := os.ReadFile(filepath.Join(c.Dir, participant.ResultFile))
	if err != nil {
		return nil
	}
	r := &report.Run{}
	if json.Unmarshal(b, r) != nil {
		return nil
	}
	return r
}

// limited keeps the beginning of what is written to it: enough for an error.
type limited struct{ bytes []byte }

func (l *limited) Write(p []byte) (int, error) {
	const most = 1 << 16
	l.bytes = append(l.bytes, p[:min(len(p), max(0, most-len(l.bytes)))]...)
	return len(p), nil
}
