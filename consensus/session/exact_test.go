package session

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/internal/testkit"
)

// total adds the vectors with big integers.
func total(xs [][]uint64, a chunking.Arithmetic) []uint64 {
	modulus := new(big.Int).Lsh(big.NewInt(1), 64*uint(limbs(a)))
	if a == chunking.Field {
		modulus.SetUint64(chunking.Prime)
	}
	word := new(big.Int).SetUint64(1<<64 - 1)
	sums := make([]uint64, len(xs[0]))
	for i := 0; i < len(sums); i += limbs(a) {
		sum := new(big.Int)
		for _, x := range xs {
			for j := range limbs(a) {
				w := new(big.Int).SetUint64(x[i+j])
				sum.Add(sum, w.Lsh(w, 64*uint(j)))
			}
		}
		sum.Mod(sum, modulus)
		for j := range limbs(a) {
			sums[i+j] = new(big.Int).And(word, new(big.Int).Rsh(sum, 64*uint(j))).Uint64()
		}
	}
	return sums
}

// sizes returns the sizes of views to test: all up to 200.
func sizes() []int {
	var ns []int
	for n := 2; n <= 200; n++ {
		if testkit.Long || n < 40 || n%7 == 0 {
			ns = append(ns, n)
		}
	}
	return ns
}

func checkExactSum(t *testing.T, rng *rand.Rand, p Plan, numbers int, a chunking.Arithmetic) Traffic {
	t.Helper()
	xs := uniform(rng, p.Size(), numbers, a)
	want := total(xs, a)
	results, traffic := lockstep(t, open(rng, p, xs))
	for s, got := range results {
		if !slices.Equal(got, want) {
			t.Fatalf("%s, %s: member %d of %d has %v, want %v", p.Name(), a, s, p.Size(), got, want)
		}
	}
	return traffic
}

// leastRounds returns the number of rounds needed to hear of n members, if each hears k others
// per round.
func leastRounds(n, k int) (rounds int) {
	for reached := 1; reached < n; reached *= k + 1 {
		rounds++
	}
	return rounds
}

// checkSteps checks the length of the longest chain of frames. Members that hear nothing in a
// round run ahead, which saves at most one step in all.
func checkSteps(t *testing.T, p Plan, k int, traffic Traffic) {
	t.Helper()
	if traffic.Steps > p.Rounds() || traffic.Steps < max(p.Rounds()-1, leastRounds(p.Size(), k)) {
		t.Errorf("%s of %d: %d steps in %d rounds", p.Name(), p.Size(), traffic.Steps, p.Rounds())
	}
}

func TestFoldInIsExactInItsRounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range sizes() {
		for k := 1; k <= 4; k++ {
			arithmetics := []chunking.Arithmetic{chunking.Ring, chunking.Ring128, chunking.Field}
			if k != n%4+1 {
				arithmetics = arithmetics[:1]
			}
			for _, a := range arithmetics {
				p := must[*Exchange](t)(NewFoldIn(n, k, a))
				traffic := checkExactSum(t, rng, p, 1, a)
				checkSteps(t, p, k, traffic)
			}
		}
	}
}

func TestBaseKIsExactInItsRounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, n := range sizes() {
		for k := 1; k <= 4; k++ {
			p := must[*Exchange](t)(NewBaseK(n, k))
			traffic := checkExactSum(t, rng, p, 1, chunking.Field)
			checkSteps(t, p, k, traffic)
		}
	}
}

// Blocks may have unequal lengths, and are empty if the vector is shorter than the number of
// members.
func TestCirculantIsExactForAnyLength(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, n := range sizes() {
		lengths := []int{n - 1, 2*n + 1}
		if n < 20 {
			lengths = append(lengths, 0, 1)
		}
		for _, numbers := range lengths {
			checkExactSum(t, rng, must[*Circulant](t)(NewCirculant(n, chunking.Ring)), numbers, chunking.Ring)
		}
		a := []chunking.Arithmetic{chunking.Ring128, chunking.Field}[n%2]
		checkExactSum(t, rng, must[*Circulant](t)(NewCirculant(n, a)), n/2+1, a)
	}
}

