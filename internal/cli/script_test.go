package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/networks/beta"
	"github.com/collabdict/collabdict/internal/networks/multitask"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/model"
	"github.com/collabdict/collabdict/node"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"collabdict": func() { os.Exit(run(leaveFailure)) }, testEngine: serveTestEngine})
}

// failureFile is where a command of a script leaves its failure, relative to the script's folder.
const failureFile = ".tmp/failure.json"

// leaveFailure leaves the failure of a command for the command failure of scripts.
func leaveFailure(code int, f failure) {
	dir := os.Getenv("WORK")
	if dir == "" { // not in a script
		return
	}
	b, err := json.Marshal(map[string]any{"exit": code, "error": f})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, failureFile), b, 0o600)
	}
	if err != nil {
		panic(err)
	}
}

// failureHas asserts the code of the last failure, its exit code, and the fields that are given as
// NAME=PATTERN. A pattern matches the whole value, the end of the path of a file, or a part of the
// message or hint.
func failureHas(ts *testscript.TestScript, args []string) {
	path := filepath.Join(ts.Getenv("WORK"), failureFile)
	text := ts.ReadFile(path)
	ts.Check(os.Remove(path))
	var got struct {
		Exit  int
		Error map[string]any
	}
	ts.Check(json.Unmarshal([]byte(text), &got))
	if got.Error["code"] != args[0] || got.Exit != exitCodes[args[0]] {
		ts.Fatalf("got %s, want the code %s with exit code %d", text, args[0], exitCodes[args[0]])
	}
	for _, arg := range args[1:] {
		name, pattern, _ := strings.Cut(arg, "=")
		value := fmt.Sprint(got.Error[name])
		whole := "^(" + pattern + ")$"
		switch name {
		case "file":
			value, whole = filepath.ToSlash(value), "(^|/)("+pattern+")$"
		case "message", "hint":
			whole = pattern
		}
		if list, ok := got.Error[name].([]any); ok {
			value = strings.TrimSuffix(fmt.Sprintln(list...), "\n")
		}
		if !regexp.MustCompile(whole).MatchString(value) {
			ts.Fatalf("got %s, want %s", text, arg)
		}
	}
}

// exitCodes are those of the reference.
var exitCodes = map[string]int{
	"internal": 1, "usage": 2, "data": 3, "model": 4, "disagreement": 5, "members-lost": 6, "disk-full": 7, "state": 8,
	"interrupted": 130,
}

// racedScripts are the scripts that run under the race detector too: one for each way in which
// goroutines work together. The other scripts start the same goroutines again, or run commands of
// one goroutine, so the detector finds nothing more in them.
var racedScripts = []string{
	"demo",     // several nodes in one process
	"doctor",   // a check of members that are reached, and of some that are not
	"known",    // processes that up starts, and a simulation of the same task
	"mixtures", // members that show each other their own results
	"networks", // models that are averaged
	"sim",      // a simulation with its baselines, models that are used, rows that are streamed
	"status",   // a page of HTTP that reports a run
	"stdin",    // rows from another process
}

// The scripts run every documented command as a user would.
func TestScripts(t *testing.T) {
	if !testkit.Long { // long tests kill processes at certain times
		t.Parallel()
	}
	params := scriptParams(t)
	if testkit.Raced {
		for _, name := range racedScripts {
			params.Files = append(params.Files, filepath.Join("testdata", "script", name+".txtar"))
		}
	} else {
		names, err := filepath.Glob("testdata/script/*.txtar")
		if err != nil {
			t.Fatal(err)
		}
		params.Files = slices.DeleteFunc(names, func(path string) bool {
			return testkit.Long != slices.Contains(longScripts, strings.TrimSuffix(filepath.Base(path), ".txtar"))
		})
	}
	testscript.Run(t, params)
}

// longScripts run with the tests that take long, and only then.
var longScripts = []string{"adversary", "bench", "pause", "pictures", "prepare", "weighted"}

