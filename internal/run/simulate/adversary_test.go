package simulate

import (
	"math"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
)

func TestAdversaries(t *testing.T) {
	for text, want := range map[string]Adversary{"": {}, "observer": {Coalition: 1}, "coalition:t=1": {Coalition: 1}, "coalition:t=12": {Coalition: 12}, "differencing": {Differencing: true}} {
		if got, err := ParseAdversary(text); err != nil || got != want {
			t.Errorf("%q: got %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"coalition", "coalition:t=", "coalition:t=0", "coalition:t=-1", "coalition:k=3", "observer:t=2", "x"} {
		if _, err := ParseAdversary(text); err == nil || !strings.Contains(err.Error(), "coalition:t=N") {
			t.Errorf("%q: got %v", text, err)
		}
	}
	if (Adversary{Coalition: 4}).Check(4) == nil || (Adversary{Coalition: 3}).Check(4) != nil {
		t.Error("want one member left to learn about")
	}
}

// An observer recovers all vectors if they are not protected, and none under chunks, whatever
// the scheme. The result reports this.
func TestSimulationsUnderObservation(t *testing.T) {
	for _, c := range []struct {
		settings            consensus.Settings
		predicted, measured float64
	}{
		{consensus.Settings{Protect: chunking.None}, 1, 1},
		{consensus.Settings{Protect: chunking.Chunks}, 0, 0},
		{consensus.Settings{Scheme: consensus.Exact, Protect: chunking.Chunks}, 0, 0},
		{consensus.Settings{Scheme: consensus.BaseK, Protect: chunking.Sessions}, math.NaN(), 0},
	} {
		k, parts := example(t, algorithm.Global)
		k.Settings = c.settings
		set(t, k, "rounds", "2")
		run, err := SimulateUnder(t.Context(), Conditions{Adversary: Adversary{Coalition: 1}}, k, parts, nil)
		if err != nil {
			t.Fatal(err)
		}
		p := run.Report.Protection
		if len(p.Adversary) != 1 || p.Colluders != 1 || *p.BreachMeasured != c.measured || !math.IsNaN(c.predicted) && *p.BreachPredicted != c.predicted {
			t.Errorf("%+v: %+v, predicted %g, measured %g", c.settings, p, *p.BreachPredicted, *p.BreachMeasured)
		}
		if r := run.Report.Consensus; r.Iterations != r.IterationsPredicted || (r.Graph != "") != (c.settings.Scheme == "") {
			t.Errorf("%+v", r)
		}
	}
}
