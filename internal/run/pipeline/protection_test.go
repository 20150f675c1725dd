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

// All other members together always know a member's vector, and of three members two others do.
func TestCollusions(t *testing.T) {
	for size := 2; size <= 200; size = size*3/2 + 1 {
		for _, s := range []consensus.Settings{{Protect: chunking.Chunks}, {Protect: chunking.Chunks, Chunks: 3}, {Protect: chunking.None}, {Scheme: consensus.BaseK, Protect: chunking.Sessions, Chunks: 4}} {
			list, assumed, before := Collusions(s, size), Protection(s, size), 0
			if n := len(list); n == 0 || n > 6 || list[n-1].Others != size-1 || list[n-1].Breach != 1 {
				t.Fatalf("%d members, %+v: got %+v", size, s, list)
			}
			for _, c := range list {
				if c.Others <= before || c.Others == assumed.Colluders && c.Breach != *assumed.BreachPredicted {
					t.Errorf("%d members, %+v: got %+v, want %+v", size, s, list, assumed)
				}
				before = c.Others
			}
		}
	}
	if got := Collusions(consensus.Settings{Protect: chunking.Chunks}, 3); len(got) != 2 || got[0].Breach != 0 || got[1].Breach != 1 {
		t.Errorf("of three members, got %+v", got)
	}
	if got := Collusions(consensus.Settings{}, 1); len(got) > 0 {
		t.Errorf("of one member, got %+v", got)
	}
}
