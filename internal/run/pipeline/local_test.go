package pipeline

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/plants"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/internal/testkit/algorithmtest"
	"github.com/collabdict/collabdict/model"
)

// Beside the shared model, each participant gets a model learned alone from the same rows, and its
// training rows, for distances. Models that can leave rows out are calibrated with all rows.
func TestEachHasALocalPart(t *testing.T) {
	parts, _ := clusters(3)
	for kind, calibrated := range map[string]int{"ggm": 60, "mtvae": 12, "bvae": 12} {
		k := small(t, kind, "hold-out=0.2", "standardise=own", "normalise=standard")
		for s, r := range together(t, network(t, k), k, parts) {
			m := r.Model
			if m.Local == nil || m.Local.Alone == nil || m.Manifest.Rows != 48 || m.Manifest.HeldOut.Rows != 12 {
				t.Fatalf("%s: participant %d: %+v", kind, s, m.Manifest)
			}
			alone, err := k.Fit(t.Context(), collabdict.Solo{}, parts[s], nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(m.Local.Alone.Arrays(), alone.Model.Learned.Arrays()) {
				t.Errorf("%s: participant %d has another model alone", kind, s)
			}
			if n, _ := m.Local.Nearest.Rows().Dims(); n != 48 {
				t.Errorf("%s: participant %d keeps %d rows", kind, s, n)
			}
			for _, c := range m.Local.Calibrations {
				if len(m.Local.Calibrations) != 3 || c.Len() != calibrated {
					t.Errorf("%s: participant %d: %d calibrations, one by %d rows", kind, s, len(m.Local.Calibrations), c.Len())
				}
			}
			h := m.Manifest.HeldOut
			if v := h.Verdict; v == nil || v.By != report.ByExchanged || v.Rows != 12 || !v.Together.Defined || !(v.Error.Value > 0) {
				t.Errorf("%s: participant %d: verdict %+v", kind, s, v)
			}
			if !h.Alone.Defined || !h.Together.Defined || !(h.Error.Value > 0) || h.Promised < k.FalseAlarm || h.Promised != math.Max(k.FalseAlarm, 1/float64(calibrated+1)) || !h.Measured.Defined {
				t.Errorf("%s: participant %d: %+v", kind, s, h)
			}
			for _, by := range []string{model.Shared, model.Alone, model.Blend} {
				if err := m.With(by); err != nil || math.IsNaN(m.Threshold()) || math.IsInf(m.Threshold(), 0) {
					t.Errorf("%s: by %s: threshold %g, %v", kind, by, m.Threshold(), err)
				}
			}
			if a := alone.Model; a.Local == nil || a.Local.Alone != nil || len(a.Local.Calibrations) != 2 || a.Manifest.HeldOut.Alone.Applies {
				t.Errorf("%s: a model learned alone has %+v", kind, a.Local)
			}
		}
	}
}

// Models are compared by their mean log-likelihoods of the held-out rows.
func TestTogetherOrAlone(t *testing.T) {
	parts, _ := clusters(3)
	k := small(t, "ggm", "hold-out=0.2", "standardise=none")
	r := together(t, network(t, k), k, parts)[0]
	_, held, _, err := k.split(parts[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	held = r.Model.Rows(held)
	shared, err := r.Model.Scorer().MeanLogLik(held)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := r.Model.Local.Alone.MeanLogLik(held)
	if err != nil {
		t.Fatal(err)
	}
	if h := r.Model.Manifest.HeldOut; math.Abs(h.Together.Value-shared) > 1e-12 || math.Abs(h.Alone.Value-alone) > 1e-12 {
		t.Errorf("alone %g, together %g, want %g and %g", h.Alone.Value, h.Together.Value, alone, shared)
	}
}

// The paper's form of ggm holds no rows out and has no local part.
func TestThePapersFormHoldsNothingOut(t *testing.T) {
	parts, _ := clusters(3)
	k := made(t, "ggm", "components=2", "rounds=3", "rho=1")
	r := together(t, network(t, k), k, parts)[0]
	if m := r.Model; m.Local != nil || m.Manifest.HeldOut != nil || m.Manifest.Rows != 60 || k.HoldOut != 0 {
		t.Errorf("%+v", m.Manifest)
	}
}

// A participant whose own rows are too few for a model gets a warning, and no model of its own.
func TestTooFewRowsForAModelAlone(t *testing.T) {
	parts, _ := clusters(3)
	parts[0].Train = rows.InMemory(algorithmtest.Draw(5, 20, []float64{0, 0}, []float64{1, 2}))
	k := small(t, "ggm", "hold-out=0.2", "standardise=none", "components=17")
	r := together(t, network(t, k), k, parts)[0]
	if l := r.Model.Local; l == nil || l.Alone != nil || len(l.Calibrations) != 2 || r.Model.Manifest.HeldOut.Alone.Applies {
		t.Errorf("%+v", l)
	}
	if !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "no model of your own rows alone") }) {
		t.Errorf("warnings %q", r.Warnings)
	}
}

