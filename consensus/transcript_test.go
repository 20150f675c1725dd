package consensus

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the transcripts of testdata anew")

// A transcript lists what a network does, with one line per event. It leaves out events without
// effect and routine heartbeats.
type transcript struct {
	strings.Builder
	*network
}

// enter adds an event. It leaves out heartbeats that nobody has to answer, and the ticks that
// send them.
func (r *transcript) enter(s int, ev Event, e Effects) {
	quiet := len(e.Writes)+len(e.Decisions)+len(e.Serves) == 0 && e.Err == nil
	for _, send := range e.Sends {
		_, beat := send.Message.Body.(*Heartbeat)
		quiet = quiet && beat && send.To == All
	}
	switch ev := ev.(type) {
	case Tick:
	case Receive:
		_, beat := ev.Message.message.Body.(*Heartbeat)
		quiet = quiet && beat
	default:
		quiet = false
	}
	if !quiet {
		r.say(describe(s, ev, e, r.members[s].State()))
	}
}

func (r *transcript) say(line string) {
	if r.now > 0 {
		line = fmt.Sprintf("%gs %s", r.now.Seconds(), line)
	}
	fmt.Fprintln(r, line)
}

// Each file in testdata shows a run, event by event. To write the files again, use go test
// ./consensus -run Transcripts -update, and read the changes before you keep them.
func TestTranscripts(t *testing.T) {
	call := func(size int) func(s int) Call { return sumOf(1, powers(size), oneBlock) }
	for _, c := range []struct {
		file, title string
		size        int
		settings    Settings
		play        func(r *transcript)
	}{
		{"sum", "a sum, exact", 3, exact, func(r *transcript) { r.play(call(3)) }},
		{"sum-laplacian", "a sum in floating point: all adopt the sealer's result", 3, floating, func(r *transcript) { r.play(call(3)) }},
		{"gather", "a gather", 3, exact, func(r *transcript) { r.play(gatherOf([][]byte{{0}, {1}, {2}})) }},
		{"lost-message", "a frame is lost, and sent again to the member that waits for it", 3, exact, func(r *transcript) {
			lost := false
			r.carries = func(from, to int, b Body) bool {
				_, frame := b.(*Step)
				arrives := lost || !frame || to != 1
				lost = lost || !arrives
				return arrives
			}
			r.play(call(3))
		}},
		{"lost-before-vote", "m3 is lost in the session: the next ballot has a view without it", 4, exact, func(r *transcript) {
			r.callAll(call(4))
			r.deliverUntil(func() bool { return r.states(Session) == 4 })
			r.lose(3)
			r.pass(time.Minute, r.over(1))
		}},
		{"lost-after-vote", "m3 is lost after it has voted, and its pad with it: the others' shares give it", 4, exact, func(r *transcript) {
			r.callAll(call(4))
			r.deliverUntil(func() bool { return r.members[3].slot.ballots.vote != nil })
			r.deliverUntil(func() bool { return len(r.flight) > 0 && r.flight[0].from != 3 })
			r.lose(3)
			r.pass(time.Minute, r.over(1))
		}},
		{"restart", "m3 stops in the session, is started again two slots later, learns both and comes in with the next round", 4, exact, func(r *transcript) {
			r.callAll(call(4))
			r.deliverUntil(func() bool { return r.states(Session) == 4 })
			r.lose(3)
			r.pass(time.Minute, r.over(1))
			r.play(call(4))
			r.say("m3 is started again")
			r.restart(3)
			r.catchUp(3, call(4))
			r.pass(3*time.Second, nil)
			r.play(sumOf(2, powers(4), oneBlock))
		}},
	} {
		t.Run(c.file, func(t *testing.T) {
			r := &transcript{network: newNetwork(t, c.size, c.settings)}
			r.watch = r.enter
			r.say("# " + c.title)
			c.play(r)
			r.checkLogs(powers(c.size), oneBlock)
			if r.checkDecisions() == nil {
				t.Fatal(r.describe())
			}
			file := filepath.Join("testdata", c.file+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(r.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			compare(t, file, r.String())
		})
	}
}

func (r *transcript) lose(s int) {
	r.say(fmt.Sprintf("m%d is lost", s))
	r.isolate(s)
	r.settle()
}

// compare asserts that a file contains the given lines, and shows the first difference.
func compare(t *testing.T, file, got string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(string(b), "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(want) || line != want[i] {
			t.Fatalf("line %d is now\n%s\nin %s\n%s\n(go test -update writes it anew)", i+1, line, file, append(want, "")[min(i, len(want))])
		}
	}
	if n := strings.Count(got, "\n"); n != len(want)-1 {
		t.Fatalf("%s has %d lines, want %d", file, len(want)-1, n)
	}
}
