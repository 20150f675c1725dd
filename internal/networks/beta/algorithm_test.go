package beta

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/networks"
	"github.com/collabdict/collabdict/internal/testkit/algorithmtest"
)

var (
	quick   = []string{"rounds=6", "latent=2", "hidden=6,4", "batch=20", "rate=0.01", "epochs=3"}
	latent  = []string{"weights=latent", "effect=0.3", "offset=0.01", "weigh-every=2", "publish-weights=true", "debias=true"}
	adapted = []string{"condition=cgau"}
)

func with(options ...string) []string { return append(slices.Clone(quick), options...) }

// unevenly leaves the first participant a third of its rows, whose values are from 0 to 1.
func unevenly() (all []algorithm.Data, rows []*mat.Dense) {
	for s := range 3 {
		x := algorithmtest.Draw(uint64(s), 60, []float64{0.3, 0.5}, []float64{0.04, 0.05})
		for i := range 15 * (s + 1) {
			x.Set(i, 0, x.At(i, 0)+0.4)
		}
		if s == 0 {
			x = mat.DenseCopyOf(x.Slice(0, 20, 0, 2))
		}
		all, rows = append(all, algorithmtest.Of(s, x)), append(rows, x)
	}
	return all, rows
}

func TestOptions(t *testing.T) {
	algorithmtest.Options(t, Kind, "rounds=25 latent=8 hidden=64 batch=64 rate=0.001 beta=0.01 epochs=10 condition= weights=fedavg publish-weights=false", map[string]string{
		"rounds 0":                        "rounds=0",
		"latent 0":                        "latent=0",
		"hidden 3,0":                      "hidden=3,0",
		"batch 0":                         "batch=0",
		"rate 2":                          "rate=2",
		"beta 0":                          "beta=0",
		"beta Inf":                        "beta=+Inf",
		"epochs 0":                        "epochs=0",
		"condition relu":                  "condition=relu",
		"weights rows":                    "weights=rows",
		"effect 1":                        "effect",
		"offset 0":                        "offset",
		"classes 3":                       "classes",
		"weights feddisco, debias true":   "debias",
		"weights feddisco, weigh-every 3": "weigh-every",
		"weights latent, classes 3":       "classes",
		"weights feddisco, classes 1":     "classes=1",
		"weights latent, effect -1":       "effect=-1",
		"weights latent, offset much":     "offset=much",
		"weights latent, offset Inf":      "offset=Inf",
		"weights latent, weigh-every 0":   "weigh-every=0",
		"condition cgau, hidden ":         "hidden",
		"local-steps 3":                   "local-steps",
	})
	for by, want := range map[string]string{
		"feddisco": "weights=feddisco effect=0.5 offset=0.1 publish-weights=false classes=0",
		"latent":   "weights=latent effect=0.1 offset=auto debias=false weigh-every=5 publish-weights=false",
	} {
		var list []string
		for _, f := range algorithmtest.Table(t, Kind, "weights="+by).Fields()[8:] {
			list = append(list, f.Name+"="+f.Value)
		}
		if got := strings.Join(list, " "); got != want {
			t.Errorf("%s: got %s, want %s", by, got, want)
		}
	}
}

func TestTraitsAndDisclosure(t *testing.T) {
	for _, condition := range []string{"", "cgau"} {
		s := algorithmtest.New(t, Kind, with("condition="+condition)...).(*Settings)
		if got, want := s.Traits().Values(5), len(NewModel(s.config(5, 1)).Parameters().Values); got != want {
			t.Errorf("%q: %d weights, want %d", condition, got, want)
		}
		said := algorithmtest.Shown(s.Disclosure(algorithm.Coordinates{}), algorithm.Inferred)
		if told := strings.Contains(said, "the mean of all members' conditions"); told != (condition != "") {
			t.Errorf("%q: got %q", condition, said)
		}
	}
	for _, test := range []struct {
		options       []string
		classes       bool
		learned, show string
	}{
		{nil, false, "for how many members the largest change of each matrix, and the loss, times the weight lie between which powers of two; how many members have the number of rows between which powers of two", ""},
		{[]string{"publish-weights=true"}, false, "powers of two", "its weight, which is its share of the rows"},
		{[]string{"weights=feddisco"}, true, "for each class, how many members have no higher one", ""},
		{[]string{"weights=feddisco", "classes=3", "offset=auto"}, true, "how many members need how large an offset", ""},
		{latent, false, "and the discrepancy of the data", "its weight, and how much its data differ from the others'"},
	} {
		a := algorithmtest.New(t, Kind, with(test.options...)...)
		of, d := a.Traits(), a.Disclosure(algorithm.Coordinates{})
		if !of.UnitRange || !of.HoldsRows || of.Rounds != 6 || (of.Classes != nil) != test.classes || of.Classes != nil && of.Classes.Learned {
			t.Errorf("%q: got %+v", test.options, of)
		}
		if got := algorithmtest.Shown(d, algorithm.Summed); !strings.Contains(got, test.learned) || algorithmtest.Shown(d, algorithm.Published) != test.show {
			t.Errorf("%q: got %+v", test.options, d)
		}
	}
}

