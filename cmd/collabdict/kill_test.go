package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/internal/participant"
	"github.com/collabdict/collabdict/internal/report"
	"github.com/collabdict/collabdict/node/store"
)

// Seven members, of whom two are killed, in twenty rounds.
const (
	killRoster = 7
	killRounds = 20
)

var sevenPlants = []string{"plant-a", "plant-b", "plant-c", "plant-d", "plant-e", "plant-f", "plant-g"}

// killPlan is what a seed does to a run.
type killPlan struct {
	scheme  string
	rows    int           // of each member; many make the local update most of a round
	victims [2]string     // in the order in which they are killed
	round   int           // the first is killed in the round after this one; 0 is the start-up
	delay   time.Duration // after that was told
	between time.Duration // from the first's end to the second's, or to its return if that comes first
	returns int           // which of them comes back
	before  bool          // the first does so before the second is killed
	pause   time.Duration // before its return, or until the second is killed
}

func planFor(seed uint64) killPlan {
	rng := rand.New(rand.NewPCG(seed, 7))
	upTo := func(most time.Duration) time.Duration { return time.Duration(rng.Int64N(int64(most))) }
	order := rng.Perm(killRoster)
	p := killPlan{
		scheme: "exact", rows: []int{300, 8000}[seed%2],
		victims: [2]string{sevenPlants[order[0]], sevenPlants[order[1]]},
		round:   rng.IntN(12), delay: upTo(400 * time.Millisecond), between: upTo(11 * time.Second),
		returns: rng.IntN(2), pause: upTo(5 * time.Second),
	}
	p.before = p.returns == 0 && rng.IntN(2) == 0
	switch {
	case seed%5 == 3:
		p.scheme = "laplacian"
	case seed%5 == 2:
		p.round, p.delay = 0, upTo(3*time.Second) // the start-up takes about as long
	case seed%5 == 4:
		p.between = 7*time.Second + upTo(4*time.Second) // while the others settle how to go on
	}
	return p
}

// precision is how far models may be from a plain fit. In floating point the
// chunks that hide a vector cost it about 1e-7 of its bounds.
func (p killPlan) precision() float64 {
	if p.scheme == "laplacian" {
		return 1e-4
	}
	return 1e-6
}

// Of seven members two are killed at random instants, and one comes back: the run
// ends with success, its record says who was missing when and why, all that are
// there at the end have the same parameters, and these are those of a plain fit
// over who was in.
func TestKills(t *testing.T) {
	seeds := 1
	if testing.Short() {
		t.Skip("takes as long as members are waited for")
	}
	if s := os.Getenv("COLLABDICT_KILL_SEEDS"); s != "" {
		var err error
		if seeds, err = strconv.Atoi(s); err != nil || seeds < 1 {
			t.Fatalf("COLLABDICT_KILL_SEEDS: want a number of seeds, got %q", s)
		}
	} else {
		t.Log("one seed; COLLABDICT_KILL_SEEDS=10 takes ten")
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			if seeds == 1 {
				t.Parallel()
			}
			runKilled(t, planFor(uint64(seed)))
		})
	}
}

func runKilled(t *testing.T, p killPlan) {
	t.Logf("%+v", p)
	began := time.Now()
	dir := t.TempDir()
	up := startSeven(t, dir, p)
	if p.round == 0 {
		up.until(t, `7 of 7 members are here`)
	} else {
		up.until(t, fmt.Sprintf(`: round %d/`, p.round))
	}
	pass(t, up, p.delay)
	kill(t, up.cmd.Process.Pid, filepath.Join("o", p.victims[0]))
	t.Logf("%s is killed %s after round %d, %s", p.victims[0], p.delay.Round(time.Millisecond), p.round, doing(t, dir, p.victims[0]))
	var back *member
	if p.before {
		pass(t, up, p.between)
		back = start(t, dir, "run", "--dir", filepath.Join("o", p.victims[0]))
		pass(t, up, p.pause)
	} else {
		pass(t, up, p.between)
	}
	kill(t, up.cmd.Process.Pid, filepath.Join("o", p.victims[1]))
	t.Logf("%s is killed after %s, %s", p.victims[1], lastRound(up), doing(t, dir, p.victims[1]))
	if back == nil {
		pass(t, up, p.pause)
		back = start(t, dir, "run", "--dir", filepath.Join("o", p.victims[p.returns]))
	}
	if code, said := back.end(t); code != 0 {
		t.Errorf("the process that returned: exit code %d; it said:\n%s\nup said:\n%s", code, said, up.all())
	}
	code, said := up.end(t)
	if code != 0 {
		t.Fatalf("exit code %d; it said:\n%s", code, said)
	}
	for _, line := range p.mustSay() {
		if !regexp.MustCompile(line).MatchString(said) {
			t.Errorf("up has not said %q", line)
		}
	}
	t.Logf("took %s; the process that returned said:\n%s\nup said:\n%s", time.Since(began).Round(100*time.Millisecond), back.all(), said)
	checkRun(t, filepath.Join(dir, "o"), p)
}

