package multitask

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/networks"
	"github.com/collabdict/collabdict/internal/testkit/algorithmtest"
)

var quick = []string{"rounds=12", "local-steps=5", "latent=2", "hidden=6,4", "batch=20", "rate=0.01"}

func with(options ...string) []string { return append(slices.Clone(quick), options...) }

func TestOptions(t *testing.T) {
	algorithmtest.Options(t, Kind, "rounds=150 local-steps=20 latent=8 hidden=64 batch=128 rate=0.001 aggressive=0", map[string]string{
		"rounds 0":       "rounds=0",
		"latent 0":       "latent=0",
		"latent 65537":   "latent=65537",
		"hidden 3,0":     "hidden=3,0",
		"hidden 8,65537": "hidden=8,65537",
		"batch 0":        "batch=0",
		"rate 0":         "rate=0",
		"rate 2":         "rate=2",
		"aggressive -1":  "aggressive=-1",
		"local-steps -1": "local-steps=-1",
		"dropout 0.5":    "dropout",
	})
}

func TestTraitsAndDisclosure(t *testing.T) {
	a := algorithmtest.New(t, Kind, with("hidden=")...)
	for _, hidden := range []string{"", "6,4"} {
		s := algorithmtest.New(t, Kind, with("hidden="+hidden)...).(*Settings)
		m := NewModel(5, s.config(1))
		if got, want := s.Traits().Values(5), len(m.Encoder.Shared.Values)+len(m.Decoder.Shared.Values); got != want {
			t.Errorf("%d weights, want %d", got, want)
		}
	}
	if of := a.Traits(); of.Rounds != 12 || !of.HoldsRows || of.UnitRange || of.Classes != nil {
		t.Errorf("got %+v", of)
	}
	if d := a.Disclosure(algorithm.Coordinates{}); len(d.Items) != 1 || d.Items[0].Form != algorithm.Summed || !d.RowsBound || d.Sums || d.Conserved != algorithm.RowCounts {
		t.Errorf("got %+v", d)
	}
}

func of(r *algorithmtest.Result) *Model { return r.Model.(Trained).Model }

// All members hold the same decoder, bit for bit. Each has its own encoder, and the same secrets
// give the same encoder again. The progress includes the encoder's health.
func TestTogether(t *testing.T) {
	a := algorithmtest.New(t, Kind, quick...)
	results, again := algorithmtest.Run(t, a, algorithmtest.Clusters(3)), algorithmtest.Run(t, a, algorithmtest.Clusters(3))
	first := of(results[0])
	for s, r := range results {
		m := of(r)
		if !slices.Equal(m.Decoder.Shared.Values, first.Decoder.Shared.Values) {
			t.Errorf("participant %d has another decoder", s)
		}
		if s > 0 && slices.Equal(m.Encoder.Shared.Values, first.Encoder.Shared.Values) {
			t.Errorf("participant %d has the encoder of another", s)
		}
		if !slices.Equal(m.Encoder.Shared.Values, of(again[s]).Encoder.Shared.Values) {
			t.Errorf("participant %d gets another encoder when it starts again", s)
		}
		last := r.History[len(r.History)-1]
		if r.TotalRows != 180 || r.Last.Number != 12 || last.Round != r.Last || last.Encoder == nil || last.Encoder.Latent != 2 || last.Loss != -r.Last.Objective {
			t.Errorf("participant %d: %+v, %+v", s, r.Outcome, last)
		}
		if r.Last.Objective <= r.History[0].Objective {
			t.Errorf("participant %d: objective %v, %g in the first round", s, r.Last, r.History[0].Objective)
		}
	}
}

// A sum that fails leaves the networks of the round before it, without the steps towards it.
func TestFailedSumsLeaveNetworks(t *testing.T) {
	for _, steps := range []string{"0", "3"} {
		two := algorithmtest.New(t, Kind, with("local-steps="+steps, "rounds=2")...)
		more := algorithmtest.New(t, Kind, with("local-steps="+steps, "rounds=5")...)
		algorithmtest.FailsLate(t, two, more, algorithmtest.Clusters(1)[0], 4)
	}
}

// If a round is a single step, the encoder is measured after every tenth and the last.
func TestHealthOfSingleSteps(t *testing.T) {
	r := algorithmtest.Alone(t, algorithmtest.New(t, Kind, with("local-steps=0")...), algorithmtest.Clusters(1)[0])
	for _, p := range r.History {
		if measured := p.Encoder != nil; measured != (p.Number == 10 || p.Number == 12) {
			t.Errorf("round %d: %+v", p.Number, p.Encoder)
		}
	}
}

