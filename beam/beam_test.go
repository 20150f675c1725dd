package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/engine"
	"github.com/collabdict/collabdict/internal/run/pipeline"
)

var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "beam")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "collabdict-beam")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%v: %s", err, out))
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// plant writes files of rows to a folder.
func plant(t testing.TB, dir string, files, rows int) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 1))
	for f := range files {
		var b strings.Builder
		b.WriteString("temp,flow,power\n")
		for range rows {
			u := float64(random.IntN(3))
			fmt.Fprintf(&b, "%.4f,%.4f,%.4f\n", 20+10*u+random.NormFloat64(), 5-u+0.3*random.NormFloat64(), 100+7*u+2*random.NormFloat64())
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("day-%02d.csv", f)), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// trained returns the values of a model learned from the rows of a participant.
func trained(t testing.TB, d *dataset.Dataset) []float64 {
	t.Helper()
	k, err := pipeline.Named("ggm")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []string{"components=3", "lambda=0.1", "rounds=5"} {
		name, text, _ := strings.Cut(o, "=")
		if err := k.Set(name, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.Complete(); err != nil {
		t.Fatal(err)
	}
	r, err := k.Fit(t.Context(), collabdict.Solo{}, d.Participants[0], nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []float64
	for _, a := range r.Model.Learned.Arrays() {
		out = append(out, a.Values...)
	}
	return append(out, r.Model.Manifest.Threshold)
}

// example writes three files, and returns their address and the values of the model of their rows here.
func example(t testing.TB, rows int) (address string, want []float64) {
	t.Helper()
	dir := t.TempDir()
	plant(t, dir, 3, rows)
	here, err := dataset.LoadOne(dataset.Spec{Data: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	return "file://" + dir + "/", trained(t, here)
}

// load reads rows by an engine with further flags.
func load(t testing.TB, data string, flags ...string) *dataset.Dataset {
	t.Helper()
	d, err := engine.Load(t.Context(), append([]string{program, "--temp", "file://" + t.TempDir()}, flags...), dataset.Spec{Data: []string{data}, Name: "rows"})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Rows read by the engine give the model of the same files here, to the last bit.
func TestTheSameModel(t *testing.T) {
	address, want := example(t, 30_000)
	for _, flags := range [][]string{nil, {"--split-kb", "300"}} {
		began := time.Now()
		far := load(t, address, flags...)
		t.Logf("read after %s", time.Since(began))
		if got := trained(t, far); !slices.Equal(got, want) {
			t.Errorf("%v: got %v, want %v", flags, got, want)
		}
		t.Logf("trained after %s", time.Since(began))
	}
}

// Only the owner can open the folder with the copy of the values.
func TestTheCopyIsPrivate(t *testing.T) {
	dir, temp := t.TempDir(), t.TempDir()
	plant(t, dir, 1, 10)
	if _, err := engine.Load(t.Context(), []string{program, "--temp", "file://" + temp}, dataset.Spec{Data: []string{"file://" + dir + "/"}, Name: "rows"}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(temp)
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	info, err := entries[0].Info()
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
}

// freePort returns a port that nobody listens on.
func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// startPool starts a pool of worker processes, and returns its address and the number of its process.
func startPool(t testing.TB) (at string, pid int) {
	t.Helper()
	at = "localhost:" + freePort(t)
	pool := exec.CommandContext(t.Context(), program, "--pool", at)
	pool.Cancel = func() error { return pool.Process.Signal(syscall.SIGTERM) } // it removes the folders of its workers
	if err := pool.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Wait() })
	return at, pool.Process.Pid
}

// workersOf returns the processes that a pool has started.
func workersOf(t testing.TB, pool int) (pids []int) {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pool))
	if err != nil || threads == nil {
		t.Skip("want /proc, to find the processes of workers")
	}
	for _, name := range threads {
		text, _ := os.ReadFile(name) // the thread may have ended
		for _, f := range strings.Fields(string(text)) {
			pid, err := strconv.Atoi(f)
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, pid)
		}
	}
	return pids
}

// Workers in processes of their own give the same model, also if they are killed in the midst of passes.
func TestAWorkerIsKilled(t *testing.T) {
	address, want := example(t, 30_000)
	at, pool := startPool(t)
	far := load(t, address, "--patience", "10s", "--environment_type", "EXTERNAL", "--environment_config", at)
	stop, killed := make(chan struct{}), 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		for before := []int(nil); killed < 2; {
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
				now := workersOf(t, pool)
				for _, pid := range now {
					if slices.Contains(before, pid) && syscall.Kill(pid, syscall.SIGKILL) == nil { // not as it begins
						killed++
					}
				}
				before = now
			}
		}
	}()
	got := trained(t, far)
	close(stop)
	<-done
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	t.Logf("%d workers were killed", killed)
	if killed == 0 {
		t.Error("no worker was killed")
	}
}
