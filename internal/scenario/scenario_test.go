package scenario_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/scenario"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/netsim"
)

const size, rounds = 10, 40

var blocks = []collabdict.Block{{Len: 1, Bound: 1 << 12}}

func load(t *testing.T, name string) netsim.Config {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, err := scenario.ParseYAML("s.yaml", f)
	if err != nil {
		t.Fatal(err)
	}
	s.ReadFile = func(name string) (io.ReadCloser, error) { return os.Open(filepath.Join("testdata", name)) }
	c := netsim.Config{Names: netsim.Names(size), Seed: 3, Settings: consensus.Settings{Scheme: consensus.Exact, Protect: chunking.Chunks}}
	if err := s.Apply(&c); err != nil {
		t.Fatal(err)
	}
	return c
}

// play runs a scenario and returns the members of each round's sum. Each member adds its own
// bit, so the total shows them as well.
func play(t *testing.T, name string) (in [rounds + 1][]uint32, r *netsim.Report) {
	t.Helper()
	totals := make([][]float64, size)
	net, err := netsim.New(load(t, name))
	if err != nil {
		t.Fatal(err)
	}
	r, err = net.Run(t.Context(), func(ctx context.Context, rank int, g collabdict.Group) error {
		totals[rank] = nil
		for n := range rounds {
			g.StartRound(n+1, [32]byte{})
			total, missed := g.TakeMissed()
			if !missed {
				var err error
				if total, err = g.Sum(ctx, collabdict.Summand{Values: []float64{float64(int(1) << rank)}, Blocks: blocks}); err != nil {
					return err
				}
			}
			totals[rank] = append(totals[rank], total[0])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for rank := range size {
		if !reflect.DeepEqual(totals[rank], totals[0]) || r.Members[rank].Digest != r.Members[0].Digest {
			t.Errorf("participant %d has %v, the first %v", rank+1, totals[rank], totals[0])
		}
	}
	for _, d := range r.Members[0].Decisions {
		if d.Round == 0 || d.Kind == consensus.Amend {
			continue
		}
		in[d.Round] = d.Members
		want := 0.0
		for _, m := range d.Members {
			want += float64(int(1) << m)
		}
		if d.Total[0] != want {
			t.Errorf("round %d: total %g over %v, want %g", d.Round, d.Total[0], d.Members, want)
		}
	}
	t.Logf("%s of virtual time", r.Virtual)
	return in, r
}

// missing returns the rounds whose sums lack a member.
func missing(in [rounds + 1][]uint32, member uint32) (list []int) {
	for r := 1; r <= rounds; r++ {
		found := false
		for _, m := range in[r] {
			found = found || m == member
		}
		if !found {
			list = append(list, r)
		}
	}
	return list
}

func TestRollingRestart(t *testing.T) {
	in, _ := play(t, "rolling-restart")
	for m := range uint32(size) {
		out := missing(in, m)
		t.Log(m+1, out)
		if (len(out) > 0) != (m < 5) || len(out) > 0 && out[len(out)-1] == rounds {
			t.Errorf("participant %d is not in rounds %v", m+1, out)
		}
	}
}

func TestSplitInHalves(t *testing.T) {
	testkit.SkipRaced(t)
	in, r := play(t, "split-50-50")
	for m := range uint32(size) {
		if out := missing(in, m); out != nil {
			t.Errorf("participant %d is not in rounds %v, want the run to pause instead", m+1, out)
		}
	}
	if r.Virtual < 2*time.Minute {
		t.Errorf("over after %s, during the split", r.Virtual)
	}
}

func TestSplitSixtyForty(t *testing.T) {
	testkit.SkipRaced(t)
	in, _ := play(t, "split-60-40")
	for m := range uint32(size) {
		out := missing(in, m)
		t.Log(m+1, out)
		if (len(out) > 0) != (m >= 6) || len(out) > 0 && out[len(out)-1] == rounds {
			t.Errorf("participant %d is not in rounds %v", m+1, out)
		}
	}
}

func TestSixMinutePartitionAtRoundTen(t *testing.T) {
	testkit.SkipRaced(t)
	in, _ := play(t, "partition")
	for m := range uint32(size) {
		out := missing(in, m)
		t.Log(m+1, out)
		if (len(out) > 0) != (m >= 7) || len(out) > 0 && (out[0] != 10 || out[len(out)-1] == rounds) {
			t.Errorf("participant %d is not in rounds %v", m+1, out)
		}
	}
}

func TestASlowSite(t *testing.T) {
	testkit.SkipRaced(t)
	in, r := play(t, "slow-site")
	out := missing(in, 1)
	t.Log(out)
	if len(out) == 0 || r.Virtual > 20*rounds*2*time.Second {
		t.Errorf("%s for %d rounds, without the slow site in %v", r.Virtual, rounds, out)
	}
}

func TestALateSite(t *testing.T) {
	testkit.SkipRaced(t)
	in, _ := play(t, "late-site")
	out := missing(in, 4)
	t.Log(out)
	if len(out) < 7 || out[0] != 1 || out[len(out)-1] > 11 {
		t.Errorf("the late site is missing in rounds %v", out)
	}
}

// The page links to each tested scenario. A scenario that it shows is the tested one.
func TestScenariosAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/how-to/simulate.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, text, isShown := strings.Cut(string(doc), "\n# "+filepath.Base(name)+"\n")
		switch {
		case isShown && !strings.HasPrefix(text, string(b)):
			t.Errorf("%s is not shown in the document as it is", name)
		case isShown:
			shown++
		case !strings.Contains(string(doc), "(../../internal/scenario/"+filepath.ToSlash(name)+")"):
			t.Errorf("the document has no link to %s", name)
		}
	}
	if shown == 0 {
		t.Error("the document shows no scenario")
	}
}

func TestTextAndYAMLAreEquivalent(t *testing.T) {
	text, err := scenario.Parse("--faults", "compute:time=2s; latency:kind=log-normal,median=20ms,sigma=0.4;crash:node=p0003,at=2m,state=lost;partition:a=1-4|b=5-7,at=5m,for=1m;churn:rate=0.05;nat:nodes=1-2+4;bandwidth:up=1M,down=10M;late:node=2,round=8")
	if err != nil {
		t.Fatal(err)
	}
	file, err := scenario.ParseYAML("s.yaml", strings.NewReader(`
compute: 2s
latency: {kind: log-normal, median: 20ms, sigma: 0.4}
faults:
  - crash: {node: 3, at: 2m, state: lost}
  - partition: {a: 1-4, b: 5-7, at: 5m, for: 1m}
  - churn: {rate: 0.05}
  - nat: {nodes: 1-2+4}
  - bandwidth: {up: 1M, down: 10M}
  - late: {node: 2, round: 8}
`))
	if err != nil {
		t.Fatal(err)
	}
	a, b := netsim.Config{Names: netsim.Names(7)}, netsim.Config{Names: netsim.Names(7)}
	if err := text.Apply(&a); err != nil {
		t.Fatal(err)
	}
	if err := file.Apply(&b); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) || len(a.Faults) != 6 {
		t.Errorf("%+v\n%+v", a, b)
	}
}

