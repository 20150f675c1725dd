package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/engine"
	"github.com/collabdict/collabdict/internal/data/plants"
	"github.com/collabdict/collabdict/internal/numeric/lanes"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/model"
)

// testEngine is the name of an engine for files of this machine. Its arguments may be the number of a job and
// what happens to it: "waits" for the end of a connection to an address, or "fails" for a reason.
const testEngine = "collabdict-test-engine"

func serveTestEngine() {
	e := &filesEngine{args: os.Args[1:]}
	if err := engine.Serve(e, os.Stdin, os.Stdout, func() {}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type filesEngine struct {
	args []string
	rows lanes.Rows
	jobs int // so far
}

// Read implements [engine.Runner].
func (f *filesEngine) Read(r engine.Reading) (*engine.Read, error) {
	spec, err := r.Spec(r.Data[0])
	if err != nil {
		return nil, err
	}
	d, err := dataset.LoadOne(spec)
	if err != nil {
		return nil, err
	}
	if r.First {
		return &engine.Read{Columns: d.Columns}, nil
	}
	f.rows = d.Participants[0].Train
	n, _ := f.rows.Dims()
	return &engine.Read{Columns: d.Columns, Rows: n, Begins: []int{0}, Digest: []byte{1}}, nil
}

// Run implements [engine.Runner].
func (f *filesEngine) Run(j engine.Job) ([][]byte, error) {
	f.jobs++
	if len(f.args) == 3 && f.args[0] == strconv.Itoa(f.jobs) {
		switch what, with := f.args[1], f.args[2]; what {
		case "waits":
			c, err := net.Dial("tcp", with)
			if err != nil {
				return nil, err
			}
			if _, err := io.Copy(io.Discard, c); err != nil {
				return nil, err
			}
		case "fails":
			return nil, errors.New(with)
		}
	}
	made, err := lanes.Make(f.rows, j.Steps)
	if err != nil {
		return nil, err
	}
	var all []int
	for i := range j.Lanes {
		all = append(all, i)
	}
	return lanes.Run(made, j.Name, j.Args, all)
}

// startWithEngine trains five members from files, and then starts them again with an engine for the rows of
// the third. It returns them, their folders, and the digest of the model that they have learned.
func startWithEngine(t *testing.T, dir string, args ...string) (members []*member, folders []string, digest string) {
	t.Helper()
	paths, err := plants.WriteCSV(dir, plants.Generate(plants.Spec{Participants: 5, Rows: 200, Columns: 4, Patterns: 2}, 1))
	if err != nil {
		t.Fatal(err)
	}
	// With own scales and without blur, a run draws nothing that changes the model.
	up := start(t, dir, append([]string{"up", "--where", "split=train", "--label", "label", "--components", "2", "--rounds", "8", "--standardise", "own", "--blur", "0", "--out", "o"}, paths...)...)
	if code, said := up.end(t); code != 0 {
		t.Fatalf("exit code %d; it said:\n%s", code, said)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".csv")
		folders = append(folders, filepath.Join(dir, "o", name))
	}
	file := filepath.Join(folders[2], "node.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	command, err := json.Marshal(append([]string{testEngine}, args...)) // YAML, too
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, fmt.Appendf(text, "engine: %s\n", command), 0o600); err != nil {
		t.Fatal(err)
	}
	digest = digestIn(t, folders[0])
	for _, folder := range folders {
		members = append(members, start(t, dir, "run", "--dir", folder))
	}
	return members, folders, digest
}

func digestIn(t *testing.T, folder string) string {
	t.Helper()
	m, err := model.ReadFile(filepath.Join(folder, model.File))
	if err != nil {
		t.Fatal(err)
	}
	return m.Manifest.Digest
}

// A pass that takes much longer than those of the others makes a slow member, which the others wait for. They
// learn the same model as without the engine.
func TestASlowPass(t *testing.T) {
	testkit.SkipRaced(t)
	testkit.LongOnly(t)
	t.Parallel()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	members, folders, want := startWithEngine(t, t.TempDir(), "12", "waits", l.Addr().String())
	c, err := l.Accept() // the pass has begun
	if err != nil {
		t.Fatal(err)
	}
	members[0].until(t, `waiting for plant-c.* (3\ds|\d+m\d+s)`) // longer than any member may be silent, or slow later
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for i, m := range members {
		if code, said := m.end(t); code != 0 {
			t.Fatalf("exit code %d; it said:\n%s", code, said)
		}
		if got := digestIn(t, folders[i]); got != want {
			t.Errorf("%s: got digest %s, want %s", folders[i], got, want)
		}
	}
}

// A pass that fails ends its member with one error, which has the reason of the engine. The others see that it
// has left, and continue.
func TestAFailedPass(t *testing.T) {
	testkit.SkipRaced(t)
	t.Parallel()
	const reason = "the runner flink failed 3 times: no slots are free"
	members, _, _ := startWithEngine(t, t.TempDir(), "12", "fails", reason)
	for i, m := range members {
		code, said := m.end(t)
		if i == 2 {
			if code != dataFailure.code || strings.Count(said, "error: ") != 1 || strings.Count(said, reason) != 1 {
				t.Errorf("exit code %d; it said:\n%s", code, said)
			}
			continue
		}
		if code != 0 || !strings.Contains(said, "a member has left: name=plant-c") {
			t.Errorf("exit code %d; it said:\n%s", code, said)
		}
	}
}