// If rows are too few to hold any out, each is scored by the model fitted without it. Fresh rows
// then exceed the threshold no more often than promised.
func TestTooFewRowsToHoldOut(t *testing.T) {
	testkit.SkipRaced(t)
	const seeds, n, fresh = 40, 16, 200
	above := 0
	for seed := range uint64(seeds) {
		k := small(t, "ggm", "hold-out=0.2", "standardise=none", "components=6")
		p := dataset.Participant{Name: "p", Columns: []string{"x", "y"}, Train: rows.InMemory(algorithmtest.Draw(seed+1, n, []float64{0, 0}, []float64{1, 2}))}
		r, err := k.Fit(t.Context(), collabdict.Solo{}, p, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if h := r.Model.Manifest.HeldOut; h.Rows != 0 || h.Promised != 1./(n+1) || h.Measured.Applies || r.Model.Manifest.Rows != n {
			t.Fatalf("%+v", h)
		}
		for _, s := range score(t, r.Model, algorithmtest.Draw(1000+seed, fresh, []float64{0, 0}, []float64{1, 2})) {
			if s > r.Model.Threshold() {
				above++
			}
		}
	}
	want := 1. / (n + 1)
	if share := float64(above) / (seeds * fresh); share > want+3*math.Sqrt(want*(1-want)/n/seeds) {
		t.Errorf("a share of %.4f of normal rows is above the threshold, promised is %.4f", share, want)
	}
}

// Training rows that are left out in closed form score like fresh rows.
func TestLeftOutRowsAreLikeFreshOnes(t *testing.T) {
	testkit.SkipRaced(t)
	const seeds, n = 40, 60
	var in, out, fresh float64
	for seed := range uint64(seeds) {
		k := small(t, "ggm", "hold-out=0", "standardise=none", "components=4")
		x := rows.InMemory(algorithmtest.Draw(seed+1, n, []float64{0, 0}, []float64{1, 2}))
		o, err := k.Algorithm.Learn(t.Context(), collabdict.Solo{}, algorithm.Data{Name: "p", Rows: x, Seed: seed}, func(algorithm.Progress) {})
		if err != nil {
			t.Fatal(err)
		}
		s := o.Model.(algorithm.Scorer)
		left := make([]float64, n)
		if err := o.LeftOut(x, func(from int, scores []float64) { copy(left[from:], scores) }); err != nil {
			t.Fatal(err)
		}
		known, err := local.Scores(s, x)
		if err != nil {
			t.Fatal(err)
		}
		other, err := local.Scores(s, rows.InMemory(algorithmtest.Draw(1000+seed, n, []float64{0, 0}, []float64{1, 2})))
		if err != nil {
			t.Fatal(err)
		}
		in, out, fresh = in+mean(known)/seeds, out+mean(left)/seeds, fresh+mean(other)/seeds
	}
	if gap := fresh - in; !(gap > 0.05) || math.Abs(fresh-out) > gap/3 {
		t.Errorf("mean surprise %.3f of rows trained on, %.3f of the same left out, %.3f of fresh ones", in, out, fresh)
	}
}

// An interrupt after the last round loses nothing of the shared model.
func TestInterruptsLoseNoModel(t *testing.T) {
	parts, _ := clusters(3)
	k := small(t, "ggm", "hold-out=0.2", "standardise=none")
	x := algorithmtest.Draw(5, 60, []float64{0, 0}, []float64{1, 2})
	parts[0].Train = rows.InMemory(x)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	g := &algorithmtest.Failing{Left: 1 << 30} // a group of one that is not known to be alone
	r, err := k.Fit(ctx, g, parts[0], nil, func(p algorithm.Progress) {
		if p.Number == 5 {
			cancel()
		}
	})
	if r.Model == nil || r.Model.Local == nil || r.Last.Number != 5 {
		t.Fatalf("%+v, %v", r.Last, err)
	}
	if got := len(score(t, r.Model, x)); got != 60 {
		t.Errorf("%d scores", got)
	}
}

// Over many participants, fresh rows exceed the threshold no more often than promised.
func TestThresholdKeepsItsPromise(t *testing.T) {
	testkit.SkipRaced(t)
	const seeds, fresh, promise = 60, 200, 0.1
	above, total := map[string]int{}, 0
	for seed := range uint64(seeds) {
		k := small(t, "ggm", "hold-out=0.2", "standardise=none", "false-alarm=0.1", "order=none")
		p := dataset.Participant{Name: "p", Columns: []string{"x", "y"}, Train: rows.InMemory(algorithmtest.Draw(seed+1, 60, []float64{0, 0}, []float64{1, 2}))}
		r, err := k.Fit(t.Context(), collabdict.Solo{}, p, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, by := range []string{model.Shared, model.Blend} {
			if err := r.Model.With(by); err != nil {
				t.Fatal(err)
			}
			for _, s := range score(t, r.Model, algorithmtest.Draw(1000+seed, fresh, []float64{0, 0}, []float64{1, 2})) {
				if s > r.Model.Threshold() {
					above[by]++
				}
			}
		}
		total += fresh
	}
	// The share above a threshold from n rows has a Beta distribution. Its deviation is that of a
	// share among n rows.
	limit := promise + 3*math.Sqrt(promise*(1-promise)/12/seeds)
	for by, n := range above {
		if share := float64(n) / float64(total); share > limit || share < promise/4 {
			t.Errorf("by %s: a share of %.4f of normal rows is above the threshold, promised is %g (limit %.4f)", by, share, promise, limit)
		}
	}
}

// exceeding returns the share of held-out rows that exceed the threshold of all other rows.
func TestExceedingIsItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		n := 2 + rng.IntN(40)
		held := 1 + rng.IntN(n-1)
		share := []float64{0.01, 0.05, 0.1, 0.3}[rng.IntN(4)]
		scores := make([]float64, n)
		for i := range scores {
			scores[i] = float64(rng.IntN(30))
		}
		by := func(others []float64) float64 {
			if held > 1 {
				l, _ := local.HeldLimit(others, held-1, share)
				return l
			}
			l, _ := local.Limit(others, share)
			return l
		}
		above := 0
		for i := n - held; i < n; i++ {
			if scores[i] > by(slices.Delete(slices.Clone(scores), i, i+1)) {
				above++
			}
		}
		if got, want := exceeding(scores, held, share), float64(above)/float64(held); got != want {
			t.Fatalf("%d rows, %d held out, share %g: %g, want %g", n, held, share, got, want)
		}
	}
}

