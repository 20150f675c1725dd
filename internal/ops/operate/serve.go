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

	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/ops/web"
)

// The files in a participant's folder: the socket, and the lock of its process.
const (
	socketFile = "control.sock"
	lockFile   = "control.lock"
)

// longestPath is the longest path of a socket, in bytes, that every system accepts.
const longestPath = 103

// InUseError reports that another process runs in a folder.
type InUseError struct{ Dir string }

func (e *InUseError) Error() string {
	return fmt.Sprintf("%s is in use by another process: stop it, or name another folder", e.Dir)
}

// PathError reports that the path of a socket is too long for the system.
type PathError struct{ Path string }

func (e *PathError) Error() string {
	return fmt.Sprintf("%s: the path of a socket has at most %d bytes, got %d: start from the folder itself or its parent", e.Path, longestPath, len(e.Path))
}

// socketPath returns a path of a folder's socket that the system accepts. It may be relative to
// the current folder.
func socketPath(dir string) (string, error) {
	path := filepath.Join(dir, socketFile)
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

// Folder is a participant's folder that this process holds until it ends.
type Folder struct {
	dir    string
	made   bool
	unlock func()
	server *http.Server
}

// Hold locks a folder, and makes it if it is missing. If another process holds it, the error is
// an *InUseError.
func Hold(dir string) (*Folder, error) {
	_, err := os.Stat(dir)
	f := &Folder{dir: dir, made: errors.Is(err, fs.ErrNotExist)}
	if err := files.MkdirPrivate(dir); err != nil {
		return nil, err
	}
	f.unlock, err = files.TryLock(filepath.Join(dir, lockFile))
	if errors.Is(err, files.ErrHeld) {
		return nil, &InUseError{dir}
	}
	return f, err
}

// Serve serves a handler on the folder's socket until Release. It replaces the socket of a
// process that was killed. If the socket cannot be made, the folder stays as it was.
func (f *Folder) Serve(h http.Handler) error {
	path, err := socketPath(f.dir)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // no other process runs in this folder
		return err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return errors.Join(err, l.Close())
	}
	f.server = web.NewServer(h)
	go func() { _ = f.server.Serve(l) }()
	return nil
}

// ServeTCP serves a handler on an address, and returns the actual address. Without a host, it
// listens only on the loopback interface. Requests that name another host are refused.
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
	s := web.NewServer(web.ForHosts(web.Hosts(host), h))
	go func() { _ = s.Serve(l) }()
	return l.Addr().String(), s.Close, nil
}

// Release undoes Hold and Serve. It removes a folder that Hold has made if it is still empty.
func (f *Folder) Release() error {
	var err error
	if f.server != nil {
		err = f.server.Close() // also removes the socket
	}
	_ = os.Remove(filepath.Join(f.dir, lockFile)) // not after unlocking, when another process may hold it
	f.unlock()
	if f.made {
		_ = os.Remove(f.dir) // fails, as it should, if there are files
	}
	return err
}

// ErrNotRunning reports that no process runs in a folder.
var ErrNotRunning = errors.New("no process runs there")

// Client sends requests to the process in a folder.
type Client struct{ http http.Client }

// NewClient returns a client of a folder's process, which need not run.
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

// mostStatus is the largest answer that a client reads, in bytes.
const mostStatus = 16 << 20

// Get returns the answer of the process for a path such as /status. If no process runs, the
// error is ErrNotRunning.
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
