package outcome

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/plants"
	"github.com/collabdict/collabdict/internal/files"
	"github.com/collabdict/collabdict/internal/journal"
	"github.com/collabdict/collabdict/internal/ops/operate"
	"github.com/collabdict/collabdict/internal/run/participant"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/internal/run/simulate"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/pipelinetest"
	"github.com/collabdict/collabdict/model"
)

var systemClock = operate.Clock{Now: time.Now, After: time.After}

// ask decodes the answer of a page.
func ask(t *testing.T, p *operate.Page, path string, to any) {
	t.Helper()
	if code := codeOf(t, p, path, to); code != http.StatusOK {
		t.Fatalf("%s: got %d", path, code)
	}
}

func codeOf(t *testing.T, p *operate.Page, path string, to any) int {
	t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("Accept", "application/json")
	w := httptest.NewRecorder()
	p.Handler(fstest.MapFS{}).ServeHTTP(w, r)
	if w.Code == http.StatusOK {
		if err := json.Unmarshal(w.Body.Bytes(), to); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	return w.Code
}

// simulated runs a simulation of three plants.
func simulated(t *testing.T) (*simulate.Run, []dataset.Participant) {
	t.Helper()
	testkit.SkipRaced(t)
	parts := plants.Generate(plants.Spec{Participants: 3, Rows: 80, Columns: 3, Patterns: 2}, 4)
	run, err := simulate.Simulate(t.Context(), pipelinetest.Task(t, "ggm", "components=2", "rounds=6", "tol=0"), parts, nil)
	if err != nil {
		t.Fatal(err)
	}
	return run, parts
}

// saved writes a simulation as sim does, without what the page does not need.
func saved(t *testing.T, run *simulate.Run) (dir string) {
	t.Helper()
	dir = t.TempDir()
	var errs []error
	for i, m := range run.Models {
		p := &run.Report.Participants[i]
		p.ModelFile = filepath.Join(p.Name, model.File)
		errs = append(errs, model.Save(filepath.Join(dir, p.Name), m), files.WriteJSON(filepath.Join(dir, p.Name, participant.ResultFile), p))
	}
	if err := errors.Join(append(errs, participant.WriteResult(dir, run.Report))...); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestAFinishedSimulationIsShown(t *testing.T) {
	run, parts := simulated(t)
	dir := saved(t, run)
	for _, of := range []string{dir, filepath.Join(dir, parts[0].Name), filepath.Join(dir, parts[2].Name) + "/"} {
		p, err := Open(of, systemClock)
		if err != nil {
			t.Fatal(err)
		}
		var shown operate.Run
		ask(t, p, "/page/run", &shown)
		if shown.Status.Phase != operate.Ended || shown.Status.Round != 6 || len(shown.Members) != 3 || len(shown.Rounds) != 6 {
			t.Errorf("%s: got %+v", of, shown)
		}
		for i, point := range shown.Rounds {
			if want := run.Report.RoundRows()[i]; point.Round != i+1 || point.Objective != want.Objective || point.Members != 3 || !point.At.IsZero() {
				t.Errorf("%s: got %+v, want %+v", of, point, want)
			}
		}
		var learned operate.Learned
		ask(t, p, "/page/model", &learned)
		name := parts[0].Name
		if strings.HasSuffix(of, "/") {
			name = parts[2].Name
		}
		if i := slices.IndexFunc(shown.Members, func(m operate.Member) bool { return m.Own }); i < 0 || shown.Members[i].Name != name || shown.Status.Name != name {
			t.Errorf("%s: got %+v, want it as %s saw it", of, shown.Members, name)
		}
		if learned.Participant != name || len(learned.Components) != 2 || len(learned.Components[0].Mean) != 3 || learned.LeastWeight <= 0 || learned.Verdict == "" {
			t.Errorf("%s: got %+v", of, learned)
		}
		var private operate.Privacy
		ask(t, p, "/page/privacy", &private)
		if len(private.Told) == 0 || len(private.Outside) == 0 || private.Protection.Mode == "" || private.Spent == nil {
			t.Errorf("%s: got %+v", of, private)
		}
	}
}

// The folder of a member has the times of rounds, the peer IDs, and the changes of the members.
func TestAFinishedMemberIsShown(t *testing.T) {
	dir, id := t.TempDir(), strings.Repeat("0f", 32)
	at := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	now := func() time.Time { at = at.Add(time.Second); return at }
	j, err := journal.Open(dir, now)
	if err != nil {
		t.Fatal(err)
	}
	past, err := j.Past()
	if err != nil {
		t.Fatal(err)
	}
	start := journal.Start{
		Run: id, Model: "ggm", Agreement: id, Members: []journal.Member{{Name: "a", ID: "1"}, {Name: "b", ID: "2"}, {Name: "c", ID: "3"}},
		Rows: id, Key: past.Key(),
	}
	if err := j.Begin(start); err != nil {
		t.Fatal(err)
	}
	for slot, round := range []uint32{0, 1, 2, 3, 4} {
		if err := j.Decide(journal.Line{Slot: uint64(slot), Round: round, Kind: "sum", Digest: id, Members: start.Members}); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.End(journal.Line{Run: id, Why: journal.AsPlanned, Round: 4, Members: start.Members}); err != nil {
		t.Fatal(err)
	}
	r := &report.Run{
		ID: id, Model: "ggm", Rounds: 4, Converged: true, BytesSent: 7, Warnings: []string{"privacy: a total is of one member"},
		Participants: []report.Participant{{Name: "a", History: []report.Round{{Round: 1, Objective: -4}, {Round: 2, Objective: -3}, {Round: 3, Objective: math.MaxFloat64}, {Round: 4, Objective: -1}}}},
		Views: []report.View{
			{Round: 1, Members: []string{"a", "b", "c"}},
			{Round: 2, Members: []string{"a", "c"}, Missing: []report.Missing{{Name: "b", Reason: "silent"}}},
			{Round: 4, Members: []string{"a", "b", "c", "d"}},
		},
		RosterChanges: []report.RosterChange{{After: 2, Paused: true}, {After: 2, Resumed: true}, {After: 3, Added: []string{"d"}}},
		Protection:    report.Protection{Mode: "chunks"},
	}
	if err := participant.WriteResult(dir, r); err != nil {
		t.Fatal(err)
	}
	p, err := Open(dir, systemClock)
	if err != nil {
		t.Fatal(err)
	}
	var shown operate.Run
	ask(t, p, "/page/run", &shown)
	var kinds []operate.EventKind
	for _, e := range shown.Events {
		kinds = append(kinds, e.Kind)
	}
	want := []operate.EventKind{operate.Begun, operate.Left, operate.Paused, operate.Resumed, operate.Changed, operate.Returned, operate.Begun}
	if !slices.Equal(kinds, want) {
		t.Errorf("got %v, want %v", kinds, want)
	}
	if first, third := shown.Rounds[0], shown.Rounds[2]; first.At.IsZero() || third.At.Sub(first.At) <= 0 || first.Members != 3 || third.Members != 2 {
		t.Errorf("got %+v and %+v", first, third)
	}
	if m := shown.Members; len(m) != 4 || m[0].Peer != "1" || !m[0].Own || m[1].State != operate.Summed || m[3].Peer != "" {
		t.Errorf("got %+v", m)
	}
	if o := shown.Outcome; o.Ended != operate.AsPlanned || o.Members != 4 || o.All != 4 || o.Rounds != 4 || !o.Converged || o.Folder != "" || o.Why != "" {
		t.Errorf("got %+v", o)
	}
	if s := shown.Status; s.Node.Traffic.BytesSent != 7 || !s.Last.Converged || s.Began.IsZero() {
		t.Errorf("got %+v", s)
	}
	var private operate.Privacy
	ask(t, p, "/page/privacy", &private)
	if len(private.Warnings) != 1 || private.Warnings[0].Text != r.Warnings[0] || private.Protection.Mode != "chunks" {
		t.Errorf("got %+v", private)
	}
	if code := codeOf(t, p, "/page/model", nil); code != http.StatusNotFound {
		t.Errorf("without a model, got %d", code)
	}
}

// The journal of a folder tells whether its run was stopped or has failed. A member may have been left out at the end.
func TestHowARunHasEnded(t *testing.T) {
	for why, want := range map[string]operate.End{journal.AsPlanned: operate.AsPlanned, journal.Stopped: operate.Stopped, journal.Failed: operate.Failed, "something else": operate.Failed} {
		dir, id := t.TempDir(), strings.Repeat("0f", 32)
		j, err := journal.Open(dir, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		me := []journal.Member{{Name: "a", ID: "1"}}
		past, err := j.Past()
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Begin(journal.Start{Run: id, Model: "ggm", Agreement: id, Members: me, Rows: id, Key: past.Key()}); err != nil {
			t.Fatal(err)
		}
		if err := j.End(journal.Line{Run: id, Why: why, Round: 2, Members: me}); err != nil {
			t.Fatal(err)
		}
		r := &report.Run{
			ID: id, Model: "ggm", Rounds: 2, Participants: []report.Participant{{Name: "a", Left: "catching up"}},
			Views: []report.View{{Members: []string{"b", "c"}, Missing: []report.Missing{{Name: "a", Reason: "catching up"}}}},
		}
		if err := participant.WriteResult(dir, r); err != nil {
			t.Fatal(err)
		}
		p, err := Open(dir, systemClock)
		if err != nil {
			t.Fatal(err)
		}
		var shown operate.Run
		ask(t, p, "/page/run", &shown)
		if o := shown.Outcome; o.Ended != want || o.Members != 2 || o.All != 3 || (o.Why == "catching up") != (want == operate.AsPlanned) {
			t.Errorf("%s: got %+v", why, o)
		}
	}
}

func TestFoldersWithoutARunAreRefused(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir, systemClock); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	for _, text := range []string{"", "{", "[]", "{}", `{"participants": []}`, `{"model": "ggm", "participants": 3}`} {
		path := filepath.Join(dir, participant.ResultFile)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, systemClock); err == nil {
			t.Errorf("%q: want an error", text)
		}
	}
	run, parts := simulated(t)
	dir = saved(t, run)
	if err := os.WriteFile(filepath.Join(dir, parts[0].Name, model.File), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, systemClock); err == nil || !strings.Contains(err.Error(), parts[0].Name) {
		t.Errorf("of a broken model, got %v", err)
	}
}

// Before the first round, the words are those of the inventory of the task.
func TestWhatARunWillShow(t *testing.T) {
	task := pipelinetest.Task(t, "ggm")
	p := Planned(task, 5, nil)
	if len(p.Summary.Open) != 0 || len(p.Outside) == 0 || p.Spent == nil || p.Told != nil || p.Protection.BreachPredicted == nil || len(p.Summary.Port) != 1 {
		t.Errorf("got %+v", p)
	}
	if got := p.Collusions; !reflect.DeepEqual(got, pipeline.Collusions(task.Settings, 5)) {
		t.Errorf("got %+v", got)
	}
	if p := Planned(task, 5, []operate.Spent{}); !slices.Contains(p.Summary.Open, pipeline.PastRun.What) {
		t.Errorf("of a member with a folder, got %+v", p.Summary)
	}
	if p := Planned(task, 500, []operate.Spent{}); slices.Contains(p.Summary.Open, pipeline.PastRun.What) {
		t.Errorf("of many members, got %+v", p.Summary)
	}
}

// A member's part that others are likely to recover is a warning, and so is one that rested on few rows.
func TestWeakProtectionIsAWarning(t *testing.T) {
	kinds := func(p *operate.Privacy) (list []report.WarningKind) {
		for _, w := range p.Warnings {
			list = append(list, w.Kind)
		}
		return list
	}
	for mode, want := range map[chunking.Mode]bool{chunking.Chunks: false, chunking.None: true} {
		task := pipelinetest.Task(t, "ggm")
		task.Settings.Protect = mode
		if got := kinds(Planned(task, 5, nil)); slices.Contains(got, report.UnhiddenWarning) != want {
			t.Errorf("%s: got %v", mode, got)
		}
	}
	for rows, want := range map[float64]bool{9.1: true, 60: false} {
		m := &model.Manifest{Participant: "a", Privacy: model.Ledger{LeastDiversity: report.Of(math.Log(rows))}}
		if got := kinds(Privacy(m, nil, nil, false)); slices.Contains(got, report.FewRowsWarning) != want {
			t.Errorf("%g rows: got %v", rows, got)
		}
	}
}

// The record of a run gives the same collusions as its settings.
func TestCollusionsOfARecord(t *testing.T) {
	for _, s := range []consensus.Settings{{Protect: chunking.Chunks}, {Protect: chunking.Chunks, Chunks: 3, Colluders: 2}} {
		for _, size := range []int{2, 3, 5, 20, 70} {
			s.Colluders = min(s.Colluders, size-2)
			if got, want := collusions(pipeline.Protection(s, size), size), pipeline.Collusions(s, size); !reflect.DeepEqual(got, want) {
				t.Errorf("%d members, %+v: got %+v, want %+v", size, s, got, want)
			}
		}
	}
	none := pipeline.Protection(consensus.Settings{Protect: chunking.None}, 5)
	for size, most := range map[int]int{0: 0, 1: 0, 2: 1, 5: 4} {
		if got := collusions(none, size); most == 0 && got != nil || most > 0 && got[len(got)-1] != (report.Collusion{Others: most, Breach: 1}) {
			t.Errorf("%d members: got %+v", size, got)
		}
	}
}

// Whatever a result has, it is shown or refused.
func FuzzResult(f *testing.F) {
	f.Add([]byte(`{"model":"ggm","participants":[{"name":"a","history":[{"round":1,"objective":-1},{"round":2,"objective":null}]}],"views":[{"round":1,"members":["a"],"missing":[{"name":"b"}]}],"roster_changes":[{"after_round":1,"paused":true,"added":["c"],"removed":["a"]}]}`))
	f.Add([]byte(`{"participants":[{"history":[{"round":-3},{"round":9000000000}]}],"views":[{"round":-1,"count":3},{"round":2}],"bytes_sent":-1,"rounds":-7}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, participant.ResultFile), text, 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := Open(dir, systemClock)
		if err != nil {
			return
		}
		var shown operate.Run
		ask(t, p, "/page/run", &shown)
	})
}

// The summary follows from the task: from what it shows in the clear and in sums, from noise, from the protection of
// sums, and from the number of members.
func TestWhatLeavesAMember(t *testing.T) {
	for _, c := range []struct {
		name          string
		kind          string
		options       []string
		size          int
		open, sums    bool
		noise, values bool
		protect       chunking.Mode // the default if empty
		hidden        bool
		simulated     bool
	}{
		{name: "sums", kind: "ggm", size: 5, open: true, sums: true, hidden: true},
		{name: "noise", kind: "ggm", options: []string{"epsilon=1", "standardise=none", "clip=3", "components=2"}, size: 5, sums: true, noise: true, hidden: true},
		{name: "in the clear", kind: "fedgen", size: 5, open: true, sums: true, hidden: true},
		{name: "single values", kind: "bvae", size: 5, open: true, sums: true, values: true, hidden: true},
		{name: "without protection", kind: "ggm", protect: chunking.None, size: 5, open: true, sums: true},
		{name: "a simulation", kind: "ggm", options: []string{"epsilon=1", "standardise=none", "clip=3", "components=2"}, size: 5, sums: true, noise: true, hidden: true, simulated: true},
		{name: "two members", kind: "ggm", size: 2, open: true, sums: true},
	} {
		task := pipelinetest.Task(t, c.kind, c.options...)
		task.Settings.Protect = cmp.Or(c.protect, task.Settings.Protect)
		spent := []operate.Spent{}
		if c.simulated {
			spent = nil
		}
		p := Planned(task.Resolved(3, c.size), c.size, spent)
		s := p.Summary
		if (len(s.Open) > 0) != c.open || (len(s.Sums) > 0) != c.sums || (len(s.Noise) > 0) != c.noise || s.Values != c.values || s.Simulated != c.simulated || s.Blur != (c.kind == "ggm" && !c.noise) || s.Most != c.size {
			t.Errorf("%s: got %+v", c.name, s)
		}
		if text := strings.Join(s.Sums, ";"); strings.Contains(text, "hidden by noise") && c.simulated {
			t.Errorf("%s: got %s, want no noise that hides", c.name, text)
		}
		if hidden := p.Protection.BreachPredicted != nil && *p.Protection.BreachPredicted < 1; hidden != c.hidden {
			t.Errorf("%s: got %+v", c.name, p.Protection)
		}
		for _, i := range task.Inventory(group{size: c.size}) {
			if i.Entry == columnstats.ExtremesEntry && !s.Values {
				t.Errorf("%s: want values of single rows", c.name)
			}
		}
	}
}

// A finished run says the same from its model.
func TestWhatHasLeftAMember(t *testing.T) {
	run, parts := simulated(t)
	planned := Planned(pipelinetest.Task(t, "ggm", "components=2", "rounds=6", "tol=0").Resolved(3, len(parts)), len(parts), nil)
	got := Privacy(&run.Models[0].Manifest, run.Report.Warnings, nil, true)
	if !reflect.DeepEqual(got.Summary, planned.Summary) {
		t.Errorf("got %+v, want %+v", got.Summary, planned.Summary)
	}
}

// Whether more rounds matter follows from the objectives of the last rounds, and of the second half.
func TestWhetherARunHasSettled(t *testing.T) {
	const n = 60
	for name, c := range map[string]struct {
		rounds            int
		of                func(i int) float64
		converged         bool
		measured, settled bool
	}{
		"none":        {0, nil, false, false, false},
		"few":         {leastJudged - 1, func(i int) float64 { return -math.Exp(-float64(i)) }, false, false, false},
		"converged":   {3, func(i int) float64 { return float64(i) }, true, false, true},
		"rising":      {n, func(i int) float64 { return float64(i) }, false, true, false},
		"slowly":      {n, func(i int) float64 { return -math.Exp(-float64(i) / 40) }, false, true, false},
		"levelled":    {n, func(i int) float64 { return -math.Exp(-float64(i) / 5) }, false, true, true},
		"falling":     {n, func(i int) float64 { return math.Exp(-float64(i) / 5) }, false, true, true},
		"constant":    {n, func(int) float64 { return 1 }, false, false, true},
		"up and down": {n, func(i int) float64 { return 100 + float64(i%2) }, false, false, true},
		"candidates":  {n, func(i int) float64 { return float64(i) - 1e6*math.Exp(-float64(i)) }, false, true, false},
		"huge":        {n, func(i int) float64 { return math.MaxFloat64 * (float64(i)/30 - 1) }, false, true, false},
	} {
		r := &report.Run{Converged: c.converged, Participants: []report.Participant{{}}}
		for i := range c.rounds {
			r.Participants[0].History = append(r.Participants[0].History, report.Round{Round: i + 1, Objective: c.of(i)})
		}
		if o := Ended("", r, operate.AsPlanned); o.LastGain.Defined != c.measured || o.Settled != c.settled {
			t.Errorf("%s: got %+v %t", name, o.LastGain, o.Settled)
		}
	}
}
