package cli

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/testkit"
)

// stormEvent is the kill or the restart of a member.
type stormEvent struct {
	at    time.Duration
	name  string
	again bool
}

// stormOf draws the times at which members are killed. Each is started again within five seconds.
func stormOf(seed uint64, names []string, kills int) (events []stormEvent) {
	rng := rand.New(rand.NewPCG(seed, 50))
	upTo := func(most time.Duration) time.Duration { return time.Duration(rng.Int64N(int64(most))) }
	back := map[string]time.Duration{}
	for at := time.Duration(0); kills > 0; {
		at += upTo(3 * time.Second)
		name := names[rng.IntN(len(names))]
		if at < back[name] {
			continue // it is away
		}
		kills--
		back[name] = at + 100*time.Millisecond + upTo(4900*time.Millisecond)
		events = append(events, stormEvent{at, name, false}, stormEvent{back[name], name, true})
	}
	slices.SortStableFunc(events, func(a, b stormEvent) int { return cmp.Compare(a.at, b.at) })
	return events
}

// A run succeeds although its six members are killed and started again many times, and all have the
// model that follows from the counted vectors. COLLABDICT_KILLS sets the number of kills,
// COLLABDICT_KILL_SEED the seed of their times.
func TestAStormOfKills(t *testing.T) {
	testkit.LongOnly(t)
	number := func(name string, otherwise uint64) uint64 {
		s := os.Getenv(name)
		if s == "" {
			return otherwise
		}
		n, err := strconv.ParseUint(s, 10, 32)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return n
	}
	kills := int(number("COLLABDICT_KILLS", 5))
	t.Parallel()
	names, rounds := sevenPlants[:6], 20+16*kills
	if testkit.Raced {
		rounds /= 2 // rounds take several times as long
	}
	dir := t.TempDir()
	began := time.Now()
	up := start(t, dir, "up", "--generate", "participants=6,rows=300,columns=6,patterns=3", "--components", "3", "--blur", "0", "--standardise", "own",
		"--scheme", "exact", "--tol", "0", "--rounds", fmt.Sprint(rounds), "--out", "o", "--json")
	up.until(t, `: round 6/`)         // earlier rounds wait for lost members
	processes := map[string]*member{} // of those that were killed; nil while away
	zero := time.Now()
	for _, e := range stormOf(number("COLLABDICT_KILL_SEED", 1), names, kills) {
		<-time.After(time.Until(zero.Add(e.at)))
		m, was := processes[e.name]
		switch folder := filepath.Join("o", e.name); {
		case e.again:
			processes[e.name] = start(t, dir, "run", "--dir", folder)
		case !was:
			kill(t, up.cmd.Process.Pid, folder)
			processes[e.name] = nil
		default:
			select {
			case <-m.done:
				t.Fatalf("%s ended before its kill, with exit code %d; it said:\n%s", e.name, m.cmd.ProcessState.ExitCode(), m.all())
			default:
			}
			if err := m.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			<-m.done
		}
	}
	t.Logf("%d kills took %s", kills, time.Since(zero).Round(100*time.Millisecond))
	for name, m := range processes {
		if code, said := m.end(t); code != 0 {
			t.Fatalf("%s: exit code %d; it said:\n%s", name, code, said)
		}
	}
	if code, said := up.end(t); len(processes) < len(names) && code != 0 {
		t.Fatalf("exit code %d; it said:\n%s", code, said)
	}
	log, _ := checkModelsOf(t, filepath.Join(dir, "o"), names, names, rounds, 1e-12)
	absent := 0
	for _, r := range log {
		absent += len(names) - len(r.members)
	}
	t.Logf("%s, %d sums, members were not in one %d times", time.Since(began).Round(100*time.Millisecond), len(log), absent)
}
