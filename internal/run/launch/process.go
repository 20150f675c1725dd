package launch

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/collabdict/collabdict/internal/journal/store"
	"github.com/collabdict/collabdict/internal/ops/operate"
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

// Start starts the process of the member in dir: this program with the given arguments. Its
// standard error is its log, and onStatus receives each state that it tells. When the context
// ends, the child is asked to shut down.
func Start(ctx context.Context, name, dir string, args []string, onStatus func(*operate.Status)) (*Child, error) {
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
	c.cmd.Stderr = log
	told, tell := io.Pipe()
	c.cmd.Stdout = tell
	// The end of its standard input tells a child that its parent is gone.
	if _, err := c.cmd.StdinPipe(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	if err := c.cmd.Start(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	failed := make(chan *Failure)
	go func() { failed <- listen(told, onStatus) }()
	go func() {
		err := c.cmd.Wait()
		_ = tell.Close()
		failure := <-failed
		_ = log.Close()
		c.end = report.End{Run: c.readReport(), Err: childError(name, err, failure)}
		close(c.done)
	}()
	return c, nil
}

// listen passes on the states that a child tells, until it ends, and returns its failure, if any.
func listen(told io.Reader, onStatus func(*operate.Status)) (failed *Failure) {
	d := json.NewDecoder(told)
	for {
		var m Message
		if d.Decode(&m) != nil {
			_, _ = io.Copy(io.Discard, told) // the child must not wait for a reader
			return failed
		}
		if m.Status != nil {
			onStatus(m.Status)
		}
		if m.Error != nil {
			failed = m.Error
		}
	}
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
	st, err := s.Last()
	if err == nil && st != nil {
		run = st.ID
	}
	return run, errors.Join(err, s.Close())
}

func (c *Child) readReport() *report.Run {
	r, err := participant.ReadResult(c.Dir)
	if err != nil {
		return nil
	}
	return r
}

// WithParent returns a context that ends when standard input ends. A process started by Start
// learns in this way that its parent is gone.
func WithParent(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	return ctx, cancel
}
