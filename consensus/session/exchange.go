package session

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/collabdict/collabdict/chunking"
)

// An Exchange is a plan in which members send whole vectors on a schedule that ends with the
// exact sum at every member. [NewFoldIn] and [NewBaseK] make one.
type Exchange struct {
	name       string
	size       int
	arithmetic chunking.Arithmetic
	schedule   schedule
	times      uint64 // factor from the last value to the sum: the size if the last value is the mean, else 1
	digest     [32]byte
}

func newExchange(name string, size int, a chunking.Arithmetic, s schedule, times uint64) *Exchange {
	p := &Exchange{name: name, size: size, arithmetic: a, schedule: s, times: times}
	encoded := []byte("collabdict/exchange/1/" + a)
	put := func(vs ...int) {
		for _, v := range vs {
			encoded = binary.BigEndian.AppendUint64(encoded, uint64(v))
		}
	}
	put(size, int(times), len(s))
	for _, rows := range s {
		for _, r := range rows {
			put(int(r.self), int(r.weight), len(r.hears))
			put(r.hears...)
		}
	}
	p.digest = sha256.Sum256(encoded)
	return p
}

// Size implements [Plan].
func (p *Exchange) Size() int { return p.size }

// Rounds implements [Plan].
func (p *Exchange) Rounds() int { return len(p.schedule) }

// Digest implements [Plan].
func (p *Exchange) Digest() [32]byte { return p.digest }

// Name implements [Plan].
func (p *Exchange) Name() string { return p.name }

// busiest returns the number of vectors that the busiest member sends.
func (p *Exchange) busiest() int {
	sent := make([]int, p.size)
	for _, rows := range p.schedule {
		for v, r := range rows {
			sent[v] += len(r.tells)
		}
	}
	return slices.Max(sent)
}

// New implements [Plan].
func (p *Exchange) New(seat Placement, words []uint64) Session {
	checkOwn(p.arithmetic, words)
	v := seat.vertex(p.size)
	e := &exchange{plan: p, sums: seat.Sums, values: [][]uint64{words}}
	for _, rows := range p.schedule {
		s := step{self: rows[v].self, weight: rows[v].weight}
		if len(words) > 0 {
			for _, w := range rows[v].hears {
				s.hears = append(s.hears, port{from: seat.Members[w], words: len(words)})
			}
			for _, w := range rows[v].tells {
				s.tells = append(s.tells, seat.Members[w])
			}
			slices.SortFunc(s.hears, comparePorts)
			slices.Sort(s.tells)
		}
		e.steps = append(e.steps, s)
	}
	return newMachine(e, p.Rounds(), p.Rounds())
}

// An exchange is a member's part in an Exchange. A member can run ahead of another that it does
// not hear, which may ask for frames of any round until the end. So the values of all rounds
// are held.
type exchange struct {
	plan   *Exchange
	sums   Sums // nil for a member alone
	steps  []step
	values [][]uint64 // values after 0, 1, ... rounds
}

// A step is a row of the schedule with members in place of vertices.
type step struct {
	self, weight uint64
	hears        []port
	tells        []int
}

func (e *exchange) hears(round int) []port { return e.steps[round].hears }

func (e *exchange) check(words []uint64) string { return checkWords(e.plan.arithmetic, words) }

func (e *exchange) tells(round int) []Frame {
	var frames []Frame
	for _, to := range e.steps[round].tells {
		frames = append(frames, Frame{To: to, Round: round, Words: e.values[round]})
	}
	return frames
}

func (e *exchange) combine(heard [][]uint64) {
	round := len(e.values) - 1
	s, x := e.steps[round], e.values[round]
	switch {
	case len(heard) == 0:
	case s.self == 0 && s.weight == 1 && len(heard) == 1:
		x = heard[0]
	case e.sums != nil && s.self == 1 && s.weight == 1 && len(heard) == 1:
		x = e.sums.Sum(x, heard[0], func() []uint64 { return e.mix(s, x, heard) })
	default:
		x = e.mix(s, x, heard)
	}
	e.values = append(e.values, x)
}

// mix returns self·x + weight·Σ heard.
func (e *exchange) mix(s step, x []uint64, heard [][]uint64) []uint64 {
	a := e.plan.arithmetic
	next := make([]uint64, len(x))
	if s.self == s.weight {
		heard = append([][]uint64{x}, heard...)
	}
	if len(heard) == 1 {
		copy(next, heard[0])
	} else {
		add(a, next, heard[0], heard[1])
		for _, other := range heard[2:] {
			add(a, next, next, other)
		}
	}
	scale(next, s.weight)
	if s.self != s.weight {
		addScaled(next, x, s.self)
	}
	return next
}

func (e *exchange) result() []uint64 {
	total := e.values[len(e.values)-1]
	if e.plan.times != 1 {
		total = slices.Clone(total)
		scale(total, e.plan.times)
	}
	return total
}
