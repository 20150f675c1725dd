package pipeline

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/testkit/algorithmtest"
	"github.com/collabdict/collabdict/option"
)

// secret returns a member's source of secrets.
func secret(rank int) rand.Source { return rand.NewPCG(uint64(rank), 17) }

// preparedBy returns the rows that each member prepares.
func preparedBy(t *testing.T, k *Task, own []*mat.Dense) []*prepared {
	t.Helper()
	out := make([]*prepared, len(own))
	columns := []string{"temp", "flow", "level"}
	if k.Window > 0 {
		columns = rows.WindowColumns(columns, k.Window)
	}
	err := network(t, k)(t.Context(), len(own), func(ctx context.Context, g collabdict.Group, s int) (err error) {
		out[s], err = k.prepare(ctx, g, dataset.Participant{Columns: columns, Train: rows.InMemory(own[s])}, secret(s))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Outliers do not affect robust scales. A column whose quartiles coincide is scaled by the
// deviation, and a constant column is not scaled. The scales of all rows are those of a frame.
func TestRobustScales(t *testing.T) {
	var own []*mat.Dense
	for s := range 4 {
		x := algorithmtest.Draw(uint64(s), 200, []float64{100, 0, 7}, []float64{20, 0, 0})
		for i := range 20 {
			x.Set(i, 1, 3)
		}
		x.Set(0, 0, 1e9)
		own = append(own, x)
	}
	for by, c := range map[string]struct{ off, times float64 }{"own": {4, 1.5}, "global": {20, 2}} {
		for s, p := range preparedBy(t, example(t, "normalise=robust", "standardise="+by), own) {
			at := p.scaling
			if math.Abs(at.Shift[0]-100) > c.off || math.Abs(math.Log(at.Scale[0]/20)) > math.Log(c.times) {
				t.Errorf("%s: member %d: median %g and scale %g, want some 100 and 20", by, s, at.Shift[0], at.Scale[0])
			}
			if math.Abs(at.Shift[1]) > c.off/20 || math.Abs(math.Log(at.Scale[1]/0.9)) > math.Log(c.times) {
				t.Errorf("%s: member %d: median %g and scale %g, want some 0 and 0.9", by, s, at.Shift[1], at.Scale[1])
			}
			if at.Scale[2] != 1 || !slices.Equal(p.warnings, []string{"constant in training, so not scaled: level"}) {
				t.Errorf("%s: member %d: scale %g, %q", by, s, at.Scale[2], p.warnings)
			}
		}
	}
}

// After robust scaling, the learner can still make its own sums, even if the quartiles of a column
// coincide.
func TestTrainedOnRobustScales(t *testing.T) {
	var parts []dataset.Participant
	for s := range 3 {
		x := algorithmtest.Draw(uint64(s), 40, []float64{100, 0}, []float64{20, 0})
		x.Set(0, 1, 3)
		parts = append(parts, dataset.Participant{Name: string(rune('a' + s)), Columns: []string{"temp", "flow"}, Train: rows.InMemory(x)})
	}
	for _, options := range [][]string{nil, {"pca=2"}} {
		k := example(t, append(options, "normalise=robust", "standardise=global")...)
		for s, r := range together(t, network(t, k), k, parts) {
			if r.Model == nil || r.Model.Manifest.Normalise != Robust || r.Last.Number == 0 {
				t.Errorf("%v: member %d: %+v", options, s, r.Last)
			}
		}
	}
}

// Quartiles need rows to take them from.
func TestRobustScalesNeedRows(t *testing.T) {
	var got *option.Error
	if _, err := attempt("ggm", "standardise=none", "normalise=robust"); !errors.As(err, &got) || got.Name != "normalise" {
		t.Errorf("got %v, want an error of normalise", err)
	}
}

// A member with a column in another unit gets a warning, wherever a sum reveals the others' scale.
func TestUnitsWarning(t *testing.T) {
	units := []float64{1, 1, 1000, 1}
	var own []*mat.Dense
	for s, unit := range units {
		own = append(own, algorithmtest.Draw(uint64(s), 100, []float64{0, 5 * unit, 1}, []float64{1, 2 * unit, 1}))
	}
	for _, options := range [][]string{{"standardise=global"}, {"standardise=global", "normalise=robust"}} {
		all := preparedBy(t, example(t, options...), own)
		if w := strings.Join(all[2].warnings, "\n"); !strings.HasPrefix(w, "flow: your scale is ") || !strings.Contains(w, " times that of ") || !strings.Contains(w, " together (your deviation ") || !strings.HasSuffix(w, ": is it in the same unit?") {
			t.Errorf("%v: the member with other units got %q", options, w)
		}
		for s, p := range all {
			if w := strings.Join(p.warnings, "\n"); s != 2 && (strings.Contains(w, "temp") || strings.Contains(w, "times")) {
				t.Errorf("%v: member %d got %q", options, s, w)
			}
		}
	}
	for s, p := range preparedBy(t, example(t, "standardise=own"), own) {
		if len(p.warnings) > 0 {
			t.Errorf("without a sum, member %d got %q", s, p.warnings)
		}
	}
}

// Rows of windows are held out in blocks. Agreed ranges apply to means, and half of each to
// deviations.
func TestWindowsOfATask(t *testing.T) {
	k := example(t, "window=3", "hold-out=0.2")
	x := rows.InMemory(algorithmtest.Draw(1, 100, []float64{0}, []float64{1}))
	parts := dataset.Window([]dataset.Participant{{Name: "a", Columns: []string{"x"}, Train: x}}, 3)
	_, _, order, err := k.split(parts[0], nil)
	if err != nil || order.Order != InTime {
		t.Errorf("order %+v, %v", order, err)
	}
	if _, err := attempt("ggm", "window=3", "order=none"); err == nil {
		t.Error("rows without an order were taken")
	}
	for want, options := range map[string][]string{
		"window: each row of the data is part of 3 training rows, and noise hides one of these at a time":             {"epsilon=1", "delta=1e-5", "clip=3", "refine=0", "standardise=none"},
		"min-rows: each row of the data is part of 3 training rows, so anything shown must rest on at least 7, got 5": {},
	} {
		if _, err := attempt("fedgen", append(append(quick["fedgen"], "window=3"), options...)...); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	small(t, "fedgen", "window=3", "min-rows=7")
	if one, other := k.Fields([]string{"x"}), example(t, "window=4").Fields([]string{"x"}); slices.Equal(one, other) {
		t.Error("members with other windows agree")
	}
	s, err := Ranges{"x": {10, 30}}.windowed(parts[0].Columns, 3).scaling(parts[0].Columns)
	if err != nil || !slices.Equal(s.Shift, []float64{10, 10, 0}) || !slices.Equal(s.Scale, []float64{20, 20, 10}) {
		t.Errorf("got %v, %v", s, err)
	}
	r, err := k.Fit(t.Context(), collabdict.Solo{}, parts[0], rand.NewPCG(1, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := r.Model.ScoreRows(x)
	if err != nil {
		t.Fatal(err)
	}
	derived, err := r.Model.ScoreRows(parts[0].Train)
	if err != nil || !slices.Equal(raw[2:], derived[2:]) || slices.Equal(raw[:2], derived[:2]) {
		t.Errorf("scores of the data's rows and of those with windows differ once the windows are full, or before they do not, %v", err)
	}
}
