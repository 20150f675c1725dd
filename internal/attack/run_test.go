package attack_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/consensus/session"
	"github.com/collabdict/collabdict/internal/attack"
	"github.com/collabdict/collabdict/internal/privacy/exposure"
	"github.com/collabdict/collabdict/internal/testkit"
	"github.com/collabdict/collabdict/netsim"
)

// watch runs sums of random vectors, observed by a coalition.
func watch(t *testing.T, s consensus.Settings, size int, coalition []int, rounds, values int, seed uint64) *attack.Recorder {
	t.Helper()
	c := netsim.Config{Settings: s, Seed: seed}
	for i := range size {
		c.Names = append(c.Names, fmt.Sprintf("p%02d", i))
	}
	r := attack.NewRecorder(s, netsim.RunID(c.Seed), size, coalition)
	c.Observer = r
	net, err := netsim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	_, err = net.Run(t.Context(), func(ctx context.Context, rank int, g collabdict.Group) error {
		rng := rand.New(rand.NewPCG(seed, uint64(rank)))
		x := make([]float64, values)
		for range rounds {
			for i := range x {
				x[i] = 2*rng.Float64() - 1
			}
			if _, err := g.Sum(ctx, collabdict.Summand{Values: x, Blocks: []collabdict.Block{{Len: values, Bound: 1}}}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Finish()
	return r
}

// One observer of a Laplacian session recovers all vectors of a sum in the clear, and of a sum
// split over sessions: it inverts each session and adds the parts. It recovers no chunked vector,
// though it sees as many frames.
func TestOneObserver(t *testing.T) {
	for _, step := range []session.Step{session.Chebyshev, session.Optimal, session.Metropolis} {
		for mode, least := range map[chunking.Mode]float64{chunking.None: 0.9, chunking.Sessions: 0.9, chunking.Chunks: 0} {
			if !testkit.Long && step != session.Chebyshev {
				continue
			}
			r := watch(t, consensus.Settings{Step: step, Protect: mode}, 31, []int{7}, 1, 3, 1)
			t.Logf("%s, %s: %.3f", step, mode, r.Breached())
			if got := r.Breached(); got < least || mode == chunking.Chunks && got != 0 {
				t.Errorf("%s with step %s: breached %.3f, want above %g", mode, step, got, least)
			}
		}
	}
}

// The vectors recovered from sums in the clear are those that the coalition sees in one session. If
// vectors are split over several sessions, it must see all of them, or with shares a sufficient
// number.
func TestSessionsOfFewRounds(t *testing.T) {
	const size, colluding, rounds = 16, 6, 30
	for name, s := range map[string]consensus.Settings{
		"exact":    {Scheme: consensus.Exact, Protect: chunking.None},
		"parity":   {Scheme: consensus.Exact, Parity: true, Protect: chunking.None},
		"base-k":   {Scheme: consensus.BaseK, Protect: chunking.None},
		"sessions": {Scheme: consensus.Exact, Protect: chunking.Sessions, Chunks: 2},
		"shamir":   {Scheme: consensus.BaseK, Protect: chunking.Shamir, Chunks: 3, Threshold: 2},
	} {
		r := watch(t, s, size, attack.Coalition(2, size, colluding), rounds, 2, 2)
		lanes, threshold := s.Lanes()
		q, _ := exposure.Probability(planOf(t, size, s.Arithmetic()), s.Arithmetic(), colluding, 300, rand.New(rand.NewPCG(1, 1)))
		want := chunking.LanesBreach(q, threshold, lanes)
		deviation := math.Sqrt(want * (1 - want) / (rounds * (size - colluding)))
		t.Logf("%s: %.3f, predicted %.3f ± %.3f", name, r.PerSum(), want, deviation)
		if math.Abs(r.PerSum()-want) > 3*deviation {
			t.Errorf("%s: recovered %.3f of the vectors, predicted %.3f ± %.3f", name, r.PerSum(), want, deviation)
		}
	}
}

// planOf returns a plan of few rounds with fan 1.
func planOf(t *testing.T, size int, a chunking.Arithmetic) session.Plan {
	t.Helper()
	var plan session.Plan
	var err error
	if a == chunking.Field {
		plan, err = session.NewBaseK(size, 1)
	} else {
		plan, err = session.NewFoldIn(size, 1, a)
	}
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// Long vectors travel in cells, each on its own route. A node that sees a member's part of one
// cell does not see the other parts.
func TestVectorsInCells(t *testing.T) {
	s := consensus.Settings{Scheme: consensus.Exact, Protect: chunking.None}
	const size, values = 5, 40000
	if r := watch(t, s, size, []int{2}, 2, values, 1); r.Breached() != 0 {
		t.Errorf("one observer recovered %.2f", r.Breached())
	}
	if r := watch(t, s, size, []int{0, 1, 2, 3}, 2, values, 1); r.Breached() != 1 {
		t.Errorf("all but one recovered %.2f", r.Breached())
	}
}

// With few chunks a coalition cuts off some members, about as many as predicted. On a complete
// chunk graph it cuts off none, up to a coalition of all but two.
func TestCoalitionsAgainstChunks(t *testing.T) {
	const size, rounds = 16, 25
	for _, scheme := range []consensus.Scheme{consensus.Laplacian, consensus.Exact, consensus.BaseK} {
		s := consensus.Settings{Scheme: scheme, Protect: chunking.Chunks, Chunks: 2, Colluders: 10}
		r := watch(t, s, size, attack.Coalition(9, size, 10), rounds, 2, 4)
		want := chunking.BreachProbability(size, 1, 10)
		deviation := math.Sqrt(want * (1 - want) / (rounds * 6))
		t.Logf("%s: %.3f, predicted %.3f ± %.3f", scheme, r.PerSum(), want, deviation)
		if scheme == consensus.Laplacian && math.Abs(r.PerSum()-want) > 3*deviation {
			t.Errorf("%s: recovered %.3f of the vectors, predicted %.3f ± %.3f", scheme, r.PerSum(), want, deviation)
		}
		if r.PerSum() == 0 || r.PerSum() > want+3*deviation {
			t.Errorf("%s: recovered %.3f of the vectors, at most %.3f ± %.3f predicted", scheme, r.PerSum(), want, deviation)
		}
		s.Chunks = 0
		for colluding := 1; colluding <= 6; colluding++ {
			s.Colluders = colluding
			if r := watch(t, s, 8, attack.Coalition(3, 8, colluding), 2, 2, 5); r.Breached() != 0 {
				t.Errorf("%s, complete chunk graph, %d colluders: %.3f", scheme, colluding, r.Breached())
			}
		}
	}
}

// With a coalition of all but one, the total reveals the last vector, whatever protects it.
func TestAllButOneAlwaysWin(t *testing.T) {
	s := consensus.Settings{Protect: chunking.Chunks}
	all := []int{0, 1, 2, 3, 4}
	if r := watch(t, s, 5, slices.Delete(all, 2, 3), 1, 2, 1); r.Breached() != 1 {
		t.Errorf("recovered %.2f", r.Breached())
	}
}
