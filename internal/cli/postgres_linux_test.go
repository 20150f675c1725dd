package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/postgrestest"
)

const hushed = "hush-7f3a91c2"

// Members whose rows are in PostgreSQL learn the same as from files, with the same digest, and the
// password appears nowhere.
func TestRowsInPostgreSQL(t *testing.T) {
	testkit.LongOnly(t)
	server := postgrestest.Start(t, hushed)
	dir := t.TempDir()
	passwords := filepath.Join(t.TempDir(), "passwords")
	write(t, passwords, "*:*:*:"+postgrestest.User+":"+hushed+"\n")
	for _, v := range append(server.Env(), "PGPASSFILE="+passwords) {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	fromFiles := startPlants(t, dir, 3, func(int) []string { return []string{"--standardise", "own", "--blur", "0", "--label", "label"} })
	files, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".csv"))
		server.Exec(t, table(t, file))
	}
	for _, m := range fromFiles {
		if code, said := m.end(t); code != 0 {
			t.Fatalf("exit code %d; it said:\n%s", code, said)
		}
	}
	sql := filepath.Join(dir, "sql")
	var fromRows []*member
	var peer []string
	for i, name := range names {
		write(t, filepath.Join(sql, name+".sql"), "-- the rows of "+name+"\nselect * from \""+name+"\"\norder by place; -- all\n")
		args := append([]string{
			"run", "--data", name + ".sql", "--where", "split=train", "--ignore", "place", "--label", "label", "--expect", "3", "--secret-file", "../our.secret", "--mdns", "",
			"--listen", "/ip4/127.0.0.1/tcp/0", "--join-timeout", "60s", "--components", "2", "--standardise", "own", "--blur", "0", "--memory", "1", "--log-level", "debug",
		}, peer...)
		fromRows = append(fromRows, start(t, sql, args...))
		if i == 0 {
			found := fromRows[0].until(t, `reached with (--peer) (\S+)`)
			peer = found[1:]
		}
	}
	fromRows[0].until(t, `round 1\b`)
	commands, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(commands) == 0 {
		t.Fatal("no processes are listed")
	}
	for _, c := range commands {
		if args, err := os.ReadFile(c); err == nil && bytes.Contains(args, []byte(hushed)) {
			t.Errorf("%s has the password: %q", c, args)
		}
	}
	for i, m := range fromRows {
		code, said := m.end(t)
		if code != 0 || strings.Contains(said, hushed) || strings.Contains(said, "has no ORDER BY") {
			t.Errorf("exit code %d; it said:\n%s", code, said)
		}
		if got, want := digest(t, filepath.Join(sql, names[i])), digest(t, filepath.Join(dir, names[i])); got != want {
			t.Errorf("%s: digest %s from PostgreSQL, %s from a file", names[i], got, want)
		}
	}
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if strings.HasPrefix(d.Name(), ".rows-") {
			t.Errorf("%s was left", path)
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(hushed)) {
			t.Errorf("%s has the password", path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	modelFile, query := filepath.Join(names[0], "model.npz"), names[0]+".sql"
	inFile := say(t, dir, 0, "score", "--carry", "none", "--model", modelFile, "--data", names[0]+".csv")
	if got := say(t, sql, 0, "score", "--carry", "none", "--model", modelFile, "--data", query); got != inFile {
		t.Errorf("scores differ from those of a file:\n%s\n%s", got, inFile)
	}
	if got := say(t, sql, 0, "check", query); !strings.HasPrefix(got, query+": PostgreSQL, 120 rows, 7 columns") {
		t.Errorf("check says:\n%s", got)
	}
	write(t, filepath.Join(sql, "bad.sql"), "select\n  presure from \""+names[0]+"\"")
	write(t, filepath.Join(sql, "many.sql"), "select * from \""+names[0]+"\"")
	wantLine := func(want, said string) {
		t.Helper()
		if !strings.Contains(said, want) || strings.Contains(said, hushed) || strings.Contains(said, "mistaken") {
			t.Errorf("got  %s\nwant %s", said, want)
		}
	}
	wantLine(`error: bad.sql:2: PostgreSQL: column "presure" does not exist`, say(t, sql, 3, "score", "--model", modelFile, "--data", "bad.sql"))
	wantLine(`error: bad.sql:2: PostgreSQL: column "presure" does not exist`, say(t, sql, 3, "evaluate", "--model", modelFile, "--data", "bad.sql"))
	wantLine("many.sql has no ORDER BY", say(t, sql, 6, "run", "--data", "many.sql", "--where", "split=train", "--label", "label", "--ignore", "place", "--expect", "3", "--open", "--mdns", "", "--join-timeout", "1ms"))
	wantLine("error: want a file, got the address of a database", say(t, sql, 3, "score", "--model", modelFile, "--data", "postgres://me:"+hushed+"@host/db"))
	t.Setenv("PGPASSWORD", "mistaken")
	wantLine("error: "+query+": no connection to PostgreSQL: ", say(t, sql, 3, "score", "--model", modelFile, "--data", query))
	t.Setenv("PGHOST", "/nowhere")
	wantLine("error: "+query+": no connection to PostgreSQL: ", say(t, sql, 3, "evaluate", "--model", modelFile, "--data", query))
}

// table returns statements that make a table from a file of rows.
func table(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSuffix(filepath.Base(file), ".csv")
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	var s strings.Builder
	fmt.Fprintf(&s, "create table %q (place serial", name)
	for _, c := range strings.Split(lines[0], ",") {
		kind := "float8"
		if c == "split" {
			kind = "text"
		}
		fmt.Fprintf(&s, ", %q %s", c, kind)
	}
	fmt.Fprintf(&s, ");\ninsert into %q (\"%s\") values ", name, strings.ReplaceAll(lines[0], ",", `","`))
	for i, line := range lines[1:] {
		if i > 0 {
			s.WriteString(", ")
		}
		s.WriteString("('" + strings.ReplaceAll(line, ",", "', '") + "')")
	}
	return s.String()
}

// say runs the program to its end and returns its output.
func say(t *testing.T, dir string, code int, args ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Args[0], cmd.Dir = "collabdict", dir
	out, err := cmd.CombinedOutput()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) || cmd.ProcessState.ExitCode() != code {
		t.Errorf("%q: %v, want exit code %d\n%s", args, err, code, out)
	}
	return string(out)
}

func digest(t *testing.T, dir string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`"digest": "(\w{64})"`).FindSubmatch(b)
	if found == nil {
		t.Fatalf("no digest in %s", b)
	}
	return string(found[1])
}

func write(t *testing.T, path, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
