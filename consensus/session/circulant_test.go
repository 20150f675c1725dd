package session

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/collabdict/collabdict/chunking"
)

// Sent words are no longer available once totals have replaced them.
func TestCirculantTakesPartsAsTheyCome(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	const size, numbers = 2, 4 * PartWords // two parts per round
	p := must[*Circulant](t)(NewCirculant(size, chunking.Ring))
	x := uniform(rng, size, numbers, chunking.Ring)
	want := make([]uint64, numbers)
	add(chunking.Ring, want, x[0], x[1])
	sessions := open(rng, p, x)
	first, second := sessions[0].Start(), sessions[1].Start()
	receive := func(to int, f Frame) {
		t.Helper()
		if err := sessions[to].Receive(1-to, f.Round, f.Part, f.Words); err != nil {
			t.Fatal(err)
		}
	}
	for part := len(first) - 1; part >= 0; part-- {
		receive(1, first[part])
		receive(0, second[part])
	}
	first, second = sessions[0].Advance(), sessions[1].Advance()
	if again := sessions[0].Again(1, 0); len(again) != 2 {
		t.Errorf("%d frames again before any total has come, want 2", len(again))
	}
	receive(0, second[1])
	if again := sessions[0].Again(1, 0); len(again) != 0 {
		t.Errorf("%d frames again that totals have overwritten", len(again))
	}
	receive(0, second[1]) // doubled
	receive(0, second[0])
	for _, f := range first {
		receive(1, f)
	}
	for s, x := range sessions {
		x.Advance()
		if !slices.Equal(x.Result(), want) {
			t.Errorf("member %d has another sum", s)
		}
	}
}

// Parts give the right sum in any order, doubled, or repeated after a loss.
func TestCirculantPartsInDisorder(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for _, a := range []chunking.Arithmetic{chunking.Ring, chunking.Ring128, chunking.Field} {
		for size := 2; size <= 9; size++ {
			p := must[*Circulant](t)(NewCirculant(size, a))
			x := uniform(rng, size, 3*PartWords+rng.IntN(1000), a)
			want := slices.Clone(x[0])
			for _, y := range x[1:] {
				add(a, want, want, y)
			}
			sessions := map[int]Session{}
			for s, member := range open(rng, p, x) {
				sessions[s] = member
			}
			storm(t, rng, sessions, 0.2)
			for s, member := range sessions {
				if !slices.Equal(member.Result(), want) {
					t.Errorf("%s, member %d of %d has another sum", a, s, size)
				}
			}
		}
	}
}