// A copy of a row has one value of another row.
func TestExchange(t *testing.T) {
	held := mat.NewDense(3, 4, []float64{1, 2, 3, 4, 5, 6, 7, 8, math.NaN(), math.NaN(), math.NaN(), 9})
	trained := mat.NewDense(2, 4, []float64{1, 20, 30, 40, 1, 22, math.NaN(), 44})
	x := Exchanged(held, []int{0, 2}, trained, rand.New(rand.NewPCG(1, 1)))
	for i := range 2 * Copies {
		var changed []int
		for j, v := range x.RawRowView(i) {
			if was := held.At(i/Copies*2, j); v != was && !(math.IsNaN(v) && math.IsNaN(was)) {
				changed = append(changed, j)
				if !slices.Contains(mat.Col(nil, j, trained), v) {
					t.Errorf("row %d, column %d: %g is in no other row", i, j, v)
				}
			}
		}
		if len(changed) > 1 || i < Copies && len(changed) == 0 {
			t.Errorf("row %d: columns %d have other values", i, changed)
		}
	}
}

// Labelled faults judge in place of exchanged values, if there are enough of them.
func TestFaultsJudge(t *testing.T) {
	parts := plants.Generate(plants.Spec{Participants: 3, Rows: 60, Columns: 4, Patterns: 2, TestRows: 300}, 1)
	k := small(t, "ggm", "hold-out=0.2")
	m := together(t, network(t, k), k, parts)[0].Model
	for want, labels := range map[string][]float64{report.ByFaults: parts[0].TestLabels, report.ByExchanged: make([]float64, 300)} {
		p := parts[0]
		p.TestLabels = labels
		of := *m
		held := *m.Manifest.HeldOut
		of.Manifest.HeldOut = &held
		got, err := Figures(&of, p)
		if err != nil {
			t.Fatal(err)
		}
		if v := got.Verdict(); v.By != want || v.Better != of.Manifest.HeldOut.Verdict.Better || v.FoundTogether > v.Rows || want == report.ByFaults && math.Abs(v.Together.Value-got.ROCAUC.Value) > 1e-12 {
			t.Errorf("%+v, want one by %s", v, want)
		}
	}
}