func shared(r *algorithmtest.Result) []float32 {
	if c, ok := r.Model.(Conditioned); ok {
		return c.Parameters().Values
	}
	return r.Model.(Trained).Parameters().Values
}

// All members hold the same model, bit for bit, and a run with the same secrets gives it again.
// Each member knows its own weight, and those of all members if they are published.
func TestAlgorithmTogether(t *testing.T) {
	all, rows := unevenly()
	for name, options := range map[string][]string{"fedavg": nil, "latent": latent} {
		a := algorithmtest.New(t, Kind, with(options...)...)
		results, again := algorithmtest.Run(t, a, all), algorithmtest.Run(t, a, all)
		total := 0.0
		for s, r := range results {
			if !slices.Equal(shared(r), shared(results[0])) || !slices.Equal(shared(r), shared(again[s])) {
				t.Errorf("%s: participant %d has another model", name, s)
			}
			own := r.History[len(r.History)-1].Weighting
			if own == nil || own.Measured != (name == "latent") || r.History[0].Weighting.Measured || r.TotalRows != 140 || r.Last.Number != 6 || r.Used != nil {
				t.Fatalf("%s: participant %d: %+v, %+v", name, s, own, r.Outcome)
			}
			total += own.Weight
			if n, _ := rows[s].Dims(); name == "fedavg" && math.Abs(own.Weight-float64(n)/140) > 1e-8 {
				t.Errorf("participant %d has weight %g of %d rows", s, own.Weight, n)
			}
			if !(r.Last.Objective > r.History[0].Objective) || r.History[0].Loss != -r.History[0].Objective {
				t.Errorf("%s: history %+v", name, r.History)
			}
			if len(r.Weightings) != 0 != (name == "latent") {
				t.Fatalf("%s: participant %d knows the weights of %d", name, s, len(r.Weightings))
			}
			for of, shown := range r.Weightings {
				if h := results[of].History; *shown != *h[len(h)-1].Weighting {
					t.Errorf("participant %d sees %+v for participant %d, which has %+v", s, shown, of, h[len(h)-1].Weighting)
				}
			}
		}
		if !(total > 1-1e-6 && total < 1+1e-6) {
			t.Errorf("%s: weights add up to %g", name, total)
		}
	}
}

// A participant gets a warning if the rounds end before encoded rows count for weights.
func TestNeverWeighted(t *testing.T) {
	all, _ := unevenly()
	for every, want := range map[string]bool{"1": false, "2": true} {
		for _, r := range algorithmtest.Run(t, algorithmtest.New(t, Kind, with(append(latent, "rounds=2", "weigh-every="+every)...)...), all) {
			if got := strings.Contains(strings.Join(r.Warnings, ""), "all 2 rounds weighted members by rows alone"); got != want {
				t.Errorf("after every %s rounds: got %q", every, r.Warnings)
			}
		}
	}
}

// If the rule gives no member a weight, every member's outcome reports weights by rows, for itself
// and in the list of all weights.
func TestWeightsByRowsAreReported(t *testing.T) {
	all, _ := unevenly()
	for s, r := range algorithmtest.Run(t, algorithmtest.New(t, Kind, with(append(latent, "beta=100", "offset=-9")...)...), all) {
		for of, w := range r.Weightings {
			if !w.ByRows || !(w.Weight > 0) {
				t.Errorf("participant %d sees %+v for participant %d", s, *w, of)
			}
		}
		said := strings.Join(r.Warnings, "; ")
		if !strings.Contains(said, "weights: --effect 0.3 and --offset -9 would give every member weight 0, so each has its share of the rows") || !strings.Contains(said, "posterior collapse") {
			t.Errorf("got %q", said)
		}
	}
	for s, r := range algorithmtest.Run(t, algorithmtest.New(t, Kind, with(append(latent, "effect=1000", "offset=auto")...)...), all) {
		if own := r.History[5].Weighting; own.ByRows || !(own.Weight > 0) {
			t.Errorf("participant %d is weighted %+v with an automatic offset", s, own)
		}
	}
}

