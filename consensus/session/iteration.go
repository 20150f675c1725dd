package session

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// vertex is a vertex that a member hosts: part 0 is its own, part 1 a ghost.
type vertex struct {
	x, before []uint64
	terms     []term
	weights   []float64  // of the terms
	others    [][]uint64 // the vectors of the terms, in the iteration that ends
	tells     []int      // the members that neighbours are hosted by, but for the own one
}

// term is a neighbour: its vector is the one heard at a port, or that of a vertex
// hosted here.
type term struct {
	member, part int
	port         int // -1 for a vertex hosted here
	weight       float64
}

func newVertex(x []uint64, terms []term) vertex {
	v := vertex{x: x, terms: terms, others: make([][]uint64, len(terms))}
	for _, n := range terms {
		v.weights = append(v.weights, n.weight)
	}
	return v
}

// iteration is a member's part of a Laplacian plan. A neighbour is at most one
// iteration ahead, as to go further it needs this member's vector, and at most
// one behind, so that two vectors are held.
type iteration struct {
	plan     *Laplacian
	vertices []vertex // by part
	ports    []port
	t        int
	omega    float64
}

// New implements [Plan]. The words are the bits of finite float64.
func (p *Laplacian) New(at Placement, words []uint64) Session {
	if wrong := checkFinite(words); wrong != "" {
		panic("session: " + wrong)
	}
	it := &iteration{plan: p}
	own := at.vertex(p.size)
	it.vertices = []vertex{newVertex(words, p.terms(own, at.Members))}
	if ghost := own + p.size; ghost < p.graph.Len() {
		it.vertices = append(it.vertices, newVertex(make([]uint64, len(words)), p.terms(ghost, at.Members)))
	}
	if len(words) > 0 {
		it.link(at.Self, len(words))
	}
	return newMachine(it, p.iterations, 1)
}

// terms returns the neighbours of a vertex by member and part, the order of
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

// link finds the ports, what is heard at which, and who is told.
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
		it.omega = 2 // so that ω₂ = 1/(1-ρ²/2) falls out of the recurrence
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
		clear(v.others) // they are not held any longer than needed
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

// Values returns the vectors that a session of a Laplacian plan holds after the
// rounds so far, one a vertex that the member hosts, its own first: what
// disagreement is measured on. They are not to be modified.
func Values(s Session) [][]uint64 {
	it, ok := s.(*machine).scheme.(*iteration)
	if !ok {
		panic(fmt.Sprintf("session: values wanted of a %T", s.(*machine).scheme))
	}
	xs := make([][]uint64, len(it.vertices))
	for i, v := range it.vertices {
		xs[i] = v.x
	}
	return xs
}
