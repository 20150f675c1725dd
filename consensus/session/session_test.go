package session

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/graph"
	_ "github.com/collabdict/collabdict/internal/testkit" // fixed draws
	"pgregory.net/rapid"
)

// In any order of delivery, with duplicates, losses and repetitions, the results have the same
// bits. Members may have any ids.
func TestOrderOfDeliveryDoesNotMatter(t *testing.T) {
	sorts := len(plans(t, 2))
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(2, 20).Draw(t, "size")
		sort := rapid.IntRange(0, sorts-1).Draw(t, "sort")
		loss := rapid.SampledFrom([]float64{0, 0, 0.1, 0.5}).Draw(t, "loss")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		p := plans(t, size)[sort]
		xs := vectors(rng, p, rapid.IntRange(0, 25).Draw(t, "numbers"))

		members := rng.Perm(size)
		inOrder := make([]Session, size)
		ids, stormy := make([]int, size), map[int]Session{}
		for i, m := range members {
			ids[i] = 7*m - 30 // ascending, as the order of the ids is that of summation
		}
		for i, m := range members {
			inOrder[m] = p.New(Placement{Members: members, Self: m}, slices.Clone(xs[m]))
			stormy[ids[i]] = p.New(Placement{Members: ids, Self: ids[i]}, xs[m])
		}
		if _, err := Lockstep(inOrder, nil); err != nil {
			t.Fatal(err)
		}
		storm(t, rng, stormy, loss)
		for m, s := range inOrder {
			other := stormy[7*m-30]
			if !slices.Equal(s.Result(), other.Result()) {
				t.Fatalf("%s of %d: member %d has other bits", p.Name(), size, m)
			}
			if s.Round() != p.Rounds() || other.Round() != p.Rounds() || other.Waiting() != nil || other.Advance() != nil {
				t.Fatalf("%s of %d: member %d did %d and %d of %d rounds", p.Name(), size, m, s.Round(), other.Round(), p.Rounds())
			}
		}
	})
}

func TestMalformedFrames(t *testing.T) {
	first := []int{10, 11, 12, 13, 14, 15, 16}
	seat := Placement{Members: first, Self: 10}
	fold := must[*Exchange](t)(NewFoldIn(7, 1, chunking.Field)) // core 4; 14 folds into 10, which pairs with 11
	circulant := must[*Circulant](t)(NewCirculant(7, chunking.Ring128))
	float := must[*Laplacian](t)(NewLaplacian(7, Chebyshev, graph.Ring, 2, 1e-9)) // 10 has the neighbours 11 and 16
	ghosts := must[*Laplacian](t)(NewLaplacian(6, Optimal, graph.InverseChord, 0, 1e-9))
	words := func(w ...uint64) []uint64 { return w }
	one := math.Float64bits(1)
	for _, c := range []struct {
		name              string
		plan              Plan
		from, round, part int
		words             []uint64
		reason            string // "" for a correct frame
	}{
		{"fold", fold, 14, 0, 0, words(1, 2), ""},
		{"early", fold, 11, 1, 0, words(1, 2), ""},
		{"round below", fold, 14, -1, 0, words(1, 2), "want a round below 4"},
		{"round above", fold, 14, 4, 0, words(1, 2), "want a round below 4"},
		{"stranger", fold, 99, 0, 0, words(1, 2), "no such frame"},
		{"itself", fold, 10, 0, 0, words(1, 2), "no such frame"},
		{"not now", fold, 11, 0, 0, words(1, 2), "no such frame"},
		{"part", fold, 14, 0, 1, words(1, 2), "no such frame"},
		{"short", fold, 14, 0, 0, words(1), "1 words, want 2"},
		{"empty", fold, 14, 0, 0, nil, "0 words, want 2"},
		{"long", fold, 14, 0, 0, words(1, 2, 3), "3 words, want 2"},
		{"outside of the field", fold, 14, 0, 0, words(1, chunking.Prime), "below 2^61-1"},
		{"block", circulant, 13, 0, 0, make([]uint64, 2*3), ""},
		{"block of another length", circulant, 13, 0, 0, make([]uint64, 5), "5 words, want 6"},
		{"neighbour", float, 16, 0, 0, words(one, one), ""},
		{"one ahead", float, 16, 1, 0, words(one, one), ""},
		{"two ahead", float, 16, 2, 0, words(one, one), "no member can be ahead of round 1"},
		{"no neighbour", float, 12, 0, 0, words(one, one), "no such frame"},
		{"infinite", float, 11, 0, 0, words(one, math.Float64bits(math.Inf(-1))), "not finite"},
		{"no number", float, 11, 0, 0, words(math.Float64bits(math.NaN()), one), "not finite"},
		{"largest", float, 11, 0, 0, words(math.Float64bits(-math.MaxFloat64), 0), ""},
		{"ghost of another", ghosts, 11, 0, 1, words(one, one), "no such frame"},
	} {
		t.Run(c.name, func(t *testing.T) {
			numbers := 2
			if c.plan == circulant {
				numbers = 2 * 7
			}
			seat := seat
			seat.Members = seat.Members[:c.plan.Size()]
			s := c.plan.New(seat, make([]uint64, numbers))
			s.Start()
			waiting := s.Waiting()
			err := s.Receive(c.from, c.round, c.part, c.words)
			if c.reason == "" {
				if err != nil {
					t.Fatal(err)
				}
				if again := s.Receive(c.from, c.round, c.part, c.words); again != nil {
					t.Errorf("double: %v", again)
				}
				return
			}
			var fault *FrameError
			if !errors.As(err, &fault) || !strings.Contains(err.Error(), c.reason) ||
				fault.From != c.from || fault.Round != c.round || fault.Part != c.part {
				t.Errorf("got %v, want a fault of the frame with %q", err, c.reason)
			}
			if !slices.Equal(s.Waiting(), waiting) {
				t.Errorf("waits for %v, before for %v", s.Waiting(), waiting)
			}
		})
	}
}

