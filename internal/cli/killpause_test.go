package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/run/launch"
	"github.com/collabdict/collabdict/internal/testkit"
)

// A run with too few members pauses, reports it, and decides nothing. It continues when enough
// members have come back.
func TestAPause(t *testing.T) {
	testkit.SkipRaced(t)
	testkit.LongOnly(t)
	t.Parallel()
	dir := t.TempDir()
	p := killPlan{scheme: "exact", rows: 300}
	up := startSeven(t, dir, p)
	up.until(t, `: round 6/`)
	gone := sevenPlants[3:]
	for _, name := range gone {
		kill(t, up.cmd.Process.Pid, filepath.Join("o", name))
	}
	up.until(t, `paused: 3 of the 4 members needed are connected; waiting for 1 of plant-d, plant-e, plant-f, plant-g$`)
	before := roundsSaid(t, dir, sevenPlants[:3])
	pass(t, up, 3*time.Second)
	if after := roundsSaid(t, dir, sevenPlants[:3]); after != before {
		t.Errorf("rounds are decided in a pause: %s, then %s", before, after)
	}
	back := []*member{
		start(t, dir, "run", "--dir", filepath.Join("o", gone[1])),
		start(t, dir, "run", "--dir", filepath.Join("o", gone[2])),
	}
	up.until(t, `resumed: enough members are connected`)
	for _, m := range back {
		if code, said := m.end(t); code != 0 {
			t.Errorf("exit code %d; it said:\n%s", code, said)
		}
	}
	if code, said := up.end(t); code != 0 {
		t.Fatalf("exit code %d; it said:\n%s", code, said)
	}
	log, _ := checkModels(t, filepath.Join(dir, "o"), []string{"plant-a", "plant-b", "plant-c", "plant-e", "plant-f"}, 1e-6)
	// The run continues as soon as four are here, so the last sum may be without the last to
	// return.
	if last := log[len(log)-1]; len(last.members) < 4 {
		t.Errorf("the last sum is over %v", last.members)
	}
}

// roundsSaid returns the last round in the log of each node, as text.
func roundsSaid(t *testing.T, dir string, names []string) string {
	t.Helper()
	var last []string
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(dir, "o", name, launch.LogFile))
		if err != nil {
			t.Fatal(err)
		}
		if found := regexp.MustCompile(`Z round \d+`).FindAllString(string(b), -1); found != nil {
			last = append(last, found[len(found)-1])
		}
	}
	return strings.Join(last, ", ")
}

// A run whose processes are all killed continues when they are started again in their folders.
func TestAllAreKilled(t *testing.T) {
	testkit.SkipRaced(t)
	testkit.LongOnly(t)
	t.Parallel()
	dir := t.TempDir()
	up := startSeven(t, dir, killPlan{scheme: "exact", rows: 300})
	up.until(t, `: round 8/`)
	for _, name := range sevenPlants {
		kill(t, up.cmd.Process.Pid, filepath.Join("o", name))
	}
	if code, said := up.end(t); code != membersLost.code || !strings.Contains(said, "collabdict run --dir o/plant-d brings it back") {
		t.Errorf("exit code %d; it said:\n%s", code, said)
	}
	var again []*member
	for _, name := range sevenPlants {
		again = append(again, start(t, dir, "run", "--dir", filepath.Join("o", name)))
	}
	for i, m := range again {
		code, said := m.end(t)
		if code != 0 {
			t.Fatalf("%s: exit code %d; it said:\n%s", sevenPlants[i], code, said)
		}
		checkResumed(t, sevenPlants[i], said)
	}
	checkModels(t, filepath.Join(dir, "o"), sevenPlants, 1e-6)
}

// checkResumed checks that a restarted process reported the rounds that its folder did not have,
// and no others.
func checkResumed(t *testing.T, name, said string) {
	t.Helper()
	var last int
	if found := regexp.MustCompile(`resumes the run after round (\d+)`).FindStringSubmatch(said); found != nil {
		last, _ = strconv.Atoi(found[1])
	}
	if last == 0 || strings.Contains(said, fmt.Sprintf("round %d/", last)) || !strings.Contains(said, fmt.Sprintf("round %d/", last+1)) {
		t.Errorf("%s said:\n%s", name, said)
	}
}

// A run that a quorum has paused is still paused after all its processes are killed and started
// again. Once a quorum resumes it, all members get the model of a plain fit.
func TestAPauseThatIsAgreed(t *testing.T) {
	testkit.SkipRaced(t)
	testkit.LongOnly(t)
	t.Parallel()
	dir := t.TempDir()
	const rounds = 120
	names := sevenPlants[:4]
	up := start(t, dir, "up", "--generate", fmt.Sprintf("participants=%d,rows=%d,columns=6,patterns=3", len(names), manyRows), "--blur", "0",
		"--standardise", "own", "--components", "3", "--scheme", "exact", "--tol", "0", "--rounds", fmt.Sprint(rounds), "--out", "o", "--json")
	up.until(t, `: round 2/`)
	file := filepath.Join(dir, "o", "consortium.yaml")
	collabdictSays(t, "consortium", "change", file, "--pause")
	up.until(t, `paused by agreement, change 1: the run continues when 3 members have a change with resume: true$`)
	for _, name := range names {
		kill(t, up.cmd.Process.Pid, filepath.Join("o", name))
	}
	if code, said := up.end(t); code != membersLost.code {
		t.Errorf("exit code %d; it said:\n%s", code, said)
	}
	var again []*member
	for _, name := range names {
		again = append(again, start(t, dir, "run", "--dir", filepath.Join("o", name)))
	}
	for _, m := range again {
		m.until(t, `paused by agreement, change 1: `)
	}
	collabdictSays(t, "consortium", "change", file, "--resume")
	for i, m := range again {
		code, said := m.end(t)
		if code != 0 {
			t.Fatalf("%s: exit code %d; it said:\n%s", names[i], code, said)
		}
		if !strings.Contains(said, "resumed: the members have agreed to continue") {
			t.Errorf("%s said:\n%s", names[i], said)
		}
		checkResumed(t, names[i], said)
	}
	log, _ := checkModelsOf(t, filepath.Join(dir, "o"), names, names, rounds, 1e-6)
	for _, d := range log { // nobody was left out
		if len(d.members) != len(names) {
			t.Errorf("a sum is over %v", d.members)
		}
	}
}
