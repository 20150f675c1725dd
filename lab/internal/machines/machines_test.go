package machines

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/networks/multitask"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/lab/internal/study"
	"github.com/collabdict/collabdict/lab/internal/studytest"
	"github.com/collabdict/collabdict/vae"
)

// folder returns a folder of made-up files for both sets. Servers have rows around a line, and
// anomalies off it. Engines live for 140 cycles and are healthy for the first 14. Their sensors
// rise and fall together, and drift apart towards the end. There are two fleets of ten engines.
func folder(t *testing.T) string {
	t.Helper()
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(1, 1))
	for _, name := range servers() {
		csv := []byte("a,b,c,label,split\n")
		for i := range 200 {
			at, label, split := rng.NormFloat64(), -1, "train"
			off := 0.0
			if i >= 100 {
				label, split = i/190, "test"
				off = 3 * float64(label)
			}
			csv = fmt.Appendf(csv, "%.3f,%.3f,%.3f,%d,%s\n", at+0.1*rng.NormFloat64()+off, 0.1*rng.NormFloat64()-at+off, rng.NormFloat64(), label, split)
		}
		studytest.WriteZipped(t, filepath.Join(dir, filepath.FromSlash(name)), csv)
	}
	columns := []string{"engine", "s2", "s3", "s4", "s7", "s8", "s9", "s11", "s12", "s13", "s14", "s15", "s17", "s20", "s21"}
	csv := []byte(strings.Join(columns, ",") + ",label,split\n")
	for engine := 1; engine <= 20; engine++ {
		for left := 139; left >= 0; left-- {
			csv = fmt.Append(csv, engine)
			at := rng.NormFloat64()
			for j := range columns[1:] {
				csv = fmt.Appendf(csv, ",%.3f", float64(100*j)+at+0.02*float64((140-left)*(j%3-1))+0.2*rng.NormFloat64())
			}
			csv = fmt.Appendf(csv, ",%d,train\n", left)
		}
		csv = fmt.Appendf(csv, "%d%s,150,test\n", engine, strings.Repeat(",5", len(columns)-1))
	}
	studytest.WriteZipped(t, filepath.Join(dir, "cmapss", "fd001.csv.gz"), csv)
	return dir
}