// scriptParams returns the environment and the commands of scripts.
func scriptParams(t *testing.T) testscript.Params {
	known, err := filepath.Abs("../../internal/mixtures/em/testdata")
	if err != nil {
		t.Fatal(err)
	}
	return testscript.Params{
		Setup: func(e *testscript.Env) error {
			e.Setenv("KNOWN", known)
			e.Setenv("GORACE", os.Getenv("GORACE"))
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name != "race" {
				return false, fmt.Errorf("unknown condition %q, want race", name)
			}
			return testkit.Raced, nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"same":  func(ts *testscript.TestScript, _ bool, args []string) { same(ts, args[0], args[1]) },
			"known": func(ts *testscript.TestScript, _ bool, args []string) { compareKnown(ts, known, args[0]) },
			"gunzip": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(os.WriteFile(ts.MkAbs(args[1]), unzipped(ts, args[0]), 0o644))
			},
			"gzip":    func(ts *testscript.TestScript, _ bool, args []string) { zip(ts, args[0], args[1]) },
			"convert": func(ts *testscript.TestScript, _ bool, args []string) { convert(ts, args[0], args[1]) },
			"images": func(ts *testscript.TestScript, _ bool, args []string) {
				writeImages(ts, args[0], args[1], len(args) == 2)
			},
			"ids":     func(ts *testscript.TestScript, _ bool, args []string) { putIDs(ts, args[0], args[1], args[2:]) },
			"replace": func(ts *testscript.TestScript, _ bool, args []string) { withTexts(ts, args[0], args[1], args[2:]) },
			"alike":   func(ts *testscript.TestScript, _ bool, args []string) { alikeModels(ts, args[0], args[1]) },
			"ports":   func(ts *testscript.TestScript, _ bool, args []string) { freePorts(ts, args) },
			"mode":    func(ts *testscript.TestScript, _ bool, args []string) { hasMode(ts, args[0], args[1]) },
			"listed":  func(ts *testscript.TestScript, _ bool, args []string) { filesAreListed(t, ts.MkAbs(args[0])) },
			"until":   func(ts *testscript.TestScript, _ bool, args []string) { until(ts, args[0], args[1], args[2:]) },
			"failure": func(ts *testscript.TestScript, _ bool, args []string) { failureHas(ts, args) },
			"joined":  func(ts *testscript.TestScript, _ bool, args []string) { areJoined(ts, args[0], args[1:]) },
			"better":  func(ts *testscript.TestScript, _ bool, args []string) { better(ts, args[0]) },
		},
	}
}

// areJoined checks that a CSV file has the lines of others in their order, but for row numbers.
func areJoined(ts *testscript.TestScript, whole string, pieces []string) {
	cells := func(name string) (lines []string) {
		for i, line := range strings.Split(strings.TrimSpace(ts.ReadFile(name)), "\n") {
			if _, rest, _ := strings.Cut(line, ","); i > 0 {
				lines = append(lines, rest)
			}
		}
		return lines
	}
	var got []string
	for _, name := range pieces {
		got = append(got, cells(name)...)
	}
	if want := cells(whole); !slices.Equal(got, want) {
		ts.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// freePorts sets each variable to a port on this machine that is free.
func freePorts(ts *testscript.TestScript, names []string) {
	for _, name := range names {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		ts.Check(err)
		defer l.Close() // held until all are found, so that they differ
		_, port, err := net.SplitHostPort(l.Addr().String())
		ts.Check(err)
		ts.Setenv(name, port)
	}
}

// until runs a program repeatedly until its output matches.
func until(ts *testscript.TestScript, pattern, program string, args []string) {
	want := regexp.MustCompile(pattern)
	for limit := time.Now().Add(time.Minute); ; {
		err := ts.Exec(program, args...)
		if err == nil && want.MatchString(ts.ReadFile("stdout")) {
			return
		}
		if time.Now().After(limit) {
			ts.Fatalf("no %q within a minute: %v", pattern, err)
		}
	}
}

// hasMode asserts the permissions of a file, in octal.
func hasMode(ts *testscript.TestScript, want, file string) {
	info, err := os.Stat(ts.MkAbs(file))
	ts.Check(err)
	if got := fmt.Sprintf("%o", info.Mode().Perm()); got != want {
		ts.Fatalf("%s has mode %s, want %s", file, got, want)
	}
}

// putIDs copies an agreement, with the peer IDs of the members in these folders.
func putIDs(ts *testscript.TestScript, from, to string, folders []string) {
	text := regexp.MustCompile(`id: \w+`).ReplaceAllStringFunc(ts.ReadFile(from), func(string) string {
		id, err := node.Identity(ts.MkAbs(folders[0]))
		ts.Check(err)
		folders = folders[1:]
		return "id: " + id.String()
	})
	ts.Check(os.WriteFile(ts.MkAbs(to), []byte(text), 0o600))
}

// withTexts writes a file with some texts of another replaced, which must be there.
func withTexts(ts *testscript.TestScript, from, to string, pairs []string) {
	text := ts.ReadFile(from)
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			ts.Fatalf("%s has no %q", from, pairs[i])
		}
		text = strings.Replace(text, pairs[i], strings.ReplaceAll(pairs[i+1], `\n`, "\n"), 1)
	}
	ts.Check(os.WriteFile(ts.MkAbs(to), []byte(text), 0o600))
}

// same asserts that two results differ at most in the time that they took.
func same(ts *testscript.TestScript, a, b string) {
	seconds := regexp.MustCompile(`"seconds": [0-9.e+-]+`)
	x, y := seconds.ReplaceAllString(ts.ReadFile(a), ""), seconds.ReplaceAllString(ts.ReadFile(b), "")
	if x != y {
		ts.Fatalf("%s and %s differ:\n%s\n%s", a, b, x, y)
	}
}