// mustSay returns what the user of up is told.
func (p killPlan) mustSay() []string {
	lines := []string{"without " + p.victims[1-p.returns] + " from now on: nothing heard for"}
	for _, name := range p.victims {
		lines = append(lines, name+": its process ended: signal: killed; collabdict run --dir o.plant-. brings it back")
	}
	if p.between > 8*time.Second && !p.before {
		lines = append(lines, "waiting for .*"+p.victims[0]+`.* \d+s \(usual `)
	}
	return lines
}

func startSeven(t *testing.T, dir string, p killPlan) *member {
	t.Helper()
	return start(t, dir, "up", "--generate", fmt.Sprintf("participants=%d,rows=%d,columns=6,patterns=3", killRoster, p.rows),
		"--components", "3", "--scheme", p.scheme, "--tol", "0", "--rounds", fmt.Sprint(killRounds), "--out", "o", "--json")
}

// pass lets a time go by, but no more than the run has rounds to spare.
func pass(t *testing.T, up *member, d time.Duration) {
	t.Helper()
	late := regexp.MustCompile(fmt.Sprintf(`: round 1[4-9]/%d`, killRounds))
	limit := time.After(d)
	for {
		select {
		case line := <-up.lines:
			if late.MatchString(line) {
				return
			}
		case <-limit:
			return
		case <-up.done:
			t.Fatalf("the run is over too early; up said:\n%s", up.all())
		}
	}
}

func lastRound(up *member) string {
	lines := regexp.MustCompile(`round \d+/`).FindAllString(up.all(), -1)
	if lines == nil {
		return "round 0"
	}
	return strings.TrimSuffix(lines[len(lines)-1], "/")
}

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

// checkModels checks that members have the same record and parameters, and these
// are those of a plain fit over who was in.
func checkModels(t *testing.T, out string, there []string, precision float64) (log []slotRecord, digest string) {
	t.Helper()
	log = readLog(t, filepath.Join(out, there[0]))
	models, plain := refit(t, out, sevenPlants, log)
	worst := 0.0
	for i, name := range sevenPlants {
		if !slices.Contains(there, name) {
			continue
		}
		saved, err := model.Read(filepath.Join(out, name, participant.ModelFile))
		if err != nil {
			t.Fatal(err)
		}
		digest = cmp.Or(digest, saved.Manifest.Digest)
		if d := saved.Manifest.Digest; d == "" || d != digest || saved.Manifest.Rounds != killRounds {
			t.Errorf("%s has digest %q after %d rounds, want %q", name, d, saved.Manifest.Rounds, digest)
		}
		if own := readLog(t, filepath.Join(out, name)); !slices.EqualFunc(own, log, sameSlot) {
			t.Errorf("%s has another record than %s", name, there[0])
		}
		d := deviation(saved, models[i])
		if worst = max(worst, d); !(d <= precision) {
			t.Errorf("%s: the model is %.2g from a plain fit over who was in", name, d)
		}
	}
	t.Logf("largest deviation from a plain fit: %.2g of a model, %.2g of a sum", worst, slices.Max(plain.apart))
	return log, digest
}

func sameSlot(x, y slotRecord) bool {
	return x.round == y.round && x.chain == y.chain && x.digest == y.digest && slices.Equal(x.members, y.members)
}

// A member that was killed is missing for one of these reasons; all but the first
// are of one that has come back.
var (
	heardNothing = regexp.MustCompile(`^nothing heard for \d+(\.\d)?s$`)
	comesBack    = regexp.MustCompile(`^(catching up|did not answer in time)$`)
)

// checkViewsOf checks that the views of a result are those of the decided slots,
// that none but the killed ones are ever missing, and for what reason.
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

// doing says what a member was in the middle of when it was killed, as far as its
// disk tells.
func doing(t *testing.T, dir, name string) string {
	t.Helper()
	c, _, err := (&runFlags{dir: filepath.Join(dir, "o", name)}).fromFolder()
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(filepath.Join(dir, "o", name))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	j, err := s.Last()
	if err != nil || j == nil {
		return "before its run had begun"
	}
	saved, err := j.Saved()
	if err != nil {
		t.Fatal(err)
	}
	m, err := consensus.Resume(consensus.Params{Settings: c.Task.Settings, Self: j.Self, Members: sevenPlants, Run: j.ID}, saved, [32]byte{})
	if err != nil {
		t.Fatal(err)
	}
	st := m.Status()
	state := map[consensus.State]string{
		consensus.Idle: "between two sums or in its local update", consensus.Stranded: "in a session", consensus.Voted: "after its vote",
	}[st.State]
	return fmt.Sprintf("at slot %d, ballot %d, %s", st.Slot, st.Ballot, cmp.Or(state, st.State.String()))
}
