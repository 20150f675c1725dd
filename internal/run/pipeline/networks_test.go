package pipeline

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict"
)

// All participants hold the same decoder, bit for bit. Each has its own encoder, which is the same
// in a second run with the same secrets. The history has the encoder's measurements.
func TestNetworksTogether(t *testing.T) {
	parts, _ := clusters(3)
	k := small(t, "mtvae")
	results, again := together(t, network(t, k), k, parts), together(t, network(t, k), k, parts)
	of := func(r *Result, part string) (out []float64) {
		for _, a := range r.Model.Learned.Arrays() {
			if strings.HasPrefix(a.Name, part) {
				out = append(out, a.Values...)
			}
		}
		return out
	}
	for s, r := range results {
		if !slices.Equal(of(r, "decoder."), of(results[0], "decoder.")) {
			t.Errorf("participant %d has another decoder", s)
		}
		if s > 0 && slices.Equal(of(r, "encoder."), of(results[0], "encoder.")) {
			t.Errorf("participant %d has the encoder of another", s)
		}
		if !reflect.DeepEqual(of(r, "encoder."), of(again[s], "encoder.")) {
			t.Errorf("participant %d comes to another encoder when it begins again", s)
		}
		m := r.Model.Manifest
		last := m.Privacy.History[len(m.Privacy.History)-1]
		if m.TotalRows != 180 || m.Rounds != 12 || last.Encoder == nil || last.Encoder.Latent != 2 || last.Diversity != nil {
			t.Errorf("participant %d: %+v, %+v", s, m, last.Encoder)
		}
		if m.Objective.Value <= m.Privacy.History[0].Objective {
			t.Errorf("participant %d: objective %v, %g in the first round", s, m.Objective, m.Privacy.History[0].Objective)
		}
	}
}

// The agreed share of a participant's rows lies above the threshold, and a row far from all others
// does, too.
func TestFarRowsExceedTheThreshold(t *testing.T) {
	parts, all := clusters(1)
	r, err := small(t, "mtvae", "rounds=60", "false-alarm=0.05").Fit(t.Context(), collabdict.Solo{}, parts[0], nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	above := 0
	for _, s := range score(t, r.Model, all) {
		if s > r.Model.Manifest.Threshold {
			above++
		}
	}
	if above != 3 {
		t.Errorf("%d of 60 rows are above the threshold, want 3", above)
	}
	all.Set(0, 1, 40)
	if s := score(t, r.Model, all)[0]; !(s > r.Model.Manifest.Threshold) {
		t.Errorf("score %g, threshold %g", s, r.Model.Manifest.Threshold)
	}
}
