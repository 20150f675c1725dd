package session

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/collabdict/collabdict/chunking"
)

// A Circulant is a plan for long vectors and any number n of members (Träff 2024). Each member
// sums one of n blocks, then all gather the sums. This takes 2⌈log₂ n⌉ rounds, and each member
// sends 2m(n-1)/n words for a vector of m words.
type Circulant struct {
	size       int
	arithmetic chunking.Arithmetic
	// skips are 1 = s_0 < ... < s_q = n, each half of the next, rounded up. In round i of the
	// first half a member sends to the member s_j above its own place, where j = q-1-i. In
	// round j of the second half it sends to the member s_j below.
	skips []int
}

// NewCirculant returns the plan for the given number of members.
func NewCirculant(size int, a chunking.Arithmetic) (*Circulant, error) {
	if err := checkExact(size, 1, a); err != nil {
		return nil, err
	}
	skips := []int{size}
	for s := size; s > 1; {
		s = (s + 1) / 2
		skips = append([]int{s}, skips...)
	}
	return &Circulant{size: size, arithmetic: a, skips: skips}, nil
}

// Size implements [Plan].
func (p *Circulant) Size() int { return p.size }

// Rounds implements [Plan].
func (p *Circulant) Rounds() int { return 2 * (len(p.skips) - 1) }

// Name implements [Plan].
func (p *Circulant) Name() string { return "circulant" }

// Digest implements [Plan].
func (p *Circulant) Digest() [32]byte {
	const version = 2
	return sha256.Sum256(fmt.Appendf(nil, "collabdict/circulant/%d/%s/%d", version, p.arithmetic, p.size))
}

// PartWords is the largest number of words in a frame of a Circulant: 256 KiB, which takes two
// seconds on a link of 1 Mbit/s. It is even, so values of two words are never split.
const PartWords = 1 << 15

// hop returns the skip of a round, the number of blocks that travel over it, and whether the
// round is in the first half.
func (p *Circulant) hop(round int) (skip, blocks int, reducing bool) {
	q := len(p.skips) - 1
	j := round - q
	if reducing = round < q; reducing {
		j = q - 1 - round
	}
	return p.skips[j], p.skips[j+1] - p.skips[j], reducing
}

// New implements [Plan]. The session owns words: sums and totals overwrite them.
func (p *Circulant) New(seat Placement, words []uint64) Session {
	checkOwn(p.arithmetic, words)
	c := &circulant{plan: p, members: seat.Members, vertex: seat.vertex(p.size), sums: words}
	for round := range p.Rounds() {
		c.ports = append(c.ports, c.port(round))
	}
	rounds := p.Rounds() // a member can be ahead of another by all of them but one
	return newMachine(c, rounds, rounds)
}

// A circulant is a member's part in a Circulant. Place i is the block i places after the
// member's own, around the end of the vector. There is one vector. It first holds sums over
// more and more members, and then, place after place, totals.
//
// Frames contain copies, so a round holds only the data in transit. They are sent in parts of
// PartWords words, so that a slow link shows progress, and received parts are processed at
// once.
//
// A total contains the sum that was sent for its place. Its arrival proves that the receiver
// has processed that sum, so the sum may be overwritten.
type circulant struct {
	plan    *Circulant
	members []int
	vertex  int
	ports   [][]port
	round   int
	took    bool // a part of this round has come
	sums    []uint64
}

// start returns the index in the vector at which a block begins.
func (c *circulant) start(block int) int {
	limbs := limbs(c.plan.arithmetic)
	return len(c.sums) / limbs * block / c.plan.size * limbs
}

// span returns the words of the places in [from, to), in two slices if they go around the end of
// the vector.
func (c *circulant) span(from, to int) (low, high []uint64) {
	from, to = from+c.vertex, to+c.vertex
	switch n := c.plan.size; {
	case to <= n:
		return c.sums[c.start(from):c.start(to)], nil
	case from >= n:
		return c.sums[c.start(from-n):c.start(to-n)], nil
	default:
		return c.sums[c.start(from):], c.sums[:c.start(to-n)]
	}
}

// length returns the number of words of the places in [from, to).
func (c *circulant) length(from, to int) int {
	low, high := c.span(from, to)
	return len(low) + len(high)
}

// member returns the member that is the given number of places after this one.
func (c *circulant) member(places int) int {
	return c.members[(c.vertex+places+c.plan.size)%c.plan.size]
}

func (c *circulant) port(round int) (ports []port) {
	skip, blocks, reducing := c.plan.hop(round)
	from, words := c.member(-skip), c.length(0, blocks)
	if !reducing {
		from, words = c.member(skip), c.length(skip, skip+blocks)
	}
	for part := 0; words > 0; part++ {
		ports = append(ports, port{from, part, min(words, PartWords)})
		words -= PartWords
	}
	return ports
}

func (c *circulant) hears(round int) []port { return c.ports[round] }

func (c *circulant) check(words []uint64) string { return checkWords(c.plan.arithmetic, words) }

// tells implements [scheme]. For a member that has lost frames, the round may be an earlier one: its
// frames are made again from the vector. Sums of the first half are there until totals of the same
// places overwrite them. These totals come from the receiver of the sums, in the mirrored round of
// the second half, so it needs the sums no longer. Totals do not change.
func (c *circulant) tells(round int) []Frame {
	skip, blocks, reducing := c.plan.hop(round)
	to, from := c.member(-skip), 0
	if reducing {
		to, from = c.member(skip), skip
		if back := c.plan.Rounds() - 1 - round; c.round > back || c.round == back && c.took {
			return nil // totals have come to these places
		}
	}
	low, high := c.span(from, from+blocks)
	var frames []Frame
	for len(low)+len(high) > 0 {
		first := low[:min(len(low), PartWords)]
		second := high[:min(len(high), PartWords-len(first))]
		frames = append(frames, Frame{To: to, Round: round, Part: len(frames), Words: slices.Concat(first, second)})
		low, high = low[len(first):], high[len(second):]
	}
	return frames
}

// take enters a part at its place in the vector. No other part of the round has that place, so
// their order does not matter.
func (c *circulant) take(part int, x []uint64) {
	skip, blocks, reducing := c.plan.hop(c.round)
	c.took = true
	from := skip
	if reducing {
		from = 0
	}
	low, high := c.span(from, from+blocks)
	begin := part * PartWords
	first := low[min(begin, len(low)):min(begin+len(x), len(low))]
	second := high[max(0, begin-len(low)):max(0, begin+len(x)-len(low))]
	if reducing {
		add(c.plan.arithmetic, first, first, x)
		add(c.plan.arithmetic, second, second, x[len(first):])
	} else {
		copy(second, x[copy(first, x):])
	}
}

// combine only goes on to the next round: take has processed all words.
func (c *circulant) combine([][]uint64) { c.round, c.took = c.round+1, false }

func (c *circulant) result() []uint64 { return c.sums }