// Labels determine the weights of members as in Ye et al. 2023, whether the number of classes
// is given or agreed on.
func TestWeightsByLabels(t *testing.T) {
	all, rows := unevenly()
	for s, classes := range [][]int{{0}, {0, 1, 2, 3}, {1, 3}} {
		n, _ := rows[s].Dims()
		for i := range n {
			all[s].Classes = append(all[s].Classes, classes[i%len(classes)])
		}
	}
	d := []float64{math.Log(4), 0, math.Log(2)}
	share := []float64{20. / 140, 60. / 140, 60. / 140}
	var raw []float64
	total := 0.0
	for s := range all {
		raw = append(raw, max(0, share[s]-0.5*d[s]/(d[0]+d[1]+d[2])+0.1))
		total += raw[s]
	}
	for _, classes := range []string{"0", "4"} {
		a := algorithmtest.New(t, Kind, with("rounds=1", "weights=feddisco", "classes="+classes)...)
		for s, r := range algorithmtest.Run(t, a, all) {
			own := r.History[0].Weighting
			if math.Abs(own.Weight-raw[s]/total) > 1e-9 || math.Abs(own.Discrepancy-d[s]) > 1e-9 || !own.Measured {
				t.Errorf("participant %d of %s classes: got %+v, want weight %g and discrepancy %g", s, classes, own, raw[s]/total, d[s])
			}
			if warned := strings.Contains(strings.Join(r.Warnings, "; "), "this participant has weight 0, so its rows change nothing"); warned != (raw[s] == 0) {
				t.Errorf("participant %d: got %q", s, r.Warnings)
			}
			if classes == "0" && r.Used["classes"] != 4 {
				t.Errorf("participant %d: used %v", s, r.Used)
			}
		}
	}
	a := algorithmtest.New(t, Kind, with("weights=feddisco", "classes=2")...)
	if _, err := a.Learn(t.Context(), collabdict.Solo{}, all[1], nil); err == nil || !strings.Contains(err.Error(), "p1: label of row 3: want a class from 0 to 1, as agreed, got 2") {
		t.Errorf("got %v", err)
	}
}

// A sum that fails leaves the model of the round before it.
func TestFailedSumsLeaveTheModel(t *testing.T) {
	all, rows := unevenly()
	for _, options := range [][]string{nil, adapted} {
		two, more := algorithmtest.New(t, Kind, with(append(options, "rounds=2")...)...), algorithmtest.New(t, Kind, with(append(options, "rounds=5")...)...)
		algorithmtest.FailsLate(t, two, more, all[0], 3+2*2) // bounds, rows and weights first
	}
	rows[0].Set(0, 0, 1.5)
	if w := strings.Join(algorithmtest.Alone(t, algorithmtest.New(t, Kind, quick...), all[0]).Warnings, "; "); !strings.Contains(w, "1 of the 40 own values are outside of 0 to 1 in the units of training, which the decoder cannot output") {
		t.Errorf("got %q", w)
	}
}

// With conditions, all members hold the same weights and biases, and each its own conditions.
// The vectors that leave a member have no place for conditions.
func TestAlgorithmSendsNoConditions(t *testing.T) {
	all, _ := unevenly()
	results := algorithmtest.Run(t, algorithmtest.New(t, Kind, with(append(adapted, "rounds=2")...)...), all)
	first := results[0].Model.(Conditioned)
	round := []int{64 * (len(first.Parameters().Shapes) + 1), len(first.Shared()) + 2}
	want := slices.Concat([]int{2 * 64, 1, 1}, round, round) // bounds of rows and discrepancies, rows, weights
	for s, r := range results {
		own := r.Model.(Conditioned)
		if !slices.Equal(r.Sums, want) || r.Gathers != 0 {
			t.Errorf("member %d sends vectors of %v values, want %v", s, r.Sums, want)
		}
		if !slices.Equal(own.Shared(), first.Shared()) || len(own.Own()) != 2*2*(6+4) {
			t.Errorf("member %d has other weights, or %d conditions", s, len(own.Own()))
		}
		if s > 0 && slices.Equal(own.Own(), first.Own()) {
			t.Errorf("member %d has the conditions of another", s)
		}
	}
}

