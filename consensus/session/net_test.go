package session

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/graph"
)

// tb is the common part of testing.TB and rapid.T.
type tb interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// open returns the sessions of a view whose members 0, 1, ... are placed at random.
func open(rng *rand.Rand, p Plan, xs [][]uint64) []Session {
	members := rng.Perm(p.Size())
	sessions := make([]Session, p.Size())
	for s := range sessions {
		sessions[s] = p.New(Placement{Members: members, Self: s}, slices.Clone(xs[s]))
	}
	return sessions
}

// lockstep runs the sessions and returns all results.
func lockstep(t tb, sessions []Session) ([][]uint64, Traffic) {
	t.Helper()
	traffic, err := Lockstep(sessions, nil)
	if err != nil {
		t.Fatal(err)
	}
	results := make([][]uint64, len(sessions))
	for i, s := range sessions {
		if !s.Done() {
			t.Fatalf("member %d waits for %v in round %d", i, s.Waiting(), s.Round())
		}
		results[i] = s.Result()
	}
	return results, traffic
}

// normal returns the bits of standard normal vectors.
func normal(rng *rand.Rand, size, length int) [][]uint64 {
	xs := make([][]uint64, size)
	for s := range xs {
		xs[s] = make([]uint64, length)
		for i := range xs[s] {
			xs[s][i] = math.Float64bits(rng.NormFloat64())
		}
	}
	return xs
}

// uniform returns uniform vectors of an arithmetic.
func uniform(rng *rand.Rand, size, numbers int, a chunking.Arithmetic) [][]uint64 {
	xs := make([][]uint64, size)
	for s := range xs {
		xs[s] = make([]uint64, numbers*limbs(a))
		for i := range xs[s] {
			xs[s][i] = rng.Uint64()
			if a == chunking.Field {
				xs[s][i] %= chunking.Prime
			}
		}
	}
	return xs
}

// A flight is a frame in transit, in tests that deliver frames one by one.
type flight struct {
	Frame
	from int
}

// storm runs sessions by their ids. It delivers frames in random order, some of them twice, and
// loses some, which the receiver then requests again.
func storm(t tb, rng *rand.Rand, sessions map[int]Session, loss float64) {
	t.Helper()
	ids := make([]int, 0, len(sessions))
	for id := range sessions {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	var flying []flight
	send := func(from int, frames []Frame) {
		for _, f := range frames {
			for range 1 + rng.IntN(5)/4 {
				if rng.Float64() >= loss {
					flying = append(flying, flight{f, from})
				}
			}
		}
	}
	for _, id := range ids {
		send(id, sessions[id].Start())
	}
	for idle := 0; idle < 1000; {
		if len(flying) == 0 {
			idle++
			done := true
			for _, id := range ids {
				s := sessions[id]
				done = done && s.Done()
				for _, from := range s.Waiting() {
					send(from, sessions[from].Again(id, s.Round()))
				}
			}
			if done {
				return
			}
			continue
		}
		idle = 0
		i := rng.IntN(len(flying))
		f := flying[i]
		flying[i] = flying[len(flying)-1]
		flying = flying[:len(flying)-1]
		if err := sessions[f.To].Receive(f.from, f.Round, f.Part, f.Words); err != nil {
			t.Fatal(err)
		}
		send(f.To, sessions[f.To].Advance())
	}
	t.Fatal("the sessions came to a standstill")
}

// must returns a plan that is known to exist.
func must[P Plan](t tb) func(p P, err error) Plan {
	return func(p P, err error) Plan {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

// plans returns one plan of every type.
func plans(t tb, size int) []Plan {
	t.Helper()
	all := []Plan{
		must[*Exchange](t)(NewFoldIn(size, 1, chunking.Ring)),
		must[*Exchange](t)(NewFoldIn(size, 3, chunking.Ring128)),
		must[*Exchange](t)(NewFoldIn(size, 2, chunking.Field)),
		must[*Exchange](t)(NewBaseK(size, 2)),
		must[*Circulant](t)(NewCirculant(size, chunking.Ring)),
		must[*Circulant](t)(NewCirculant(size, chunking.Ring128)),
	}
	if size > 1 {
		all = append(all,
			must[*Laplacian](t)(NewLaplacian(size, Chebyshev, graph.HamiltonCycles, 4, 1e-9)),
			must[*Laplacian](t)(NewLaplacian(size, Metropolis, graph.InverseChord, 4, 1e-3)),
		)
	}
	return all
}

// vectors returns vectors for a plan of any type.
func vectors(rng *rand.Rand, p Plan, numbers int) [][]uint64 {
	switch p := p.(type) {
	case *Exchange:
		return uniform(rng, p.size, numbers, p.arithmetic)
	case *Circulant:
		return uniform(rng, p.size, numbers, p.arithmetic)
	}
	return normal(rng, p.Size(), numbers)
}
