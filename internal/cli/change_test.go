package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/config"
	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/model"
)

// A change of the agreement during a run adds one member and removes another. All members at the
// end have the same parameters: those of a plain fit over the members of each sum.
func TestMembersChange(t *testing.T) {
	testkit.LongOnly(t)
	t.Parallel()
	dir := t.TempDir()
	rows := filepath.Join(dir, "rows")
	rounds := "400"
	if testkit.Raced {
		rounds = "100" // rounds take several times as long
	}
	up := start(t, dir, "up", "--generate", fmt.Sprintf("participants=4,rows=%d,columns=6,patterns=3", manyRows), "--blur", "0",
		"--components", "3", "--scheme", "exact", "--tol", "0", "--rounds", rounds, "--out", "o", "--json")
	up.until(t, `: round 2/`)
	out := filepath.Join(dir, "o")
	addPlant(t, out, rows, "plant-e", "plant-b")
	newcomer := start(t, dir, "run", "--dir", "o/plant-e")
	up.until(t, `the members have changed: plant-e joined, plant-b left; 4 now`)
	if code, said := newcomer.end(t); code != 0 {
		t.Fatalf("the newcomer: exit code %d; it said:\n%s\nup said:\n%s", code, said, up.all())
	}
	code, said := up.end(t)
	if code != 0 {
		t.Fatalf("exit code %d; it said:\n%s", code, said)
	}
	names := []string{"plant-a", "plant-b", "plant-c", "plant-d", "plant-e"}
	log := readLog(t, filepath.Join(out, "plant-a"))
	if last := log[len(log)-1]; !slices.Equal(last.members, []int{0, 2, 3, 4}) {
		t.Errorf("the last sum is over %v", last.members)
	}
	models, _ := refit(t, out, names, log)
	for i, name := range names {
		if name == "plant-b" {
			continue
		}
		saved, err := model.ReadFile(filepath.Join(out, name, participant.ModelFile))
		if err != nil {
			t.Fatal(err)
		}
		if d := deviation(saved, models[i]); !(d <= 1e-6) {
			t.Errorf("%s: the model is %.2g from a plain fit over the members of each sum", name, d)
		}
		if own := readLog(t, filepath.Join(out, name)); !slices.EqualFunc(own, log, sameSlot) {
			t.Errorf("%s has another record than plant-a", name)
		}
	}
	var run report.Run
	readJSON(t, filepath.Join(out, "plant-e", "result.json"), &run)
	if len(run.RosterChanges) != 1 || !slices.Equal(run.RosterChanges[0].Added, []string{"plant-e"}) || !slices.Equal(run.RosterChanges[0].Removed, []string{"plant-b"}) {
		t.Errorf("roster changes %+v", run.RosterChanges)
	}
}

// addPlant makes a folder for a newcomer, with the rows of plant-a, and adds a change to the
// agreement: the newcomer joins, and the member gone leaves.
func addPlant(t *testing.T, out, rows, name, gone string) {
	t.Helper()
	dir := filepath.Join(out, name)
	copyTo(t, filepath.Join(out, "plant-a", "plant-a.csv"), filepath.Join(rows, name+".csv"))
	n, err := config.ReadNode(filepath.Join(out, "plant-a"))
	if err != nil {
		t.Fatal(err)
	}
	n.Name, n.Data, n.Listen, n.Consortium = name, []string{filepath.Join(rows, name+".csv")}, []string{"/ip4/127.0.0.1/tcp/0"}, "../consortium.yaml"
	if err := n.Write(dir); err != nil {
		t.Fatal(err)
	}
	id := collabdictSays(t, "id", "--dir", dir)
	file := filepath.Join(out, "consortium.yaml")
	agreed, err := config.ReadConsortium(file)
	if err != nil {
		t.Fatal(err)
	}
	agreed.Changes = []config.Change{{Add: []config.Member{{Name: name, ID: id}}, Remove: []string{gone}}}
	if err := agreed.Write(file); err != nil {
		t.Fatal(err)
	}
}

func copyTo(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err == nil {
		err = os.WriteFile(to, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// collabdictSays runs the program and returns what it prints.
func collabdictSays(t *testing.T, args ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Args[0] = "collabdict" // TestMain then runs Main
	b, err := cmd.Output()
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", strings.Join(args, " "), err))
	}
	return strings.TrimSpace(string(b))
}