// A participant that has not trained does better with conditions fitted to its rows; the shared
// parameters stay.
func TestAlgorithmAdapts(t *testing.T) {
	all, _ := unevenly()
	m := algorithmtest.Run(t, algorithmtest.New(t, Kind, with(adapted...)...), all[:2])[0].Model.(Conditioned)
	weights := slices.Clone(m.Shared())
	loglik := func() float64 {
		t.Helper()
		v, err := m.MeanLogLik(all[2].Rows)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if rows, warnings, err := m.Adapt(t.Context(), all[2], 50); err != nil || rows != 60 || warnings != nil {
		t.Fatalf("%d rows, %q, %v", rows, warnings, err)
	}
	fitted := loglik()
	clear(m.Own())
	if zero := loglik(); !(fitted > zero) {
		t.Errorf("mean log-likelihood %.3f fitted, %.3f at 0", fitted, zero)
	}
	if !slices.Equal(m.Shared(), weights) {
		t.Error("weights have changed")
	}
	far := all[2]
	far.Rows = networks.Rows(algorithmtest.Draw(1, 5, []float64{3, 3}, []float64{1, 1}))
	if _, warnings, err := m.Adapt(t.Context(), far, 1); err != nil || !strings.Contains(strings.Join(warnings, ""), "of the 10 own values are outside of 0 to 1") {
		t.Errorf("got %q, %v", warnings, err)
	}
}

func TestLoad(t *testing.T) {
	all, rows := unevenly()
	for _, options := range [][]string{nil, latent, adapted, {"hidden="}} {
		a := algorithmtest.New(t, Kind, with(options...)...)
		m := algorithmtest.Run(t, a, all)[0].Model
		if !slices.Equal(algorithmtest.Scores(t, algorithmtest.LoadedWhole(t, a, m), algorithmtest.Matrix(rows[1])), algorithmtest.Scores(t, m, algorithmtest.Matrix(rows[1]))) {
			t.Errorf("%q: scores are others", options)
		}
	}
	m := algorithmtest.Alone(t, algorithmtest.New(t, Kind, quick...), all[0]).Model
	algorithmtest.Refuses(t, Kind, m, map[string]func(algorithm.Algorithm, algorithmtest.Arrays){
		"encoder.1.weight: want shape [6 50000], got [6 4]":              func(a algorithm.Algorithm, _ algorithmtest.Arrays) { a.(*Settings).Hidden[1] = 50000 },
		"encoder.2.weight: want shape [4 8], got [4 4]":                  func(a algorithm.Algorithm, _ algorithmtest.Arrays) { a.(*Settings).Latent = 4 },
		"encoder.0.weight: want shape [2 4], got [2 6]":                  func(a algorithm.Algorithm, _ algorithmtest.Arrays) { a.(*Settings).Hidden = nil },
		"encoder.0.weight: want shape [2 12], got [2 6]":                 func(a algorithm.Algorithm, _ algorithmtest.Arrays) { a.(*Settings).Condition = "cgau" },
		"encoder.0.weight: want finite weights in single precision, got": func(_ algorithm.Algorithm, arrays algorithmtest.Arrays) { arrays[0].Values[3] = math.Inf(1) },
	}, quick...)
}

// Contributions add up to the score without the divergence, and far rows are less likely.
func TestExplainAndCode(t *testing.T) {
	m := Trained{NewModel(Config{Inputs: 2, Latent: 1, Hidden: []int{4, 3}, Beta: 0.5, Seed: 5})}
	z := algorithmtest.Draw(1, 100, []float64{0, 0.5}, []float64{0, 0})
	for i := range 100 {
		z.Set(i, 0, float64(i)/10)
	}
	why, err := m.Explain(z)
	if err != nil {
		t.Fatal(err)
	}
	by := why.Parts
	if n, columns := by.Dims(); n != 100 || columns != 2 || !(by.At(99, 0) > by.At(5, 0)) || !(by.At(99, 0) > by.At(99, 1)) {
		t.Errorf("contributions %v and %v", by.RawRowView(5), by.RawRowView(99))
	}
	for i, s := range algorithmtest.Scores(t, m, algorithmtest.Matrix(z)) {
		kl, err := m.Divergence([]float32{float32(z.At(i, 0)), 0.5})
		if want := by.At(i, 0) + by.At(i, 1) + 0.5*kl; err != nil || math.Abs(s-want) > 1e-9*want {
			t.Errorf("row %d: score %g, want %g (%v)", i, s, want, err)
		}
	}
	for i := range 100 {
		if d := z.At(i, 0) - why.Expected.At(i, 0); math.Abs(d*d-by.At(i, 0)) > 1e-6*(1+d*d) {
			t.Errorf("row %d: the expected values %v do not match the contributions %v", i, why.Expected.RawRowView(i), by.RawRowView(i))
		}
	}
	near, err := m.MeanLogLik(networks.Rows(z.Slice(0, 10, 0, 2).(*mat.Dense)))
	if err != nil {
		t.Fatal(err)
	}
	if far, err := m.MeanLogLik(networks.Rows(z.Slice(90, 100, 0, 2).(*mat.Dense))); err != nil || !(far < near) {
		t.Errorf("mean log-likelihood %g of rows that are far, %g of those near, %v", far, near, err)
	}
}