// With blocks of equal length every member sends 2(n-1) of them, in 2⌈log₂ n⌉ rounds.
func TestCirculantTraffic(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for _, c := range []struct{ size, rounds int }{{2, 2}, {3, 4}, {4, 4}, {5, 6}, {31, 10}, {32, 10}, {33, 12}, {100, 14}} {
		p := must[*Circulant](t)(NewCirculant(c.size, chunking.Ring))
		traffic := checkExactSum(t, rng, p, 3*c.size, chunking.Ring)
		if p.Rounds() != c.rounds || traffic.Steps != c.rounds {
			t.Errorf("size %d: %d steps, planned %d, want %d", c.size, traffic.Steps, p.Rounds(), c.rounds)
		}
		for s, words := range traffic.Words {
			if words != 2*3*(c.size-1) || traffic.Frames[s] != c.rounds {
				t.Errorf("size %d: member %d sent %d words in %d frames, want %d in %d", c.size, s, words, traffic.Frames[s], 6*(c.size-1), c.rounds)
			}
		}
	}
}

func TestRoundsOfExactPlans(t *testing.T) {
	for _, c := range []struct {
		size   int
		baseK  [4]int // rounds for k = 1, 2, 3, 4
		foldIn [4]int
	}{
		{7, [4]int{5, 4, 3, 3}, [4]int{4, 3, 3, 3}},
		{16, [4]int{4, 4, 2, 2}, [4]int{4, 4, 2, 2}},
		{31, [4]int{9, 7, 5, 5}, [4]int{6, 5, 4, 4}},
		{32, [4]int{5, 5, 3, 3}, [4]int{5, 5, 3, 3}},
		{33, [4]int{11, 6, 5, 5}, [4]int{7, 5, 4, 4}},
		{63, [4]int{11, 6, 5, 5}, [4]int{7, 5, 4, 4}},
		{100, [4]int{11, 8, 6, 3}, [4]int{8, 6, 5, 3}},
		{127, [4]int{13, 9, 7, 7}, [4]int{8, 6, 5, 5}},
		{255, [4]int{15, 10, 8, 6}, [4]int{9, 7, 5, 5}},
		{500, [4]int{15, 11, 8, 4}, [4]int{10, 7, 6, 4}},
		{1000, [4]int{16, 12, 9, 5}, [4]int{11, 8, 6, 5}},
	} {
		for i := range 4 {
			if got := must[*Exchange](t)(NewBaseK(c.size, i+1)).Rounds(); got != c.baseK[i] {
				t.Errorf("base-k of %d, k = %d: %d rounds, want %d", c.size, i+1, got, c.baseK[i])
			}
			if got := must[*Exchange](t)(NewFoldIn(c.size, i+1, chunking.Ring)).Rounds(); got != c.foldIn[i] {
				t.Errorf("fold-in of %d, k = %d: %d rounds, want %d", c.size, i+1, got, c.foldIn[i])
			}
		}
	}
}

// Fold-in takes at most as many rounds as a base-(k+1) graph, and no member hears more than k
// others in a round. No plan needs fewer rounds than it takes to hear of everybody.
func TestFoldInTakesFewestRounds(t *testing.T) {
	ties := 0
	for n := 2; n <= 300; n++ {
		for k := 1; k <= 4; k++ {
			fold, base := must[*Exchange](t)(NewFoldIn(n, k, chunking.Ring)).(*Exchange), must[*Exchange](t)(NewBaseK(n, k)).(*Exchange)
			least := leastRounds(n, k)
			if fold.Rounds() > base.Rounds() || fold.Rounds() < least {
				t.Errorf("%d members, k = %d: fold-in %d rounds, base-k %d, at least %d", n, k, fold.Rounds(), base.Rounds(), least)
			}
			if fold.Rounds() == base.Rounds() {
				ties++
			}
			for _, p := range []*Exchange{fold, base} {
				for round, rows := range p.schedule {
					for v, r := range rows {
						if len(r.hears) > k {
							t.Fatalf("%s of %d: vertex %d hears %v in round %d", p.name, n, v, r.hears, round)
						}
					}
				}
			}
		}
	}
	if p := must[*Exchange](t)(NewFoldIn(7, math.MaxInt, chunking.Ring)); p.Rounds() != 1 {
		t.Errorf("everybody hears everybody: %d rounds, want 1", p.Rounds())
	}
	if ties != 142 {
		t.Errorf("%d ties, want 142", ties)
	}
}

