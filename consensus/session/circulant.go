package session

import (
	"crypto/sha256"
	"fmt"

	"github.com/collabdict/collabdict/chunking"
)

// Circulant is a plan for long vectors and any number n of members: each member
// sums one of n blocks, then all gather the sums, in 2⌈log₂ n⌉ rounds and 2m(n-1)/n
// words sent by a member for a vector of m (Träff 2024).
type Circulant struct {
	size       int
	arithmetic chunking.Arithmetic
	// skips are 1 = s_0 < ... < s_q = n, each half of the next, rounded up. In round
	// i of the first half a member sends to the member s_j above its own place,
	// j = q-1-i; in round j of the second to the one s_j below.
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
	return sha256.Sum256(fmt.Appendf(nil, "collabdict/circulant/1/%s/%d", p.arithmetic, p.size))
}

// hop returns the skip of a round, how many blocks travel over it, and whether it
// is one of the first half.
func (p *Circulant) hop(round int) (skip, blocks int, reducing bool) {
	q := len(p.skips) - 1
	j := round - q
	if reducing = round < q; reducing {
		j = q - 1 - round
	}
	return p.skips[j], p.skips[j+1] - p.skips[j], reducing
}

// New implements [Plan].
func (p *Circulant) New(at Placement, words []uint64) Session {
	checkOwn(p.arithmetic, words)
	c := &circulant{plan: p, members: at.Members, vertex: at.vertex(p.size), words: len(words)}
	first := c.start(c.vertex)
	c.partial = append(append(make([]uint64, 0, len(words)), words[first:]...), words[:first]...)
	for round := range p.Rounds() {
		c.ports = append(c.ports, c.port(round))
	}
	return newMachine(c, p.Rounds(), p.Rounds())
}

// circulant is a member's part of a Circulant. It has the blocks in the order
// that begins with its own: place i is block vertex+i. All that was sent stays as
// it was and is held, as in [exchange]: in the first half, only places below
// those sent are added to.
type circulant struct {
	plan    *Circulant
	members []int
	vertex  int
	words   int
	ports   [][]port
	round   int
	partial []uint64 // sums over more and more members
	total   []uint64 // sums over all, of more and more blocks; nil in the first half
}

// start returns where a block begins in the vector.
func (c *circulant) start(block int) int {
	limbs := limbs(c.plan.arithmetic)
	return c.words / limbs * block / c.plan.size * limbs
}

// offset returns where a place begins in the reordered vector.
func (c *circulant) offset(place int) int {
	block := c.vertex + place
	if block < c.plan.size {
		return c.start(block) - c.start(c.vertex)
	}
	return c.words - c.start(c.vertex) + c.start(block-c.plan.size)
}

// member returns who sits so many places further.
func (c *circulant) member(places int) int {
	return c.members[(c.vertex+places+c.plan.size)%c.plan.size]
}

func (c *circulant) port(round int) []port {
	skip, blocks, reducing := c.plan.hop(round)
	p := port{from: c.member(-skip), words: c.offset(blocks)}
	if !reducing {
		p = port{from: c.member(skip), words: c.offset(skip+blocks) - c.offset(skip)}
	}
	if p.words == 0 {
		return nil
	}
	return []port{p}
}

func (c *circulant) hears(round int) []port { return c.ports[round] }

func (c *circulant) check(words []uint64) string { return checkWords(c.plan.arithmetic, words) }

func (c *circulant) tells(round int) []Frame {
	skip, blocks, reducing := c.plan.hop(round)
	f := Frame{To: c.member(-skip), Round: round}
	if reducing {
		f.To, f.Words = c.member(skip), c.partial[c.offset(skip):c.offset(skip+blocks)]
	} else {
		f.Words = c.total[:c.offset(blocks)]
	}
	if len(f.Words) == 0 {
		return nil
	}
	return []Frame{f}
}

func (c *circulant) combine(heard [][]uint64) {
	skip, blocks, reducing := c.plan.hop(c.round)
	if len(heard) > 0 {
		if reducing {
			sum := c.partial[:c.offset(blocks)]
			add(c.plan.arithmetic, sum, sum, heard[0])
		} else {
			copy(c.total[c.offset(skip):], heard[0])
		}
	}
	c.round++
	if c.round == c.plan.Rounds()/2 {
		c.total = make([]uint64, c.words)
		copy(c.total, c.partial[:c.offset(1)])
	}
}

func (c *circulant) result() []uint64 {
	if c.plan.size == 1 {
		return c.partial
	}
	own := c.words - c.start(c.vertex)
	return append(append(make([]uint64, 0, c.words), c.total[own:]...), c.total[:own]...)
}
