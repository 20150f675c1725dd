// Package examples_test tests what the examples for other programs promise.
package examples_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/model"
)

// A program in a module of its own joins a run of two processes of the command, and ends with
// the same model, to the bit. Building either module needs no network.
func TestAProgramOfItsOwnJoinsTheCommand(t *testing.T) {
	dir := t.TempDir()
	outsider := buildOutside(t, dir, "outsider")
	command := filepath.Join(dir, "collabdict")
	goBuild(t, "..", command, "./cmd/collabdict", "GOPROXY=off")

	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if said, err := exec.CommandContext(ctx, command, "consortium", "secret", filepath.Join(dir, "our.secret")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	var all []*process
	peer := ""
	for i, name := range []string{"a", "b"} {
		args := []string{
			"run", "--name", name, "--data", writeRows(t, dir, i), "--expect", "3", "--secret-file", "our.secret", "--mdns", "",
			"--listen", "/ip4/127.0.0.1/tcp/0", "--standardise", "own", "--components", "2", "--lambda", "0.1",
		}
		if peer != "" {
			args = append(args, "--peer", peer)
		}
		p := start(ctx, t, dir, command, args...)
		if all = append(all, p); peer == "" {
			peer = p.address(t)
		}
	}
	all = append(all, start(ctx, t, dir, outsider, "-name", "c", "-data", writeRows(t, dir, 2), "-expect", "3", "-secret-file", "our.secret", "-peer", peer))
	for _, p := range all {
		p.wait(t)
	}

	score := exec.CommandContext(ctx, command, "score", "--model", filepath.Join("c", model.File), "--data", "rows-2.csv", "--explain=all")
	score.Dir = dir
	if out, err := score.CombinedOutput(); err != nil || bytes.Count(out, []byte("\n")) != 1+60*3 {
		t.Errorf("the command scores by the outsider's model: %v\n%s", err, out)
	}
	ours := read(t, dir, "c")
	mixture := ours.Learned.(*gmm.Mixture)
	for _, name := range []string{"a", "b"} {
		theirs := read(t, dir, name)
		if got, want := mixture.Digest(false), theirs.Learned.(*gmm.Mixture).Digest(false); got != want {
			t.Errorf("the outsider's means and precisions have the digest %x, those of %s %x", got, name, want)
		}
		if want := "last total " + theirs.Manifest.Digest + "\n"; !bytes.Contains(all[2].out.Bytes(), []byte(want)) {
			t.Errorf("the outsider printed\n%s want %s", &all[2].out, want)
		}
	}
}

// A main of ten lines is the whole program, with an algorithm that the repository does not know: it has
// flags, help and completion, is agreed on, and trains in simulations and over real nodes. Its models
// are saved, read, inspected and scored.
func TestAProgramWithAnAlgorithmOfItsOwn(t *testing.T) {
	dir := t.TempDir()
	program := buildOutside(t, dir, "mean")
	run := func(want string, args ...string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Dir = dir
		if said, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(said, []byte(want)) {
			t.Errorf("%q: %v, want %q in\n%s", args, err, want, said)
		}
	}
	run("exponent of the distance (default 2)", "run", "--model", "mean", "--help")
	run("mean\tthe mean row", "__complete", "sim", "--model", "me")
	for _, command := range []string{"sim", "up"} {
		run("mean: 1 round, 3 members", command, "--model", "mean", "--power", "1.5", "--generate", "participants=3,rows=60,columns=3,patterns=2", "--out", command)
		run("power 1.5", "inspect", "--verbose", "--model", filepath.Join(command, "plant-a", model.File))
		if err := os.WriteFile(filepath.Join(dir, "rows.csv"), []byte("temp_1,flow_2,pressure_3\n0,0,0\n1e3,0,0\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		run(",1\n", "score", "--model", filepath.Join(command, "plant-a", model.File), "--data", "rows.csv")
	}
	run("the number of rows, and their sum", "ledger", "--dir", filepath.Join("up", "plant-a"))
}

// buildOutside builds the examples in a module of their own, where packages named
// internal cannot be imported, and returns one.
func buildOutside(t *testing.T, dir, name string) (program string) {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(dir, "outside")
	write := func(name string, content []byte) {
		path := filepath.Join(module, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// go.mod lists everything that the project requires, so go reads no other module's
	// requirements.
	requirements, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, requirements, _ = bytes.Cut(requirements, []byte("\n"))
	write("go.mod", fmt.Appendf(nil, "module example.org/outside\n%s\nrequire github.com/collabdict/collabdict v0.0.0\n\nreplace github.com/collabdict/collabdict => %s\n", requirements, strconv.Quote(root)))
	for to, from := range map[string]string{"go.sum": "../go.sum", "outsider/main.go": "outsider/main.go", "logistic/learner.go": "logistic/learner.go", "mean/main.go": "mean/main.go", "mean/algorithm.go": "mean/algorithm.go"} {
		content, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		write(to, content)
	}
	program = filepath.Join(dir, name)
	offline := []string{"GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off"}
	goBuild(t, module, os.DevNull, "./logistic", offline...)
	goBuild(t, module, program, "./"+name, offline...)
	return program
}

func goBuild(t *testing.T, dir, out, pkg string, env ...string) {
	t.Helper()
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", out, pkg) // a debugger's tables take time
	build.Dir = dir
	build.Env = append(os.Environ(), env...)
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, said)
	}
}

// writeRows writes the rows of a member, of two patterns.
func writeRows(t *testing.T, dir string, member int) (path string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(member), 1))
	lines := [][]string{{"temperature", "flow", "level"}}
	for i := range 60 {
		shift, shared := 3*float64(i%2), rng.NormFloat64()
		var line []string
		for range 3 {
			line = append(line, strconv.FormatFloat(shift+shared+0.5*rng.NormFloat64(), 'g', -1, 64))
		}
		lines = append(lines, line)
	}
	var text bytes.Buffer
	if err := csv.NewWriter(&text).WriteAll(lines); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, fmt.Sprintf("rows-%d.csv", member))
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, dir, name string) *model.Model {
	t.Helper()
	m, err := model.ReadFile(filepath.Join(dir, name, model.File))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// process is a running program of one member.
type process struct {
	cmd      *exec.Cmd
	out      bytes.Buffer // standard output
	said     bytes.Buffer // standard error
	peers    chan string  // addresses at which it can be reached
	finished chan struct{}
}

var reached = regexp.MustCompile(`reached with --peer (\S+)`)

func start(ctx context.Context, t *testing.T, dir, program string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.CommandContext(ctx, program, args...), peers: make(chan string, 1), finished: make(chan struct{})}
	p.cmd.Dir, p.cmd.Stdout = dir, &p.out
	said, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.finished)
		for lines := bufio.NewScanner(io.TeeReader(said, &p.said)); lines.Scan(); {
			if found := reached.FindStringSubmatch(lines.Text()); found != nil && len(p.peers) == 0 {
				p.peers <- found[1]
			}
		}
	}()
	return p
}

func (p *process) address(t *testing.T) string {
	t.Helper()
	select {
	case a := <-p.peers:
		return a
	case <-p.finished:
		t.Fatalf("it printed no address:\n%s", &p.said)
		return ""
	}
}

func (p *process) wait(t *testing.T) {
	t.Helper()
	<-p.finished
	if err := p.cmd.Wait(); err != nil {
		t.Fatalf("%s: %v\n%s%s", p.cmd.Args[0], err, &p.said, &p.out)
	}
}