func TestNewExactChoosesByLength(t *testing.T) {
	for _, c := range []struct {
		size, k, words int
		want           string
	}{
		{31, 1, 1000, "fold-in k=1"},
		{31, 1, 100_000, "circulant"},
		{31, 3, 1000, "fold-in k=3"},
		{31, 3, 100_000, "circulant"},
		{2, 1, 10_000_000, "fold-in k=1"}, // both send one vector, circulant in two halves
	} {
		e, err := NewExact(c.size, c.k, chunking.Ring)
		if err != nil {
			t.Fatal(err)
		}
		if p := e.For(c.words); p.Name() != c.want {
			t.Errorf("%d words among %d, k = %d: %s, want %s", c.words, c.size, c.k, p.Name(), c.want)
		}
	}
}

// Long frames travel in parts, even around the end of the vector. They can be repeated until
// the total that contains them has come.
func TestCirculantSendsLongFramesInParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	const size, numbers = 3, 4*PartWords + 7
	p := must[*Circulant](t)(NewCirculant(size, chunking.Ring))
	checkExactSum(t, rng, p, numbers, chunking.Ring)
	sessions := open(rng, p, uniform(rng, size, numbers, chunking.Ring))
	first := sessions[0].Start()
	if len(first) != 2 || len(first[0].Words) != PartWords || first[1].Part != 1 {
		t.Fatalf("began with %d frames, the first of %d words", len(first), len(first[0].Words))
	}
	to := first[0].To
	again := sessions[0].Again(to, 0)
	for i, f := range again {
		if f.To != to || f.Part != i || !slices.Equal(f.Words, first[i].Words) {
			t.Errorf("part %d again is another", i)
		}
	}
	if err := sessions[to].Receive(0, 0, 1, again[1].Words); err != nil {
		t.Error(err)
	}
	want := Progress{Frames: 1, FramesInAll: 8, Words: len(again[1].Words), WordsInAll: 2 * (numbers - numbers/size)}
	if got := sessions[to].Progress(); got.Frames != want.Frames || got.FramesInAll != want.FramesInAll || got.Words != want.Words || got.WordsInAll-want.WordsInAll > 1 {
		t.Errorf("%+v, want %+v", got, want)
	}
	sessions = open(rng, p, uniform(rng, size, numbers, chunking.Ring))
	lockstep(t, sessions)
	if got := sessions[0].Again(to, 0); len(got) > 0 {
		t.Errorf("%d frames of the first round again at the end, when their totals are here", len(got))
	}
}

// keptSums finds sums by the vectors' memory.
type keptSums map[[2]*uint64][]uint64

func (k keptSums) Sum(a, b []uint64, add func() []uint64) []uint64 {
	for _, key := range [][2]*uint64{{&a[0], &b[0]}, {&b[0], &a[0]}} {
		if sum, found := k[key]; found {
			return sum
		}
	}
	sum := add()
	k[[2]*uint64{&a[0], &b[0]}] = sum
	return sum
}

// Members that share their sums compute each once: the fold-in of n members needs n-1 additions.
func TestMembersShareSums(t *testing.T) {
	for _, size := range []int{2, 16, 23, 64} {
		rng := rand.New(rand.NewPCG(uint64(size), 1))
		p := must[*Exchange](t)(NewFoldIn(size, 1, chunking.Ring))
		xs, kept, members := uniform(rng, size, 5, chunking.Ring), keptSums{}, rng.Perm(size)
		sessions := make([]Session, size)
		for s := range sessions {
			sessions[s] = p.New(Placement{Members: members, Self: s, Sums: kept}, slices.Clone(xs[s]))
		}
		results, _ := lockstep(t, sessions)
		for s, got := range results {
			if !slices.Equal(got, total(xs, chunking.Ring)) {
				t.Errorf("member %d of %d: got another total", s, size)
			}
		}
		if len(kept) != size-1 {
			t.Errorf("%d members: %d additions, want %d", size, len(kept), size-1)
		}
	}
}
