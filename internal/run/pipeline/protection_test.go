package pipeline

import (
	"math"
	"testing"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
)

func TestProtectionByMode(t *testing.T) {
	for name, c := range map[string]struct {
		settings          consensus.Settings
		chunks, colluders int
		breach            float64
	}{
		"few chunks":         {consensus.Settings{Protect: chunking.Chunks, Chunks: 2}, 2, 3, chunking.BreachProbability(10, 1, 3)},
		"chunks":             {consensus.Settings{Protect: chunking.Chunks}, 10, 3, 0},
		"sessions, seen":     {consensus.Settings{Protect: chunking.Sessions}, 8, 3, 1},
		"none":               {consensus.Settings{Protect: chunking.None}, 0, 3, 1},
		"named colluders":    {consensus.Settings{Protect: chunking.Chunks, Chunks: 2, Colluders: 5}, 2, 5, chunking.BreachProbability(10, 1, 5)},
		"a pair of the four": {consensus.Settings{Scheme: consensus.Exact, Protect: chunking.None}, 0, 3, math.NaN()},
	} {
		p := Protection(c.settings, 10)
		if p.Chunks != c.chunks || p.Colluders != c.colluders || !math.IsNaN(c.breach) && *p.BreachPredicted != c.breach {
			t.Errorf("%s: %+v, breach %g, want %g", name, p, *p.BreachPredicted, c.breach)
		}
		if math.IsNaN(c.breach) && !(*p.BreachPredicted > 0 && *p.BreachPredicted < 1) {
			t.Errorf("%s: breach %g, want one between 0 and 1", name, *p.BreachPredicted)
		}
	}
	s := consensus.Settings{Scheme: consensus.BaseK, Protect: chunking.Shamir, Chunks: 8, Threshold: 6}
	few, all := *Protection(s, 16).BreachPredicted, consensus.Settings{Scheme: consensus.BaseK, Protect: chunking.Sessions, Chunks: 8}
	if more := *Protection(all, 16).BreachPredicted; !(few > more && more > 0 && few < 1) {
		t.Errorf("six of eight shares: breach %g; all of eight: %g", few, more)
	}
}