// compareKnown asserts that the models under a folder are those that an
// independent program has computed, and come from one and the same total.
func compareKnown(ts *testscript.TestScript, known, dir string) {
	var want struct {
		Means      [][]float64
		Precisions [][][]float64
		Weights    [][]float64
	}
	ts.Check(json.Unmarshal(unzipped(ts, filepath.Join(known, "ggm-small", "expected.json.gz")), &want))
	files, err := filepath.Glob(ts.MkAbs(filepath.Join(dir, "participant-*", "model.npz")))
	ts.Check(err)
	if len(files) != 5 {
		ts.Fatalf("got %d models under %s, want 5", len(files), dir)
	}
	var digest string
	for s, file := range files {
		m, err := model.ReadFile(file)
		ts.Check(err)
		if digest == "" {
			digest = m.Manifest.Digest
		}
		if m.Manifest.Digest != digest || digest == "" {
			ts.Fatalf("%s: digest %q, want %q", file, m.Manifest.Digest, digest)
		}
		near(ts, file+": weights", mixtureOf(m).Weights(), want.Weights[s])
		for k := range want.Means {
			near(ts, file+": means", mixtureOf(m).Means().RawRowView(k), want.Means[k])
			for i, row := range want.Precisions[k] {
				near(ts, file+": precisions", mat.Row(nil, i, mixtureOf(m).Precision(k)), row)
			}
		}
	}
}

// alikeModels asserts that a folder has this number of models, and that they have the same shared
// parameters from the same decisions.
func alikeModels(ts *testscript.TestScript, dir, want string) {
	files, err := filepath.Glob(ts.MkAbs(filepath.Join(dir, "*", "model.npz")))
	ts.Check(err)
	if fmt.Sprint(len(files)) != want {
		ts.Fatalf("got %d models under %s, want %s", len(files), dir, want)
	}
	var first *model.Model
	for _, file := range files {
		m, err := model.ReadFile(file)
		ts.Check(err)
		if first == nil {
			first = m
		}
		if m.Manifest.Digest != first.Manifest.Digest || m.Manifest.Digest == "" || !slices.Equal(shared(m), shared(first)) || !reflect.DeepEqual(m.Projection, first.Projection) {
			ts.Fatalf("%s: another model than that of %s", file, files[0])
		}
	}
}

// shared returns the parameters that the models of all participants share. Of precisions, it
// returns only the first.
func shared(m *model.Model) (values []float64) {
	var weights []float32
	switch of := m.Learned.(type) {
	case multitask.Trained:
		weights = of.Decoder.Shared.Values
	case beta.Trained:
		weights = of.Parameters().Values
	case algorithm.Personal:
		weights = of.Shared()
	}
	for _, v := range weights {
		values = append(values, float64(v))
	}
	if weights != nil {
		return values
	}
	of := mixtureOf(m)
	return slices.Concat(of.Weights(), of.Means().RawMatrix().Data, of.Precision(0).RawSymmetric().Data)
}

func unzipped(ts *testscript.TestScript, path string) []byte {
	f, err := os.Open(path)
	ts.Check(err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	ts.Check(err)
	b, err := io.ReadAll(z)
	ts.Check(err)
	return b
}

func zip(ts *testscript.TestScript, from, to string) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := io.WriteString(z, ts.ReadFile(from))
	ts.Check(errors.Join(err, z.Close()))
	ts.Check(os.WriteFile(ts.MkAbs(to), b.Bytes(), 0o600))
}

func near(ts *testscript.TestScript, what string, got, want []float64) {
	for i, w := range want {
		if math.Abs(got[i]-w) > 1e-5*math.Max(1, math.Abs(w)) {
			ts.Fatalf("%s: got %v, want %v", what, got, want)
		}
	}
}

// better asserts that models learned together have a higher mean ROC-AUC than those learned alone.
func better(ts *testscript.TestScript, file string) {
	var r report.Run
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(file)), &r))
	if len(r.Participants) != 5 || !(r.ROCAUC.Value > r.Alone.ROCAUC.Value) {
		ts.Fatalf("%d participants, ROC-AUC together %s, alone %s", len(r.Participants), r.ROCAUC, r.Alone.ROCAUC)
	}
	for _, p := range r.Participants {
		if p.Digest == "" || !(p.Digest == r.Participants[0].Digest) {
			ts.Fatalf("%s has digest %q", p.Name, p.Digest)
		}
	}
}

// mixture has the methods of a mixture that tests use.
type mixture interface {
	algorithm.Model
	algorithm.Dictionary
	algorithm.Assigner
}

func mixtureOf(m *model.Model) mixture { return m.Learned.(mixture) }
