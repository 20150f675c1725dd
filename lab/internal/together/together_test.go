package together

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/lab/internal/study"
	"github.com/collabdict/collabdict/lab/internal/studytest"
)

// No file is in two families, so the sets used to choose defaults and those set aside are separate.
func TestFamiliesAreApart(t *testing.T) {
	seen := map[string]string{}
	for _, f := range append(tuning(), aside()...) {
		if len(f.sets) == 0 || seen[f.name] != "" {
			t.Errorf("family %q has %d sets, or stands twice", f.name, len(f.sets))
		}
		seen[f.name] = f.name
		for _, s := range f.sets {
			for _, file := range s.files {
				if seen[file] != "" {
					t.Errorf("%s is of %s and of %s", file, seen[file], f.name)
				}
				seen[file] = f.name
			}
		}
	}
}

func TestInterval(t *testing.T) {
	if mean, low, high := interval([]float64{2, 2, 2}); mean != 2 || low != 2 || high != 2 {
		t.Errorf("of one value: %g in %g..%g", mean, low, high)
	}
	values := make([]float64, 20)
	for i := range values {
		values[i] = float64(i % 2)
	}
	mean, low, high := interval(values)
	// Of 20 values, half are 1: the 5 % quantile of the binomial distribution is 6.
	if mean != 0.5 || math.Abs(low-0.3) > 1e-9 || math.Abs(high-0.7) > 1e-9 {
		t.Errorf("%g in %g..%g", mean, low, high)
	}
	if _, again, _ := interval(values); again != low {
		t.Error("another interval of the same values")
	}
}

// folder returns a folder with two sets: one has anomalies far from all rows, the other in their
// middle.
func folder(t *testing.T) (dir string, families []family) {
	t.Helper()
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(1, 1))
	for name, off := range map[string]float64{"far": 30, "middle": 0} {
		csv := []byte("a,b,c,label\n")
		for i := range 300 {
			spread, at, label := 1.0, 0.0, "no"
			if i%10 == 0 {
				spread, at, label = 0.1, off, "yes"
			}
			csv = fmt.Appendf(csv, "%.4f,%.4f,%.4f,%s\n", at+spread*rng.NormFloat64(), spread*rng.NormFloat64(), spread*rng.NormFloat64(), label)
		}
		studytest.WriteZipped(t, filepath.Join(dir, name+".csv.gz"), csv)
		families = append(families, family{name, []*set{classes(name, "yes")}})
	}
	return dir, families
}

func run(t *testing.T, data, out string, families []family) (l *study.Lab, computed int, err error) {
	t.Helper()
	l, err = study.Run(t.Context(), of("made", "", families), data, out, true, func(string, ...any) { computed++ })
	return l, computed, err
}

func TestStudy(t *testing.T) {
	data, families := folder(t)
	out := t.TempDir()
	// The 270 normal rows of a set give each of 5 participants 32 training rows, so all sizes above
	// 32 use the same rows.
	plan, sizes, variants := `{"sizes": [20, 100, 200, 0], "folds": true,
		"variants": [{"name": "default", "options": []}, {"name": "two", "options": ["components=2"]}]}`, 3, 2
	if testkit.Raced { // one size and variant have the goroutines of all
		plan, sizes, variants = `{"sizes": [20], "folds": true, "variants": [{"name": "two", "options": ["components=2"]}]}`, 1, 1
	}
	write(t, filepath.Join(out, "made.plan.json"), plan)
	l, computed, err := run(t, data, out, families)
	if err != nil {
		t.Fatal(err)
	}
	if want := 2*2*(1+sizes*variants*3) + 2; computed != want || len(l.Tables) != 5 {
		t.Errorf("computed %d cells, want %d; %d tables", computed, want, len(l.Tables))
	}
	for _, row := range l.Tables[0].Rows {
		for at, text := range row[6:9] {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil || row[2] == "far" && v < 1 || row[2] == "middle" && v > 0.35 {
				t.Errorf("%v: ROC-AUC %s of method %d", row[:6], text, at)
			}
		}
	}
	again, computed, err := run(t, data, out, families)
	if err != nil || computed != 1 || fmt.Sprint(tablesBut(again, 1)) != fmt.Sprint(tablesBut(l, 1)) {
		t.Errorf("computed %d cells again: %v", computed-1, err)
	}
	checkBaselines(t, data, out, families, 2*2*sizes)
}

// tablesBut returns the rows of all tables but one, such as that of seconds.
func tablesBut(l *study.Lab, without int) (out [][][]string) {
	for i, t := range l.Tables {
		if i != without {
			out = append(out, t.Rows)
		}
	}
	return out
}

// checkBaselines writes made-up results of another program for each fold, and checks that the
// tables show them.
func checkBaselines(t *testing.T, data, out string, families []family, folds int) {
	t.Helper()
	dir := filepath.Join(out, "made.folds")
	files, err := filepath.Glob(filepath.Join(dir, "*.npz"))
	if err != nil || len(files) != folds {
		t.Fatalf("%d folds, want %d: %v", len(files), folds, err)
	}
	found := map[string]map[string]outcome{}
	for _, f := range files {
		o := outcome{ROC: []float64{0.25, 0.75}, PR: []float64{0.125}}
		found[strings.TrimSuffix(filepath.Base(f), ".npz")] = map[string]outcome{"kNN": o, "IF": o, "LW": o, "GMM-BIC": o}
	}
	raw, err := json.Marshal(found)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "baselines.json"), string(raw))
	l, _, err := run(t, data, out, families)
	if err != nil {
		t.Fatal(err)
	}
	means := l.Tables[2]
	for i, column := range means.Header {
		want, ok := map[string]string{"ROC-AUC kNN": "0.5000", "PR-AUC GMM-BIC": "0.1250"}[column]
		if ok && means.Rows[0][i] != want {
			t.Errorf("%s: got %s, want %s", column, means.Rows[0][i], want)
		}
	}
	if header := strings.Join(means.Header, ","); !strings.Contains(header, "ROC-AUC kNN") {
		t.Errorf("no baselines among %s", header)
	}
}

func TestPlanRefuses(t *testing.T) {
	data, families := folder(t)
	for text, want := range map[string]string{
		`{"sizes": [0, 50]}`:     "ascending",
		`{"methods": ["apart"]}`: `"apart"`,
		`{"seeds": 0}`:           "at least one",
		`{"size": [50]}`:         `"size"`,
		`{"variants": [{}]}`:     "different names",
		`{"sizes": [50`:          "plan.json",
		`{"methods": []}`:        "at least one",
		`{"variants": [{"name": "a", "options": ["component=3"]}]}`: "variant a",
	} {
		out := t.TempDir()
		write(t, filepath.Join(out, "made.plan.json"), text)
		if _, _, err := run(t, data, out, families); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error about %s", text, err, want)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
