package clusters

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/collabdict/collabdict/internal/mixtures/fedgem"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/grouptest"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
	"github.com/collabdict/collabdict/lab/internal/study"
)

var small = synthetic{clusters: 4, dim: 3, apart: 6, rows: 300}

// The protocol, simulated in virtual time, gives the same clusters as the group that the study
// uses.
func TestSimulatedNetworkGivesTheSame(t *testing.T) {
	clients, _ := small.draw(rand.New(rand.NewPCG(1, 1)), 5)
	outcomes := func(run runner) []outcome {
		rules := []fedgem.Final{fedgem.ChiSquare{}, fedgem.Factor{V: 1}}
		out, err := together(t.Context(), run, clients, fedgem.Config{Seed: 1}, rules, []float64{0.01, 1})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	here, there := outcomes(lockstep.Run), outcomes(runner(grouptest.Protocol(t)))
	if !reflect.DeepEqual(here, there) {
		t.Errorf("got %+v over the protocol, want %+v", there, here)
	}
	if here[0].Clusters != 4 || here[0].Own < 0.95 || here[0].All < 0.95 {
		t.Errorf("got %+v, want the four clusters", here[0])
	}
}

// The study on a few made-up rows has every method in its tables, and writes a file for each table
// and chart.
func TestStudy(t *testing.T) {
	testkit.SkipRaced(t)
	made := small.set("made up", 5)
	made.factors, made.published = []float64{0.3, 3}, []float64{1e4}
	p := plan{
		sets: []set{made}, repeats: 2, grid: small, members: []int{3, 5},
		tried: []set{made}, factors: []float64{0.01, 1e4}, again: 1, timed: &made,
	}
	ticks := time.Duration(0)
	clock := func() time.Duration { ticks += time.Millisecond; return ticks }
	s := study.Study{Name: "fedgem", Run: func(ctx context.Context, l *study.Lab) error { return p.run(ctx, l, clock) }}
	lab, err := study.Run(t.Context(), s, t.TempDir(), t.TempDir(), false, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string][][]string{}
	for _, table := range lab.Tables {
		tables[table.Name] = table.Rows
	}
	var named []string
	for _, row := range tables["fedgem"] {
		named = append(named, row[1])
		if row[1] == string(chiSquare) && row[3] != "4.0 ± 0.0" {
			t.Errorf("got %s clusters of 4", row[3])
		}
	}
	var want []string
	for _, m := range methods {
		want = append(want, string(m))
	}
	if !slices.Equal(named, want) {
		t.Errorf("got methods %q, want %q", named, want)
	}
	if rows := tables["fedgem-grid"]; len(rows) != 3 || rows[0][6] != "2" || rows[0][9] != "1" {
		t.Errorf("got the grid %q", rows)
	}
	if rows := tables["fedgem-factor"]; len(rows) != 6 || rows[2][2] != "1e4" || rows[5][3] != "1.0 ± 0.0" {
		t.Errorf("got factors %q", rows)
	}
	for _, name := range lab.Figures {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
	if len(lab.Figures) != 8 {
		t.Errorf("got %d figures, want 8", len(lab.Figures))
	}
}

// Each row belongs to one member that has its class, and 7 of 10 rows are for training.
func TestDeal(t *testing.T) {
	classes := make([][][]float64, 3)
	for c := range classes {
		for i := range 100 {
			classes[c] = append(classes[c], []float64{float64(c), float64(i)})
		}
	}
	clients, err := deal(rand.New(rand.NewPCG(2, 1)), classes, dealing{members: 4, shares: 5, least: 2, most: 3})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[2]float64]bool{}
	for rank, c := range clients {
		for i, p := range []part{c.train, c.test} {
			rows, _ := p.x.Dims()
			if want := []int{14, 6}[i] * c.classes; rows != want || len(p.truth) != want {
				t.Errorf("member %d: got %d rows of %d classes, want %d", rank, rows, c.classes, want)
			}
			for j := range rows {
				row := [2]float64(p.x.RawRowView(j))
				if int(row[0]) != p.truth[j] || seen[row] {
					t.Errorf("member %d: row %v is of class %d, or another's", rank, row, p.truth[j])
				}
				seen[row] = true
			}
		}
	}
	if _, err := deal(rand.New(rand.NewPCG(2, 1)), classes, dealing{4, 90, 2, 3}); err == nil || !strings.Contains(err.Error(), "class 1 of 3: want at least 2 rows for each of 90, got 100") {
		t.Errorf("got %v", err)
	}
}

func TestFactorsBySize(t *testing.T) {
	for v, want := range map[float64]string{0.03: "0.03", 100: "100", 1e4: "1e4", 1e6: "1e6"} {
		if got := short(v); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// The public files have the number of classes that the study states.
func TestFiles(t *testing.T) {
	folder := testkit.OutsidePath(t, "data")
	for _, f := range files {
		classes, err := readClasses(filepath.Join(folder, filepath.FromSlash(f.path)), f.label, f.class)
		if err != nil {
			t.Fatal(err)
		}
		if len(classes) != f.classes {
			t.Errorf("%s: got %d classes, want %d", f.name, len(classes), f.classes)
		}
	}
}
