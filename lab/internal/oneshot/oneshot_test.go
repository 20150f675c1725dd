package oneshot

import (
	"context"
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/partition"
	"github.com/collabdict/collabdict/internal/mixtures/fedgen"
	"github.com/collabdict/collabdict/lab/internal/study"
	"github.com/collabdict/collabdict/netsim"
)

// clusters draws rows of four classes, each of them a cluster, and anomalies between the clusters.
func clusters(random *rand.Rand) sample {
	var s sample
	draw := func(n int, spread float64) *mat.Dense {
		x := mat.NewDense(n, 2, nil)
		for j := range n {
			c := float64(j % 4)
			x.Set(j, 0, 0.5+0.3*math.Cos(2*c)+spread*random.NormFloat64())
			x.Set(j, 1, 0.5+0.3*math.Sin(2*c)+spread*random.NormFloat64())
		}
		return x
	}
	for j := range 800 {
		s.classes = append(s.classes, float64(j%4))
	}
	s.train = draw(800, 0.03)
	return s.with(draw(180, 0.03), draw(20, 0.2))
}

func tiny() set {
	return set{
		name: "made up", k: 4, clients: 4, kind: partition.Dirichlet, levels: []float64{0.5, 2}, fixed: 0.5, growing: true, of: "none", far: 2,
		load: func(context.Context, *study.Lab) (draw, error) { return clusters, nil },
	}
}

// The experiment on made-up rows gives all its tables and charts.
func TestTablesAndCharts(t *testing.T) {
	before := sets
	sets = []set{tiny()}
	t.Cleanup(func() { sets = before })
	out := t.TempDir()
	lab, err := study.Run(t.Context(), Study(), t.TempDir(), out, true, func(string, ...any) {})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, table := range lab.Tables {
		names = append(names, table.Name)
		if len(table.Rows) == 0 {
			t.Errorf("%s has no rows", table.Name)
		}
	}
	if want := []string{"loglik", "prauc", "rounds", "clients", "constrained", "refine"}; !reflect.DeepEqual(names, want) {
		t.Errorf("got tables %v, want %v", names, want)
	}
	if len(lab.Figures) != 2*5 {
		t.Errorf("got figures %v, want SVG and PNG of five", lab.Figures)
	}
	for _, name := range lab.Figures {
		if info, err := os.Stat(name); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
	f, err := os.Open(filepath.Join(out, "loglik.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if want := append([]string{"data", "split", "alpha", pooled}, methods...); !slices.Equal(rows[0], want) || len(rows) != 3 || rows[2][2] != "2" {
		t.Errorf("got %v", rows)
	}
}

func made(t *testing.T, methods ...string) *trial {
	t.Helper()
	s := tiny()
	p := plan{set: &s, level: 0.5, clients: 4, each: 4, k: 4, methods: methods}
	made, err := newTrial(p, clusters(source(0, "rows")))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// Methods that combine the clusters of all participants find them, and local mixtures have a lower
// likelihood.
func TestMethodsFindClusters(t *testing.T) {
	all := made(t, methods...)
	got, err := all.outcomes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	best, err := all.pooled()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{synthetic, reduced, federated} {
		if o := got[name]; o.LogLik < best.LogLik-0.15 || o.PRAUC < 0.6 {
			t.Errorf("%s: got %+v, all rows in one place have %+v", name, o, best)
		}
	}
	if got[local].LogLik > best.LogLik-0.3 {
		t.Errorf("local mixtures have %+v, all rows in one place %+v", got[local], best)
	}
	if got[synthetic].Rounds != 1 || got[federated].Rounds < 2 {
		t.Errorf("got rounds %+v", got)
	}
}

// Rounds continue past the tolerance to the target, and the outcomes are those at the tolerance.
func TestTraceContinuesToTheTarget(t *testing.T) {
	short := made(t)
	a, trace, err := short.onwards(t.Context(), must(short.start(shared)))
	if err != nil {
		t.Fatal(err)
	}
	long := made(t)
	long.target = trace[len(trace)-1] + 1e-6
	b, further, err := long.onwards(t.Context(), must(long.start(shared)))
	if err != nil {
		t.Fatal(err)
	}
	if a.rounds != b.rounds || a.rounds != len(trace) || len(further) <= len(trace) || !slices.Equal(further[:len(trace)], trace) {
		t.Errorf("got %d and %d rounds, traces of %d and %d", a.rounds, b.rounds, len(trace), len(further))
	}
	if n := firstAt(further, long.target); int(n) != len(further)-1 && len(further) < most {
		t.Errorf("target at %g, the trace has %d rounds", n, len(further))
	}
	if v := firstAt([]float64{1, 2}, 3); !math.IsInf(v, 1) {
		t.Errorf("a trace that stays below the target reaches it after %g rounds", v)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Participants that learn over the protocol get the mixture of the cell, bit for bit.
func TestSameOverTheProtocol(t *testing.T) {
	cell := made(t)
	want, err := fedgen.Aggregate(cell.own, cell.config)
	if err != nil {
		t.Fatal(err)
	}
	net, err := netsim.New(netsim.Config{Names: netsim.Names(len(cell.parts)), Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	_, err = net.Run(t.Context(), func(ctx context.Context, rank int, g collabdict.Group) error {
		got, err := fedgen.Exchange(ctx, g, cell.own[rank], cell.config)
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(fedgen.MomentsOf(got.Mixture), fedgen.MomentsOf(want.Mixture)) {
			t.Errorf("participant %d has another mixture than the cell", rank)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestMedian(t *testing.T) {
	never := math.Inf(1)
	for want, rounds := range map[string][]float64{
		"2": {3, 1, 2}, "1.5": {2, 1}, "1 (2 of 3)": {never, 1, 0}, "over 100 (1 of 3)": {never, 1, never}, "over 100 (0 of 1)": {never},
	} {
		if got := median(rounds); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestNeedsAreFiles(t *testing.T) {
	_, err := study.Run(t.Context(), Study(), t.TempDir(), t.TempDir(), true, t.Logf)
	if err == nil || !strings.Contains(err.Error(), "needs "+mnistFiles[0]) {
		t.Errorf("got %v", err)
	}
}
