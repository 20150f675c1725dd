package session

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A vertex is a vertex that a member hosts: part 0 is its own, part 1 a ghost.
type vertex struct {
	x, before []uint64
	terms     []term
	weights   []float64  // weights of the terms
	others    [][]uint64 // vectors of the terms, in the iteration that ends
	tells     []int      // members that host neighbours, except this one
}

// A term is a neighbour. Its vector comes from a port, or from a vertex that this member hosts.
type term struct {
	member, part int
	port         int // index of the port, -1 for a vertex that this member hosts
	weight       float64
}

func newVertex(x []uint64, terms []term) vertex {
	v := vertex{x: x, terms: terms, others: make([][]uint64, len(terms))}
	for _, n := range terms {
		v.weights = append(v.weights, n.weight)
	}
	return v
}

// An iteration is a member's part in a Laplacian plan. A neighbour is at most one iteration
// ahead, since it needs this member's vector to go further, and at most one behind. So two
// vectors are held.
type iteration struct {
	plan     *Laplacian
	vertices []vertex // by part
	ports    []port
	t        int
	omega    float64
}

// New implements [Plan]. The words must be the bits of finite float64 values.
func (p *Laplacian) New(seat Placement, words []uint64) Session {
	if wrong := checkFinite(words); wrong != "" {
		panic("session: " + wrong)
	}
	it := &iteration{plan: p}
	v := seat.vertex(p.size)
	it.vertices = []vertex{newVertex(words, p.terms(v, seat.Members))}
	if ghost := v + p.size; ghost < p.graph.Len() {
		it.vertices = append(it.vertices, newVertex(make([]uint64, len(words)), p.terms(ghost, seat.Members)))
	}
	if len(words) > 0 {
		it.link(seat.Self, len(words))
	}
	return newMachine(it, p.iterations, 1)
}

// terms returns the neighbours of a vertex, sorted by member and part. That is the order of
// summation.
func (p *Laplacian) terms(v int, members []int) []term {
	weights := p.graph.Weights(v)
	if p.step == Metropolis {
		weights = p.graph.MetropolisWeights(v)
	}
	var terms []term
	for i, w := range p.graph.Neighbours(v) {
		host := p.graph.Host(w)
		n := term{member: members[host], port: -1, weight: weights[i]}
		if w != host {
			n.part = 1
		}
		terms = append(terms, n)
	}
	slices.SortFunc(terms, func(a, b term) int {
		return cmp.Or(cmp.Compare(a.member, b.member), cmp.Compare(a.part, b.part))
	})
	return terms
}

// link determines the ports, the port of each term, and the members that get the vectors.
func (it *iteration) link(self, words int) {
	for _, v := range it.vertices {
		for _, n := range v.terms {
			if n.member != self {
				it.ports = append(it.ports, port{from: n.member, part: n.part, words: words})
			}
		}
	}
	slices.SortFunc(it.ports, comparePorts)
	it.ports = slices.Compact(it.ports)
	for i, v := range it.vertices {
		for j, n := range v.terms {
			if n.member != self {
				v.terms[j].port, _ = slices.BinarySearchFunc(it.ports, port{from: n.member, part: n.part}, comparePorts)
				it.vertices[i].tells = append(it.vertices[i].tells, n.member)
			}
		}
		it.vertices[i].tells = slices.Compact(it.vertices[i].tells)
	}
}

func (it *iteration) hears(int) []port { return it.ports }

func (it *iteration) check(words []uint64) string { return checkFinite(words) }

func (it *iteration) tells(round int) []Frame {
	if round < it.t-1 || len(it.ports) == 0 {
		return nil
	}
	frames := make([]Frame, 0, len(it.ports))
	for part, v := range it.vertices {
		x := v.x
		if round < it.t {
			x = v.before
		}
		for _, to := range v.tells {
			frames = append(frames, Frame{To: to, Round: round, Part: part, Words: x})
		}
	}
	if len(it.vertices) > 1 {
		slices.SortStableFunc(frames, func(a, b Frame) int { return cmp.Compare(a.To, b.To) })
	}
	return frames
}

func (it *iteration) combine(heard [][]uint64) {
	it.t++
	if len(heard) == 0 { // the vector is empty
		return
	}
	omega := 1.0
	switch {
	case it.plan.step != Chebyshev:
	case it.t == 1:
		it.omega = 2 // makes the recurrence give ω₂ = 1/(1-ρ²/2)
	default:
		it.omega = 1 / (1 - float64(it.plan.rate*it.plan.rate*it.omega/4))
		omega = it.omega
	}
	next := make([][]uint64, len(it.vertices))
	for part, v := range it.vertices {
		for i, n := range v.terms {
			if n.port >= 0 {
				v.others[i] = heard[n.port]
			} else {
				v.others[i] = it.vertices[n.part].x
			}
		}
		m := mixing{x: v.x, before: v.before, others: v.others, weights: v.weights, alpha: it.plan.alpha, omega: omega}
		next[part] = m.vector()
		clear(v.others) // release the vectors
	}
	for part := range it.vertices {
		v := &it.vertices[part]
		v.before, v.x = v.x, next[part]
	}
}

// result returns the total: the number of vertices times the average.
func (it *iteration) result() []uint64 {
	x := it.vertices[0].x
	total := make([]uint64, len(x))
	for i, w := range x {
		total[i] = math.Float64bits(float64(it.plan.graph.Len()) * math.Float64frombits(w))
	}
	return total
}

// Values returns the vectors of a Laplacian session after the rounds so far, one per vertex
// that the member hosts, its own first. They serve to measure disagreement. The caller must not
// modify them.
func Values(s Session) [][]uint64 {
	it, ok := s.(*machine).scheme.(*iteration)
	if !ok {
		panic(fmt.Sprintf("session: want a session of a Laplacian plan, got one of %T", s.(*machine).scheme))
	}
	xs := make([][]uint64, len(it.vertices))
	for i, v := range it.vertices {
		xs[i] = v.x
	}
	return xs
}
