package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/plants"
	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/model"
)

// gathering is a kind of model whose members show each other their own results.
type gathering struct {
	args []string
	slow int // number of rows with which a member needs about ten seconds for its own result
}

var gatherings = map[string]gathering{
	"fedgen": {[]string{"--model", "fedgen", "--components", "2-24", "--synthetic", "5"}, 60000},
	"fedgem": {[]string{"--model", "fedgem"}, 20000},
}

// startGathering starts a process for each of some plants. The plant late has the most rows, so it
// is the last to have its own result.
func startGathering(t *testing.T, dir, late string, g gathering) (up *member, names []string) {
	t.Helper()
	size := 4
	if s := os.Getenv("COLLABDICT_GATHER_NODES"); s != "" {
		var err error
		if size, err = strconv.Atoi(s); err != nil || size < 4 {
			t.Fatalf("COLLABDICT_GATHER_NODES: want a number of nodes from 4 on, got %q", s)
		}
	} else {
		t.Logf("%d nodes; COLLABDICT_GATHER_NODES=10 takes ten", size)
	}
	spec := plants.Spec{Participants: size, Rows: 100, Columns: 4, Patterns: 2}
	parts := plants.Generate(spec, 1)
	for i, p := range parts {
		if names = append(names, p.Name); p.Name == late {
			spec.Rows, spec.TestRows = g.slow, 100
			if testkit.Raced {
				spec.Rows /= 10 // they take as long
			}
			parts[i] = plants.Generate(spec, 1)[i]
		}
	}
	if _, err := plants.WriteCSV(filepath.Join(dir, "data"), parts); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"up", "--data", "data", "--label", "label", "--test-where", "split=test", "--out", "o", "--json"}, g.args...)
	return start(t, dir, args...), names
}

// checkGathered checks that all members but gone have the same model and digest, and that all
// records name gone as missing, with the reason.
func checkGathered(t *testing.T, out string, names []string, gone string) {
	t.Helper()
	var run report.Run
	readJSON(t, filepath.Join(out, "result.json"), &run)
	checkMissing(t, run.Views, len(names), gone)
	there := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == gone })
	var first *model.Model
	for _, name := range there {
		m, err := model.ReadFile(filepath.Join(out, name, participant.ModelFile))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = m
		}
		if d := m.Manifest.Digest; d == "" || d != first.Manifest.Digest || !sameMixture(m, first) {
			t.Errorf("%s has another model, of digest %q, than %s, of %q", name, d, there[0], first.Manifest.Digest)
		}
		checkMissing(t, m.Manifest.Views, len(names), gone)
		var own report.Run
		readJSON(t, filepath.Join(out, name, participant.ResultFile), &own)
		checkMissing(t, own.Views, len(names), gone)
		log := readLog(t, filepath.Join(out, name))
		if in := log[len(log)-1].members; len(in) != len(there) || gone != "" && slices.Contains(in, slices.Index(names, gone)) {
			t.Errorf("the record of %s has the members %v", name, in)
		}
	}
	for _, p := range run.Participants {
		left := p.Name == gone
		if left != (p.Left != "") || !left && p.Digest != first.Manifest.Digest || left && p.Digest != "" || len(run.Participants) != len(names) {
			t.Errorf("result of %s: digest %q, left %q", p.Name, p.Digest, p.Left)
		}
	}
	t.Logf("%d rounds, %d components, views %+v, %.1f s", run.Rounds, run.Clusters, run.Views, run.Seconds)
}

func checkMissing(t *testing.T, views []report.View, size int, gone string) {
	t.Helper()
	last := views[len(views)-1]
	switch {
	case gone == "" && (len(views) != 1 || len(last.Members) != size || len(last.Missing) != 0):
		t.Errorf("views %+v", views)
	case gone != "" && (len(last.Members) != size-1 || len(last.Missing) != 1 || last.Missing[0].Name != gone || !heardNothing.MatchString(last.Missing[0].Reason)):
		t.Errorf("the last view: %+v", last)
	}
}

// sameMixture reports whether two models have the same shared parameters, bit for bit.
func sameMixture(a, b *model.Model) bool {
	same := slices.Equal(mixtureOf(a).Weights(), mixtureOf(b).Weights()) && mat.Equal(mixtureOf(a).Means(), mixtureOf(b).Means())
	for k := 0; same && k < mixtureOf(a).Components(); k++ {
		same = mat.Equal(mixtureOf(a).Precision(k), mixtureOf(b).Precision(k))
	}
	return same
}

// Real processes that show each other their own results end with one and the same model.
func TestNodesGather(t *testing.T) {
	testkit.SkipRaced(t)
	for kind, g := range gatherings {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			up, names := startGathering(t, dir, "", g)
			if code, said := up.end(t); code != 0 {
				t.Fatalf("exit code %d; it said:\n%s", code, said)
			}
			checkGathered(t, filepath.Join(dir, "o"), names, "")
		})
	}
}

// A member that is killed before it shows its own result is left out. The others continue, succeed
// and have the same model.
func TestANodeIsKilledBeforeItsGather(t *testing.T) {
	testkit.LongOnly(t)
	const late = "plant-b"
	for kind, g := range gatherings {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			up, names := startGathering(t, dir, late, g)
			up.until(t, `: waiting for .*`+late+` \d+s`)
			kill(t, up.cmd.Process.Pid, filepath.Join("o", late))
			code, said := up.end(t)
			if code != 0 {
				t.Fatalf("exit code %d; it said:\n%s", code, said)
			}
			for _, line := range []string{
				late + ": its process ended: signal: killed; collabdict run --dir o.plant-b brings it back",
				"without " + late + " from now on: nothing heard for",
			} {
				if !regexp.MustCompile(line).MatchString(said) {
					t.Errorf("up did not print %q; it said:\n%s", line, said)
				}
			}
			checkGathered(t, filepath.Join(dir, "o"), names, late)
		})
	}
}