func TestCompare(t *testing.T) {
	alone := []float64{3, 4, 3, 4, 3, 4, 3, 4}
	for want, c := range map[string]struct {
		together []float64
		inTime   bool
	}{
		report.ByTogether: {[]float64{2, 3.1, 2, 3.1, 2, 3.1, 2, 3.1}, false},
		report.ByAlone:    {[]float64{4, 4.9, 4, 4.9, 4, 4.9, 4, 4.9}, true},
		"":                {[]float64{2, 5.1, 2, 5.1, 2, 5.1, 2, 5}, false},
	} {
		h := &report.HeldOut{}
		compare(h, alone, c.together, c.inTime)
		if h.Likelier != want || h.Alone.Value != -3.5 {
			t.Errorf("got %+v, want %q", h, want)
		}
	}
	// In time order, a gain within one of four blocks counts once, whatever the number of its rows.
	together := []float64{-20, -20, 3, 4, 3, 4, 3, 4}
	h := &report.HeldOut{}
	compare(h, alone, together, true)
	if want := math.Sqrt((math.Pow(23.5*0.75, 2) + 3*math.Pow(23.5*0.25, 2)) / 3 / 4); h.Likelier != "" || math.Abs(h.Error.Value-want) > 1e-12 {
		t.Errorf("got %+v, want an error of %g", h, want)
	}
	infinite := &report.HeldOut{}
	compare(infinite, []float64{1, math.Inf(1)}, []float64{1, 1}, false)
	if infinite.Likelier != "" || infinite.Alone.Defined {
		t.Errorf("got %+v", infinite)
	}
}

// Rows in time order are held out in blocks, and the others train.
func TestSplit(t *testing.T) {
	x := mat.NewDense(100, 1, nil)
	for i := range 100 {
		x.Set(i, 0, float64(i))
	}
	k := small(t, "ggm", "hold-out=0.2")
	rest, held, order, err := k.split(dataset.Participant{Name: "p", Columns: []string{"x"}, Train: rows.InMemory(x)}, nil)
	if err != nil || order.Order != InTime {
		t.Fatalf("order %v, %v", order, err)
	}
	got, err := rows.Dense(held)
	if err != nil {
		t.Fatal(err)
	}
	var want []float64
	for b := range 4 {
		for i := 20; i < 25; i++ {
			want = append(want, float64(25*b+i))
		}
	}
	if n, _ := rest.Train.Dims(); n != 80 || !slices.Equal(got.RawMatrix().Data, want) {
		t.Errorf("%d rows stay, held out are %v", n, got.RawMatrix().Data)
	}
}