func TestCollapseIsReported(t *testing.T) {
	h := &Health{Information: 0.01, Latent: 2}
	if w := warnings(h); w != nil || warnings(nil) != nil {
		t.Errorf("got %q", w)
	}
	h.Collapsed = true
	if w := strings.Join(warnings(h), ""); !strings.Contains(w, "posterior collapse: codes carry only 0.01 nats per row, and 0 of 2") {
		t.Errorf("got %q", w)
	}
}

func TestLoad(t *testing.T) {
	d := algorithmtest.Clusters(1)[0]
	a := algorithmtest.New(t, Kind, quick...)
	m := algorithmtest.Alone(t, a, d).Model
	var names []string
	for _, array := range m.Arrays() {
		names = append(names, fmt.Sprint(array.Name, array.Shape))
	}
	if got, want := strings.Join(names, " "), "encoder.0.weight[2 4] encoder.0.bias[4] encoder.1.weight[4 6] encoder.1.bias[6] encoder.2.weight[6 4] encoder.2.bias[4] "+
		"decoder.0.weight[2 6] decoder.0.bias[6] decoder.1.weight[6 4] decoder.1.bias[4] decoder.2.weight[4 4] decoder.2.bias[4]"; got != want {
		t.Errorf("arrays %s, want %s", got, want)
	}
	z := algorithmtest.Draw(5, 20, []float64{0, 1}, []float64{4, 1})
	if !slices.Equal(algorithmtest.Scores(t, algorithmtest.LoadedWhole(t, a, m), algorithmtest.Matrix(z)), algorithmtest.Scores(t, m, algorithmtest.Matrix(z))) {
		t.Error("scores are others")
	}
	algorithmtest.Refuses(t, Kind, m, map[string]func(algorithm.Algorithm, algorithmtest.Arrays){
		"encoder.0.weight: want shape [2 50000], got [2 4]":              func(a algorithm.Algorithm, _ algorithmtest.Arrays) { a.(*Settings).Hidden[1] = 50000 },
		"encoder.2.weight: want shape [6 8], got [6 4]":                  func(a algorithm.Algorithm, _ algorithmtest.Arrays) { a.(*Settings).Latent = 4 },
		"encoder.1.weight: want shape [4 4], got [4 6]":                  func(a algorithm.Algorithm, _ algorithmtest.Arrays) { a.(*Settings).Hidden = []int{4} },
		"decoder.1.bias: want finite weights in single precision, got +": func(_ algorithm.Algorithm, arrays algorithmtest.Arrays) { arrays[9].Values[1] = math.Inf(1) },
	}, quick...)
}

// Contributions show the column that is far off, and codes and rows keep their order.
func TestExplainAndCode(t *testing.T) {
	m := Trained{NewModel(2, Config{Latent: 1, Hidden: []int{3, 4}, Seed: 5})}
	z := algorithmtest.Draw(1, 300, []float64{0, -1}, []float64{0, 0})
	for i := range 300 {
		z.Set(i, 0, float64(i)/10)
	}
	why, err := m.Explain(z)
	if err != nil {
		t.Fatal(err)
	}
	by := why.Parts
	if n, columns := by.Dims(); n != 300 || columns != 2 || !(by.At(299, 0) > by.At(0, 0)) || !(by.At(299, 0) > by.At(299, 1)) {
		t.Errorf("contributions %v and %v", by.RawRowView(0), by.RawRowView(299))
	}
	total := 0.0
	for i, s := range algorithmtest.Scores(t, m, algorithmtest.Matrix(z)) {
		if !(s-by.At(i, 0)-by.At(i, 1) < 10) {
			t.Errorf("row %d: score %g, contributions %v", i, s, by.RawRowView(i))
		}
		total += s
	}
	if mean, err := m.MeanLogLik(networks.Rows(z)); err != nil || !(mean >= -total/300) {
		t.Errorf("mean log-likelihood %g, %v; it is at least minus the mean score %g", mean, err, total/300)
	}
	codes, err := m.Encode(z)
	if err != nil {
		t.Fatal(err)
	}
	if n, d := codes.Dims(); n != 300 || d != m.Latent() {
		t.Errorf("codes are %d by %d", n, d)
	}
	rows, err := m.Decode(codes)
	if err != nil {
		t.Fatal(err)
	}
	if n, columns := rows.Dims(); n != 300 || columns != 2 {
		t.Errorf("rows are %d by %d", n, columns)
	}
	last, err := m.Encode(algorithmtest.Draw(1, 1, []float64{29.9, -1}, []float64{0, 0}))
	if err != nil || last.At(0, 0) != codes.At(299, 0) || last.At(0, 0) == codes.At(0, 0) {
		t.Errorf("code of the last row %v, among others %g (%v)", last, codes.At(299, 0), err)
	}
}