// lab calls f in a study with the made-up files.
func lab(t *testing.T, data, out string, note func(string, ...any), f func(ctx context.Context, l *study.Lab) error) *study.Lab {
	t.Helper()
	s := Study()
	s.Run = f
	l, err := study.Run(t.Context(), s, data, out, true, note)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The study on little data, without most settings, gives all tables and figures. A second run reads
// its cells and gives the same tables. With a thousandfold divergence the alarm rings for all
// encoders; with the usual one it rings for none.
func TestStudy(t *testing.T) {
	testkit.SkipRaced(t)
	data, out := folder(t), t.TempDir()
	computed := 0
	run := func() *study.Lab {
		computed = 0
		return lab(t, data, out, func(string, ...any) { computed++ }, func(ctx context.Context, l *study.Lab) error {
			p := planFor(l)
			p.steps, p.draws, p.config.Hidden, p.config.Batch, p.config.Rate = 40, 1, []int{8}, 16, 0.03
			p.trials = slices.DeleteFunc(p.trials, func(t trial) bool { return t.kind == setting && t.name != longer })
			for _, s := range p.sets {
				s.components = 2
			}
			return p.run(ctx, l)
		})
	}
	l := run()
	if computed != 2*(3+1+3+3+3+2+1)+2 || len(l.Tables) != 4 || len(l.Figures) != 8 {
		t.Errorf("computed %d cells, %d tables, %d figures", computed, len(l.Tables), len(l.Figures))
	}
	for _, f := range l.Figures {
		if info, err := os.Stat(f); err != nil || info.Size() < 2000 {
			t.Errorf("%s: %v", f, err)
		}
	}
	again := run()
	if computed != 1 || fmt.Sprint(again.Tables) != fmt.Sprint(l.Tables) {
		t.Errorf("computed %d cells again", computed-1)
	}
	for _, row := range l.Tables[2].Rows {
		rung := row[len(row)-1]
		all := rung == "7 of 7" || rung == "2 of 2"
		if row[1] == collapsed && !all || row[1] == gradients && !strings.HasPrefix(rung, "0 of") {
			t.Errorf("%s, %s: alarms for %s", row[0], row[1], rung)
		}
	}
	if got := l.Tables[3].Rows; len(got) != 9 || got[0][1] != "machine-2-1" || got[8][1] != "engines 11-20" {
		t.Errorf("participants: %v", got)
	}
}

// The healthy cycles of six of ten engines are training rows, and all cycles of the other four are
// test rows.
func TestEngines(t *testing.T) {
	lab(t, folder(t), t.TempDir(), t.Logf, func(_ context.Context, l *study.Lab) error {
		s := sets()[1]
		if err := s.read(l); err != nil {
			return err
		}
		for _, p := range s.parts {
			train, width := p.train.Dims()
			held, _ := p.held.Dims()
			test, _ := p.test.Dims()
			if train+held != 6*14 || held != 8 || test != 4*140 || width != 14 || math.Abs(mean(p.labels)-31./140) > 1e-12 {
				t.Errorf("%s: %d + %d by %d rows to train, %d to test, %.3f of them anomalies", p.name, train, held, width, test, mean(p.labels))
			}
		}
		return nil
	})
}

// A file with too few training rows is an error that names its participant.
func TestTooFewRows(t *testing.T) {
	data := folder(t)
	studytest.WriteZipped(t, filepath.Join(data, filepath.FromSlash(servers()[2])), []byte("a,b,c,label,split\n1,2,3,-1,train\n4,5,6,0,test\n"))
	lab(t, data, t.TempDir(), t.Logf, func(_ context.Context, l *study.Lab) error {
		if err := sets()[0].read(l); err == nil || !strings.Contains(err.Error(), "machine-2-3: want at least 10 rows to train on") {
			t.Errorf("got %v", err)
		}
		return nil
	})
}

// units converts a participant's log densities to the units of all: it is the log ratio of the
// volumes of both scalings.
func TestUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	s := &set{common: true}
	for k := range 3 {
		x := mat.NewDense(50, 2, nil)
		for i := range 50 {
			x.SetRow(i, []float64{float64(k) + rng.NormFloat64(), float64(1+k) * rng.NormFloat64()})
		}
		s.parts = append(s.parts, participant{train: x, held: x, test: x})
	}
	own, err := s.rows(alone)
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range []string{together, pooled} {
		all, err := s.rows(way)
		if err != nil {
			t.Fatal(err)
		}
		for k, p := range own {
			want := 0.0
			for j := range 2 {
				want += math.Log((p.test.At(0, j) - p.test.At(1, j)) / (all[k].test.At(0, j) - all[k].test.At(1, j)))
			}
			if math.Abs(p.units-want) > 1e-9 || all[k].units != 0 {
				t.Errorf("participant %d, %s: got %g and %g, want %g and 0", k, way, p.units, all[k].units, want)
			}
		}
		pool := trained(all, way)
		if n, _ := pool[0].Dims(); way == pooled && (len(pool) != 1 || n != 150 || math.Abs(mat.Sum(pool[0])) > 1e-9) {
			t.Errorf("pooled: %d matrices, %d rows, sum %g", len(pool), n, mat.Sum(pool[0]))
		}
	}
}

// A decoder that returns the mean row of everything explains nothing; one that returns the row
// itself explains all.
func TestSharesExplained(t *testing.T) {
	m := multitask.NewModel(2, multitask.Config{Latent: 2})
	clear(m.Encoder.Shared.Values)
	clear(m.Decoder.Shared.Values)
	x := mat.NewDense(2, 2, []float64{1, 2, -3, 0.5})
	check := func(want float64) {
		t.Helper()
		shares, err := sharesExplained(m, x)
		if err != nil || math.Abs(shares[0]-want) > 1e-6 || math.Abs(shares[1]-want) > 1e-6 {
			t.Errorf("got %v, %v, want %g", shares, err, want)
		}
	}
	check(0)
	for _, n := range []*vae.Network{m.Encoder, m.Decoder} { // two means of two inputs, then scales
		n.Shared.Values[0], n.Shared.Values[5] = 1, 1
	}
	check(1)
}
