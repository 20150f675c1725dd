package pipeline

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/testkit/algorithmtest"
	"github.com/collabdict/collabdict/internal/testkit/lockstep"
	"github.com/collabdict/collabdict/netsim"
)

// series returns participants with rows in the given number of columns. Those of the first inOrder are
// in the order of time.
func series(inOrder, all, columns int) (parts []dataset.Participant) {
	for s := range all {
		random := rand.New(rand.NewPCG(uint64(s), 5))
		x := mat.NewDense(80, columns, nil)
		for j := range columns {
			v := 0.0
			for i := range 80 {
				if v = random.NormFloat64() + 0.98*v; s >= inOrder {
					v = random.NormFloat64()
				}
				x.Set(i, j, v)
			}
		}
		p := dataset.Participant{Name: netsim.Names(all)[s], Train: rows.InMemory(x), Begins: []int{0, 30}}
		for j := range columns {
			p.Columns = append(p.Columns, fmt.Sprintf("c%d", j))
		}
		parts = append(parts, p)
	}
	return parts
}

// Members settle on a window if more than half of them have rows in time order. The models are then
// those of a given window, and otherwise those without one. Their diversity counts rows of the data.
func TestWindowIsFound(t *testing.T) {
	for _, c := range []struct {
		kind              string
		inOrder, all, own int
		options           []string
		want              int
	}{
		{"ggm", 3, 3, 2, nil, foundWindow},
		{"ggm", 3, 5, 2, nil, foundWindow},
		{"ggm", 2, 4, 2, nil, 0},
		{"ggm", 0, 3, 2, nil, 0},
		{"ggm", 3, 3, 2, []string{"hold-out=0.2"}, foundWindow},
		{"ggm", 0, 3, 2, []string{"hold-out=0.2"}, 0},
		{"ggm", 3, 3, 2, []string{"order=none"}, 0},
		{"ggm", 0, 3, 2, []string{"order=time"}, 0},
		{"ggm", 3, 3, 2, []string{"standardise=global", "pca=2"}, foundWindow},
		{"ggm", 3, 3, mostWindowed + 1, []string{"rounds=1"}, 0},
		{"dem", 3, 3, 2, nil, foundWindow},
		{"dem", 0, 3, 2, nil, 0},
		{"mtvae", 3, 3, 2, []string{"rounds=1"}, foundWindow},
	} {
		name := fmt.Sprintf("%s %v, %d of %d", c.kind, c.options, c.inOrder, c.all)
		parts := series(c.inOrder, c.all, c.own)
		k := small(t, c.kind, append(c.options, "window=auto")...)
		found := together(t, lockstep.Run, k, parts)
		given := c.options
		if c.want > 0 {
			given = append(given, fmt.Sprintf("window=%d", c.want))
		}
		want := together(t, lockstep.Run, small(t, c.kind, given...), dataset.Window(parts, c.want))
		for i, r := range found {
			m, w := r.Model.Manifest, want[i].Model.Manifest
			if m.Window != c.want || !slices.Equal(m.Columns, rows.WindowColumns(parts[0].Columns, c.want)) {
				t.Errorf("%s: a window of %d, columns %v", name, m.Window, m.Columns)
			}
			if m.Privacy.LeastDiversity != w.Privacy.LeastDiversity || !reflect.DeepEqual(r.Model.Scaling, want[i].Model.Scaling) {
				t.Errorf("%s: diversity %v, scaling %v, want %v and %v", name, m.Privacy.LeastDiversity, r.Model.Scaling, w.Privacy.LeastDiversity, want[i].Model.Scaling)
			}
			if k, parts := k.Windowed(m.Window, parts); k.Window != c.want || !slices.Equal(parts[i].Columns, m.Columns) {
				t.Errorf("%s: a task with a window of %d, columns %v", name, k.Window, parts[i].Columns)
			}
		}
	}
}

