//go:build unix

// Package postgrestest starts a PostgreSQL server for a test, with the programs installed on
// this machine.
package postgrestest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// User is the superuser.
const User = "postgres"

// A Server listens on a Unix socket only, and requires passwords.
type Server struct {
	Socket   string // its folder
	Password string // of [User]
}

// Start starts a server that ends with the test. It skips the test if PostgreSQL is not
// installed.
func Start(t testing.TB, password string) *Server {
	t.Helper()
	bin := binaries()
	if bin == "" {
		t.Skip("PostgreSQL is not installed: neither initdb in the PATH nor in /usr/lib/postgresql/*/bin; on Debian, install postgresql")
	}
	dir, err := os.MkdirTemp("", "pg") // short: paths of sockets are limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &Server{Socket: dir, Password: password}
	as := unprivileged(t, dir)
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, name), args...)
		cmd.Dir, cmd.SysProcAttr = dir, as
		cmd.Env = []string{"LC_ALL=C", "PATH=" + os.Getenv("PATH")}
		return cmd
	}
	data := filepath.Join(dir, "data")
	passwords := filepath.Join(dir, "password")
	if err := os.WriteFile(passwords, []byte(password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if as != nil {
		if err := os.Chown(passwords, int(as.Credential.Uid), int(as.Credential.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	initdb := command("initdb", "--pgdata", data, "--username", User, "--auth", "scram-sha-256", "--pwfile", passwords, "--encoding", "UTF8", "--no-sync")
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	server := command("postgres", "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "timezone=Asia/Kolkata", "-c", "datestyle=SQL, DMY")
	log, w := io.Pipe()
	server.Stderr = w
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = server.Wait()
		w.Close()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGQUIT)
		<-ended
	})
	var said bytes.Buffer
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		fmt.Fprintln(&said, lines.Text())
		if strings.Contains(lines.Text(), "ready to accept connections") {
			go func() { _, _ = io.Copy(io.Discard, log) }()
			return s
		}
	}
	t.Fatalf("postgres ended:\n%s", said.String())
	return nil
}

// binaries returns the folder of PostgreSQL's programs, "" if there is none.
func binaries() string {
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path)
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // the pattern is valid
	if len(found) == 0 {
		return ""
	}
	slices.Sort(found)
	return filepath.Dir(found[len(found)-1])
}

// unprivileged returns attributes to run PostgreSQL as a user that owns dir: it refuses to run
// as root.
func unprivileged(t testing.TB, dir string) *syscall.SysProcAttr {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup(User)
	if err != nil {
		if u, err = user.Lookup("nobody"); err != nil {
			t.Skip("PostgreSQL does not run as root, and there is no user postgres nor nobody")
		}
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, int(uid), int(gid)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil { // all users may reach the socket
		t.Fatal(err)
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}

// Env returns the environment that names the server and the user, without the password.
func (s *Server) Env() []string {
	return []string{"PGHOST=" + s.Socket, "PGDATABASE=postgres", "PGUSER=" + User, "PGSSLMODE=disable"}
}

// Exec sends statements to the server.
func (s *Server) Exec(t testing.TB, statements string) {
	t.Helper()
	ctx := context.Background()
	config, err := pgconn.ParseConfig(fmt.Sprintf("host=%s dbname=postgres user=%s sslmode=disable", s.Socket, User))
	if err != nil {
		t.Fatal(err)
	}
	config.Password = s.Password
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statements).ReadAll(); err != nil {
		t.Fatal(err)
	}
}
