package cli

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

// checkRun checks what a run of seven leaves in its folder.
func checkRun(t *testing.T, out string, p killPlan) {
	t.Helper()
	gone := p.victims[1-p.returns]
	there := slices.DeleteFunc(slices.Clone(sevenPlants), func(name string) bool { return name == gone })
	log, digest := checkModels(t, out, there, p.precision())
	var run report.Run
	readJSON(t, filepath.Join(out, "result.json"), &run)
	for _, r := range run.Participants {
		if (r.Name == gone) != (r.Digest == "") || r.Name != gone && r.Digest != digest || len(run.Participants) != killRoster {
			t.Errorf("result of %s: digest %q, left %q", r.Name, r.Digest, r.Left)
		}
	}
	checkViewsOf(t, run.Views, log, p)
}

// checkModels checks that members have the same record and parameters, and that these are those of
// a plain fit over the members of each sum.
func checkModels(t *testing.T, out string, there []string, precision float64) (log []slotRecord, digest string) {
	t.Helper()
	return checkModelsOf(t, out, sevenPlants, there, killRounds, precision)
}

// checkModelsOf is checkModels for any roster and number of rounds.
func checkModelsOf(t *testing.T, out string, names, there []string, rounds int, precision float64) (log []slotRecord, digest string) {
	t.Helper()
	log = readLog(t, filepath.Join(out, there[0]))
	models, plain := refit(t, out, names, log)
	worst := 0.0
	for i, name := range names {
		if !slices.Contains(there, name) {
			continue
		}
		saved, err := model.ReadFile(filepath.Join(out, name, participant.ModelFile))
		if err != nil {
			t.Fatal(err)
		}
		digest = cmp.Or(digest, saved.Manifest.Digest)
		if d := saved.Manifest.Digest; d == "" || d != digest || saved.Manifest.Rounds != rounds {
			t.Errorf("%s has digest %q after %d rounds, want %q", name, d, saved.Manifest.Rounds, digest)
		}
		if own := readLog(t, filepath.Join(out, name)); !slices.EqualFunc(own, log, sameSlot) {
			t.Errorf("%s has another record than %s", name, there[0])
		}
		d := deviation(saved, models[i])
		if worst = max(worst, d); !(d <= precision) {
			t.Errorf("%s: the model is %.2g from a plain fit over the members of each sum", name, d)
		}
	}
	if a := plain.Apart(); !(a <= precision) {
		t.Errorf("a sum is %.2g from that over its members", a)
	}
	if q := plain.Quanta(); q > 0 {
		t.Errorf("a running total is %g quanta from that of the vectors that were counted, want the same bits", q)
	}
	t.Logf("largest deviation from a plain fit: %.2g of a model, %.2g of a sum", worst, plain.Apart())
	return log, digest
}

func sameSlot(x, y slotRecord) bool {
	return x.round == y.round && x.chain == y.chain && x.digest == y.digest && slices.Equal(x.members, y.members)
}

// These match the reasons for which a killed member is missing: heardNothing while it is away,
// comesBack once it has returned.
var (
	heardNothing = regexp.MustCompile(`^nothing heard for \d+(\.\d)?s$`)
	comesBack    = regexp.MustCompile(`^(catching up|did not answer in time)$`)
)

// checkViewsOf checks that the views of a result are those of the decided slots, and that only
// killed members are missing, with reasons that fit.
func checkViewsOf(t *testing.T, views []report.View, log []slotRecord, p killPlan) {
	t.Helper()
	at := 0
	for slot, r := range log {
		var members []string
		for _, m := range r.members {
			members = append(members, sevenPlants[m])
		}
		for at+1 < len(views) && !slices.Equal(views[at].Members, members) {
			at++
		}
		if v := views[at]; !slices.Equal(v.Members, members) || v.Round > r.round && r.round > 0 {
			t.Fatalf("slot %d of round %d has members %v, the views %+v", slot, r.round, members, views)
		}
	}
	gone := p.victims[1-p.returns]
	for _, v := range views {
		if len(v.Members)+len(v.Missing) != killRoster {
			t.Errorf("view of %d members, %d missing", len(v.Members), len(v.Missing))
		}
		for _, m := range v.Missing {
			ok := heardNothing.MatchString(m.Reason) || m.Name != gone && comesBack.MatchString(m.Reason)
			if !slices.Contains(p.victims[:], m.Name) || !ok {
				t.Errorf("round %d: %s is missing: %s", v.Round, m.Name, m.Reason)
			}
		}
	}
	if last := views[len(views)-1]; len(last.Missing) != 1 || last.Missing[0].Name != gone {
		t.Errorf("in the last view: %+v", last)
	}
	t.Logf("views: %+v", views)
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}
