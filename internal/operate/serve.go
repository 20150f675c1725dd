package operate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/collabdict/collabdict/internal/atomicfile"
	"github.com/collabdict/collabdict/internal/filelock"
)

// The files in a participant's folder: the socket, and what its process holds.
const (
	SocketFile = "control.sock"
	lockFile   = "control.lock"
)

// longestPath bounds the path of a socket on every system, in bytes.
const longestPath = 103

// InUseError says that another process runs in a folder.
type InUseError struct{ Dir string }

func (e *InUseError) Error() string {
	return fmt.Sprintf("%s is in use by another process: stop it, or give this node a folder of its own", e.Dir)
}

// PathError says that the path of a socket is longer than the system allows.
type PathError struct{ Path string }

func (e *PathError) Error() string {
	return fmt.Sprintf("%s: the path of a socket has at most %d bytes, got %d: start from the folder itself or its parent", e.Path, longestPath, len(e.Path))
}

// socketPath returns a path of the socket of a folder that the system takes, which may be
// relative to the current folder.
func socketPath(dir string) (string, error) {
	path := filepath.Join(dir, SocketFile)
	short := path
	if here, err := os.Getwd(); err == nil && len(path) > longestPath {
		whole, err := filepath.Abs(path)
		if err == nil {
			short, err = filepath.Rel(here, whole)
		}
		if err != nil {
			short = path
		}
	}
	if len(short) > longestPath {
		return "", &PathError{path}
	}
	return short, nil
}

// Folder is a participant's folder that this process holds for its whole life.
type Folder struct {
	dir    string
	made   bool
	unlock func()
	server *http.Server
}

// Hold takes a folder, which is made if it is missing. If another process has it, that is an
// *InUseError.
func Hold(dir string) (*Folder, error) {
	_, err := os.Stat(dir)
	f := &Folder{dir: dir, made: errors.Is(err, fs.ErrNotExist)}
	if err := atomicfile.MkdirPrivate(dir); err != nil {
		return nil, err
	}
	f.unlock, err = filelock.Try(filepath.Join(dir, lockFile))
	if errors.Is(err, filelock.ErrHeld) {
		return nil, &InUseError{dir}
	}
	return f, err
}

// Serve serves a handler on the folder's socket, in the place of one that a process which
// was killed has left, until Release. A socket that cannot be made is an error after which the
// folder is as before.
func (f *Folder) Serve(h http.Handler) error {
	path, err := socketPath(f.dir)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // nobody else is here
		return err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return errors.Join(err, l.Close())
	}
	f.server = newServer(h)
	go func() { _ = f.server.Serve(l) }()
	return nil
}

// ServeTCP serves a handler on an address, and returns where that is. Without a host that is
// the loopback interface alone.
func ServeTCP(address string, h http.Handler) (at string, stop func() error, err error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", nil, err
	}
	if host == "" {
		host = "127.0.0.1"
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return "", nil, err
	}
	s := newServer(h)
	go func() { _ = s.Serve(l) }()
	return l.Addr().String(), s.Close, nil
}

// newServer bounds what a client can hold.
func newServer(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 1 << 14}
}

// Release ends what Hold and Serve have begun. A folder that Hold has made and that is
// empty is removed.
func (f *Folder) Release() error {
	var err error
	if f.server != nil {
		err = f.server.Close() // which removes the socket
	}
	f.unlock()
	if f.made {
		// What else there is stays: then neither can be removed.
		if entries, _ := os.ReadDir(f.dir); len(entries) == 1 && entries[0].Name() == lockFile {
			_ = os.Remove(filepath.Join(f.dir, lockFile))
			_ = os.Remove(f.dir)
		}
	}
	return err
}

// ErrNotRunning reports that no process runs in a folder.
var ErrNotRunning = errors.New("no process runs there")

// Client asks the process in a folder.
type Client struct{ http http.Client }

// NewClient returns a client of a folder's process, whether there is one or not.
func NewClient(dir string) (*Client, error) {
	path, err := socketPath(dir)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	return &Client{http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			c, err := d.DialContext(ctx, "unix", path)
			if err != nil && ctx.Err() == nil && !errors.Is(err, fs.ErrPermission) {
				err = errors.Join(ErrNotRunning, err)
			}
			return c, err
		},
	}}}, nil
}

// mostStatus bounds what a client reads.
const mostStatus = 16 << 20

// Get returns what the process answers to a path such as /status. Nobody there is
// ErrNotRunning.
func (c *Client) Get(ctx context.Context, path string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://node"+path, nil)
	if err != nil {
		return nil, err
	}
	a, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer a.Body.Close()
	text, err := io.ReadAll(io.LimitReader(a.Body, mostStatus))
	if err == nil && a.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", path, a.Status, text)
	}
	return text, err
}

// Status returns the status of the process.
func (c *Client) Status(ctx context.Context) (*Status, error) {
	text, err := c.Get(ctx, "/status")
	if err != nil {
		return nil, err
	}
	s := &Status{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("status: %w: use the same release of collabdict as the node", err)
	}
	return s, nil
}