// Rows gain by a window if neighbours explain each other in half of the columns. A column that drifts
// is not enough, and constant ones do not count.
func TestRowsThatGain(t *testing.T) {
	drift := func(values ...float64) (p dataset.Participant) { // of the columns, by their dependence on the row before
		random := rand.New(rand.NewPCG(3, 5))
		x := mat.NewDense(400, len(values), nil)
		for j, of := range values {
			v := 0.0
			for i := range 400 {
				if v = of*v + random.NormFloat64(); of > 1 {
					v = of
				}
				x.Set(i, j, v)
			}
		}
		p.Train = rows.InMemory(x)
		return p
	}
	for _, c := range []struct {
		columns []float64
		want    bool
	}{
		{[]float64{0.95}, true},
		{[]float64{0.5}, false},
		{[]float64{0}, false},
		{[]float64{0.95, 0}, true},
		{[]float64{0.95, 0, 0}, false},
		{[]float64{0.95, 2, 2}, true},
		{[]float64{2, 2}, false},
	} {
		if got, err := example(t, "window=auto").gains(drift(c.columns...)); err != nil || got != c.want {
			t.Errorf("%v: got %t, %v", c.columns, got, err)
		}
	}
}

// A member that is alone settles by its own rows.
func TestWindowIsFoundAlone(t *testing.T) {
	for inOrder, want := range []int{0, foundWindow} {
		r, err := example(t, "window=auto").Fit(t.Context(), collabdict.Solo{}, series(inOrder, 1, 2)[0], nil, nil)
		if err != nil || r.Model.Manifest.Window != want {
			t.Errorf("%d members in order: %v, a window of %d, want %d", inOrder, err, r.Model.Manifest.Window, want)
		}
	}
}

// A found window is counted where a given one is: for what is shown, and with noise.
func TestFoundWindowIsRefused(t *testing.T) {
	for want, with := range map[string][]string{
		"min-rows":         {"fedgen", "refine=2", "min-rows=23"},
		"window":           {"fedgen", "refine=0", "epsilon=5", "delta=1e-5", "clip=25", "missing=skip"},
		"window: is found": {"dem", "start=shared-rows"},
	} {
		want, _, _ = strings.Cut(want, ":")
		options := append(append(quick[with[0]][:len(quick[with[0]]):len(quick[with[0]])], with[1:]...), "window=auto")
		if _, err := attempt(with[0], options...); algorithmtest.Fault(err) != want {
			t.Errorf("%v: got %v, want an error of %s", with, err, want)
		}
	}
	k := small(t, "fedgen", "min-rows=24", "window=auto")
	if got := k.Coordinates().RowsEach; got != foundWindow {
		t.Errorf("a row of the data counts as part of %d training rows, want %d", got, foundWindow)
	}
	if !slices.Contains(k.Inventory(collabdict.Solo{}), OrderItem) || slices.Contains(small(t, "fedgen").Inventory(collabdict.Solo{}), OrderItem) {
		t.Error("want the count in the inventory, if there is one")
	}
}

// A member whose windows nearly all hold a known anomaly does not ask for a window, and has too few
// rows if the others do.
func TestWindowsOfKnownAnomaliesAreCounted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.csv")
	text := "x,y,fault\n"
	x, err := rows.Dense(series(1, 1, 2)[0].Train)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 80 {
		fault := 0
		if i%10 == 2 {
			fault = 1
		}
		text += fmt.Sprintf("%g,%g,%d\n", x.At(i, 0), x.At(i, 1), fault)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := dataset.LoadOne(dataset.Spec{Data: []string{path}, Name: "p", Label: "fault", Anomalies: true, Normal: true, Window: FindWindow})
	if err != nil {
		t.Fatal(err)
	}
	p := d.Participants[0]
	p.Columns = []string{"c0", "c1"}
	k := example(t, "window=auto")
	if r, err := k.Fit(t.Context(), collabdict.Solo{}, p, nil, nil); err != nil || r.Model.Manifest.Window != 0 {
		t.Errorf("alone: %v", err)
	}
	parts := append(series(2, 2, 2), p)
	faults := make([]error, len(parts))
	err = lockstep.Run(t.Context(), len(parts), func(ctx context.Context, g collabdict.Group, s int) error {
		_, faults[s] = k.Fit(ctx, g, parts[s], rand.NewPCG(7, uint64(s)), nil)
		return faults[s]
	})
	if err == nil || faults[2] == nil {
		t.Errorf("together: got %v, want an error of the member without rows", err)
	}
}