// Words that were sent, received or passed in are never modified.
func TestWordsStayAsTheyAre(t *testing.T) {
	for _, size := range []int{5, 12} {
		for _, p := range plans(t, size) {
			rng := rand.New(rand.NewPCG(6, uint64(size)))
			xs := vectors(rng, p, 29)
			sessions := open(rng, p, xs)
			var words, copies [][]uint64
			keep := func(w []uint64) { words, copies = append(words, w), append(copies, slices.Clone(w)) }
			for s := range sessions {
				sessions[s] = keeping{sessions[s], keep}
			}
			results, _ := lockstep(t, sessions)
			for s := range sessions {
				if !slices.Equal(sessions[s].Result(), results[s]) {
					t.Errorf("%s of %d: member %d has two results", p.Name(), size, s)
				}
			}
			for i := range words {
				if !slices.Equal(words[i], copies[i]) {
					t.Fatalf("%s of %d: words were modified", p.Name(), size)
				}
			}
		}
	}
}

// A keeping is a session that shows the words of all frames that it sends.
type keeping struct {
	Session
	keep func([]uint64)
}

func (k keeping) show(frames []Frame) []Frame {
	for _, f := range frames {
		k.keep(f.Words)
	}
	return frames
}

func (k keeping) Start() []Frame   { return k.show(k.Session.Start()) }
func (k keeping) Advance() []Frame { return k.show(k.Session.Advance()) }

// Of two frames for one place the first counts. A frame of a past round is ignored.
func TestDoubleAndLateFramesAreIgnored(t *testing.T) {
	p := must[*Exchange](t)(NewFoldIn(3, 1, chunking.Ring))
	s := p.New(Placement{Members: []int{0, 1, 2}, Self: 0}, []uint64{1})
	s.Start()
	for _, word := range []uint64{10, 20} {
		if err := s.Receive(2, 0, 0, []uint64{word}); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Advance(); len(got) != 1 || got[0].To != 1 || got[0].Words[0] != 11 {
		t.Fatalf("sends %v, want 11 to 1", got)
	}
	if err := s.Receive(2, 0, 0, []uint64{100, 1000}); err != nil {
		t.Error(err)
	}
	if got := s.Again(1, 1); len(got) != 1 || got[0].Words[0] != 11 {
		t.Errorf("sends again %v, want 11", got)
	}
	for _, round := range []int{-1, 0, 2, 3, 4} {
		if got := s.Again(1, round); got != nil {
			t.Errorf("sends %v in round %d", got, round)
		}
	}
}

// A session holds at most the early frames that it will use.
func TestInboxIsBounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, p := range plans(t, 13) {
		seat := Placement{Members: rng.Perm(13), Self: 4}
		s := p.New(seat, vectors(rng, p, 26)[4]).(*machine)
		s.Start()
		for range 20000 {
			words := make([]uint64, []int{0, 1, 2, 4, 6, 26, 52}[rng.IntN(7)])
			_ = s.Receive(rng.IntN(15)-1, rng.IntN(min(s.rounds, 9)+2)-1, rng.IntN(3), words)
		}
		held, most := 0, 0
		for round, heard := range s.inbox {
			for i, words := range heard {
				held += len(words)
				if len(words) != 0 && len(words) != s.hears(round)[i].words {
					t.Errorf("%s: holds %d words in round %d", p.Name(), len(words), round)
				}
			}
		}
		for round := range min(s.rounds, s.ahead+1) {
			for _, port := range s.hears(round) {
				most += port.words
			}
		}
		if held > most || held == 0 {
			t.Errorf("%s: holds %d words, at most %d are expected", p.Name(), held, most)
		}
	}
}