// Errors give the word, the value got and the value wanted.
func TestInvalidScenarios(t *testing.T) {
	for text, want := range map[string]string{
		"crush:node=1":                    `fault 1: want one of bandwidth, churn,`,
		"loss:rate=0.1;crash:node=9":      `fault 2, crash: node: want a member's name or a number from 1 to 7, got "9"`,
		"crash":                           `fault 1, crash: node: want a member's name`,
		"crash:node=1,at=2":               `crash: at: want a time such as 500ms, 30s or 2m, got "2"`,
		"crash:node=1,when=2m":            `crash: when: want at, for, node, round, state, got "2m"`,
		"crash:node":                      `fault 1, crash: want KEY=VALUE, got "node"`,
		"loss:rate=2":                     `loss: rate: want a number from 0 to 1, got "2"`,
		"partition:a=1-4":                 `partition: b: want sides such as a=1-4|b=5-7`,
		"partition:a=1-4|b=4-7":           `partition: sides: want each member on one side only`,
		"late:node=1,round=0":             `late: round: want a round of at least 1, got "0"`,
		"bandwidth:up=fast":               `bandwidth: up: want bytes per second such as 500k, 10M or 1G, got "fast"`,
		"latency:kind=fast":               `latency: kind: want uniform or constant or log-normal or zones or csv, got "fast"`,
		"latency:kind=csv,file=sites.csv": `latency: file: want a latency without a file`,
		"clock:node=1,rate=-1":            `clock: rate: want a number from 0.001 to 1000, got "-1"`,
		"silent:node=8":                   `silent: node: want a member's name`,
	} {
		s, err := scenario.Parse("--faults", text)
		if err == nil {
			c := netsim.Config{Names: netsim.Names(7)}
			if err = s.Apply(&c); err == nil {
				err = c.Validate()
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"speed: 3":                         "a scenario has compute, latency and faults",
		"faults: [{crash: {node: [1]}}]":   "s.yaml: line 1, crash: node: want a single value",
		"faults: [{crash: 3}]":             "s.yaml: line 1, crash: want values",
		"faults: [{crash: {}, churn: {}}]": "line 1: want one fault per entry",
		"faults:\n  - crush: {node: 1}":    "line 2: want one of",
		"compute: {a: 1}":                  "a scenario has compute, latency and faults",
	} {
		if _, err := scenario.ParseYAML("s.yaml", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

// No text makes the reader panic.
func FuzzParse(f *testing.F) {
	f.Add("crash:node=3,at=2m;partition:a=1-4|b=5-7,at=5m,for=1m")
	f.Add("faults: [{loss: {rate: 0.1}}]")
	f.Fuzz(func(t *testing.T, text string) {
		c := netsim.Config{Names: netsim.Names(7)}
		if s, err := scenario.Parse("--faults", text); err == nil && s.Apply(&c) == nil {
			_ = fmt.Sprint(c.Validate())
		}
		if s, err := scenario.ParseYAML("s.yaml", strings.NewReader(text)); err == nil {
			_ = s.Apply(&c)
		}
	})
}
