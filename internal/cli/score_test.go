package cli

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/mixtures/ggm"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/internal/run/scoring"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/model"
)

// An explained row has a line per sensor, the guilty ones and then the largest share first, in the units of the
// data. Flow, which depends on speed, has no share once speed is guilty.
func TestExplainedRows(t *testing.T) {
	mixture, err := gmm.NewMixture([]float64{1}, mat.NewDense(1, 3, nil), []*mat.SymDense{mat.NewSymDense(3, []float64{2, -1, 0, -1, 1, 0, 0, 0, 1})})
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New(ggm.Kind.Name, ggm.Kind.New().Options(), []string{"speed", "flow", "level"}, mixture)
	if err != nil {
		t.Fatal(err)
	}
	m.Manifest.Threshold = 4
	m.Scaling.Shift, m.Scaling.Scale = []float64{10, 20, 30}, []float64{1, 2, 4}
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte("speed,flow,level\n13,20,34\n10,20,30\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	spec := dataset.Spec{Data: []string{path}, Columns: m.Manifest.Columns, MinRows: 1}
	if err := new(app).writeScores(&out, spec, &scoreLines{columnsOfScores: columnsOfScores{explain: "all"}, scorer: scoring.New(m, local.Fixed(m.Threshold()), false)}); err != nil {
		t.Fatal(err)
	}
	const want = `row,score,anomaly,sensor,expected,got,share
1,12.256816,1,speed,10,13,0.947
1,12.256816,1,level,30,34,0.053
1,12.256816,1,flow,20,20,0.000
2,2.7568156,0,speed,10,10,0.000
2,2.7568156,0,flow,20,20,0.000
2,2.7568156,0,level,30,30,0.000
`
	if out.String() != want {
		t.Errorf("got\n%s want\n%s", &out, want)
	}
}

// A row without any number has neither a score nor a verdict, and leaves a rolling threshold as it is.
func TestEmptyRowsAreNotScored(t *testing.T) {
	testkit.SkipRaced(t)
	m := modelOfX(t, 0.01)
	path := filepath.Join(t.TempDir(), "rows.csv")
	text := "at,x\n"
	for i := range 300 {
		text += fmt.Sprintf("%d,%d\n", i, i%7)
	}
	full := scored(t, m, path, text)
	lines := strings.SplitAfter(text, "\n")
	lines = slices.Insert(lines, 200, "a,\n", "b,broken\n")
	got := scored(t, m, path, strings.Join(lines, ""))
	if row := got.lines[200]; row[1] != "a" || row[2] != "" || row[3] != "" {
		t.Errorf("got the row %q", row)
	}
	got.lines = slices.Delete(got.lines, 200, 202)
	for i, line := range full.lines {
		if !slices.Equal(line[1:], got.lines[i][1:]) {
			t.Errorf("line %d: got %q, want %q", i, got.lines[i], line)
		}
	}
	if e := got.found; e.NotScored != 2 || e.Rows != full.found.Rows || e.Anomalies != full.found.Anomalies {
		t.Errorf("got %d rows, %d not scored, %d anomalies; want %d, 2, %d", e.Rows, e.NotScored, e.Anomalies, full.found.Rows, full.found.Anomalies)
	}
}

// scoredRows are lines of scores with the header, and the events in them.
type scoredRows struct {
	lines [][]string
	found scoring.Events
}

// scored writes rows to a file, and scores them with a rolling threshold.
func scored(t *testing.T, m *model.Model, path, text string) scoredRows {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	spec := dataset.Spec{Data: []string{path}, Columns: m.Manifest.Columns, MinRows: 1, Missing: dataset.KeepMissing, Scored: true}
	limits := local.Rolling(150, 0.01, 10)
	written := scoreLines{scorer: scoring.New(m, limits, false), finds: true, promised: 0.01}
	var out bytes.Buffer
	if err := (&app{err: io.Discard}).writeScores(&out, spec, &written); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return scoredRows{lines, written.found.Found()}
}

// A rolling threshold continues from block to block of rows, and from file to file.
func TestRollingScoresAreOneStream(t *testing.T) {
	testkit.SkipRaced(t)
	m := modelOfX(t, 0.01)
	rng, dir := rand.New(rand.NewPCG(1, 1)), t.TempDir()
	var paths []string
	for f, n := range []int{3000, 5000} {
		text := "x\n"
		for i := range n {
			text += fmt.Sprintf("%.6f\n", 3*float64(f)+float64(i)/1000+rng.NormFloat64())
		}
		paths = append(paths, filepath.Join(dir, fmt.Sprint(f, ".csv")))
		if err := os.WriteFile(paths[f], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	limits, err := (&thresholdFlags{text: "rolling:500"}).threshold(m)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	spec := dataset.Spec{Data: paths, Columns: m.Manifest.Columns, MinRows: 1}
	if err := new(app).writeScores(&out, spec, &scoreLines{scorer: scoring.New(m, limits, false)}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")[1:]
	var before []float64
	above := 0
	for i, line := range lines {
		parts := strings.Split(line, ",")
		score, err := strconv.ParseFloat(parts[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		limit := 4.0
		if len(before) >= 99 {
			limit, _ = local.Limit(before[max(0, i-500):], 0.01)
		}
		if got := parts[3] == "1"; got != (score > limit) {
			t.Fatalf("row %d: score %g above %g is %t", i+1, score, limit, got)
		}
		if score > limit {
			above++
		}
		before = append(before, score)
	}
	if len(lines) != 8000 || above < 80 || above > 800 {
		t.Errorf("%d of %d rows are above", above, len(lines))
	}
}