// Plans that make members send or add differently have different digests. Two members compute
// the same digest.
func TestDigests(t *testing.T) {
	seen := map[[32]byte]string{}
	for _, make := range []func() Plan{
		func() Plan { return must[*Exchange](t)(NewFoldIn(7, 1, chunking.Ring)) },
		func() Plan { return must[*Exchange](t)(NewFoldIn(7, 1, chunking.Field)) },
		func() Plan { return must[*Exchange](t)(NewFoldIn(7, 2, chunking.Ring)) },
		func() Plan { return must[*Exchange](t)(NewFoldIn(8, 1, chunking.Ring)) },
		func() Plan { return must[*Exchange](t)(NewBaseK(8, 1)) },
		func() Plan { return must[*Circulant](t)(NewCirculant(8, chunking.Ring)) },
		func() Plan { return must[*Circulant](t)(NewCirculant(9, chunking.Ring)) },
		func() Plan { return must[*Circulant](t)(NewCirculant(8, chunking.Ring128)) },
		func() Plan { return must[*Laplacian](t)(NewLaplacian(8, Chebyshev, graph.Ring, 2, 1e-9)) },
		func() Plan { return must[*Laplacian](t)(NewLaplacian(8, Optimal, graph.Ring, 2, 1e-9)) },
		func() Plan { return must[*Laplacian](t)(NewLaplacian(8, Chebyshev, graph.Ring, 2, 1e-10)) },
		func() Plan { return must[*Laplacian](t)(NewLaplacian(8, Chebyshev, graph.Hypercube, 2, 1e-9)) },
	} {
		p := make()
		name := fmt.Sprintf("%s of %d", p.Name(), p.Size())
		if other, ok := seen[p.Digest()]; ok {
			t.Errorf("%s has the digest of %s", name, other)
		}
		seen[p.Digest()] = name
		if p.Digest() != make().Digest() {
			t.Errorf("%s has two digests", name)
		}
	}
}

// In a view of one, the sum is the member's own vector.
func TestViewOfOne(t *testing.T) {
	for _, p := range plans(t, 1) {
		s := p.New(Placement{Members: []int{3}, Self: 3}, []uint64{5, 6})
		if frames := s.Start(); frames != nil || !s.Done() || !slices.Equal(s.Result(), []uint64{5, 6}) {
			t.Errorf("%s: sends %v, has %v", p.Name(), frames, s.Result())
		}
	}
}

func TestWrongUsePanics(t *testing.T) {
	p := must[*Exchange](t)(NewFoldIn(2, 1, chunking.Field))
	float := must[*Laplacian](t)(NewLaplacian(2, Chebyshev, graph.Ring, 2, 1e-9))
	seat := Placement{Members: []int{0, 1}, Self: 0}
	for name, use := range map[string]func(){
		"members":   func() { p.New(Placement{Members: []int{0}, Self: 0}, nil) },
		"self":      func() { p.New(Placement{Members: []int{0, 1}, Self: 2}, nil) },
		"word":      func() { p.New(seat, []uint64{chunking.Prime}) },
		"infinite":  func() { float.New(seat, []uint64{math.Float64bits(math.Inf(1))}) },
		"half":      func() { must[*Circulant](t)(NewCirculant(2, chunking.Ring128)).New(seat, []uint64{1}) },
		"result":    func() { p.New(seat, []uint64{1}).Result() },
		"no values": func() { Values(p.New(seat, nil)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			use()
		}()
	}
}
