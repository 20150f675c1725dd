package consensus

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
)

var update = flag.Bool("update", false, "rewrite the transcripts; commit a change only if you understand it")

// The transcripts in testdata are the protocol as a reader would tell it.
func TestTranscripts(t *testing.T) {
	one := []collabdict.Block{{Len: 1, Bound: 8}}
	for name, play := range map[string]func(*network){
		"sum": func(n *network) {
			n.sum([][]float64{{1}, {2}, {4}}, one)
		},
		"gather": func(n *network) {
			n.gather([][]byte{{1}, {2}, {4}})
		},
		"lost-ready": func(n *network) {
			for s := range 3 {
				n.step(s, Call{Kind: Sum, Values: []float64{1}, Blocks: one})
			}
			for lost := false; len(n.flight) > 0; {
				d := n.flight[0]
				n.flight = n.flight[1:]
				if _, ready := d.msg.Body.(*Ready); ready && d.from == 0 && d.to == 1 && !lost {
					lost = true
					continue
				}
				n.step(d.to, Receive{From: d.from, Message: d.msg})
			}
			n.pass(10 * time.Second)
		},
		"member-leaves": func(n *network) {
			for s := range 2 {
				n.step(s, Call{Kind: Sum, Values: []float64{1}, Blocks: one})
			}
			n.step(2, Abort{Reason: "it was stopped by its operator"})
			n.settle()
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNetwork(t, 3, settings(Chebyshev, chunking.Chunks))
			var lines []string
			n.trace = func(line string) { lines = append(lines, line) }
			play(n)
			got := strings.Join(lines, "\n") + "\n"
			path := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("the transcript has changed; run with -update and read the difference:\n%s", got)
			}
		})
	}
}
