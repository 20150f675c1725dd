package graph

import (
	"fmt"
	"math"
	"math/bits"
)

// A Kind is a family of topologies.
type Kind string

// The kinds of topologies.
const (
	// HamiltonCycles is the union of degree/2 random Hamiltonian cycles (Law and Siu 2003). It
	// exists for any size, is always connected, and is an expander with high probability.
	HamiltonCycles Kind = "hamilton-cycles"
	// InverseChord is the cycle with inverse chords: x ~ x±1 and x ~ 1/x modulo a prime (Fig. 1
	// of Idé et al. 2024). The number of vertices is the next prime; the first members host the
	// extra vertices.
	InverseChord Kind = "inverse-chord"
	// RandomRegular is a random graph in which all vertices have the same degree. Nearly all
	// such graphs expand almost as well as is possible for that degree (Friedman 2008).
	RandomRegular Kind = "random-regular"
	// Margulis is the graph of Margulis, Gabber and Galil on the pairs of numbers modulo m, for
	// m² members (Margulis 1973). It is an expander for every m.
	Margulis Kind = "margulis"
	// Hypercube connects 2^d members whose numbers differ in one bit.
	Hypercube Kind = "hypercube"
	// Complete connects all members with each other.
	Complete Kind = "complete"
	// Ring is a single cycle, the slowest topology, for comparison.
	Ring Kind = "ring"
)

// Kinds returns the kinds, the default first.
func Kinds() []Kind {
	return []Kind{HamiltonCycles, InverseChord, RandomRegular, Margulis, Hypercube, Complete, Ring}
}

// completeUpTo is the size up to which every kind except Ring is the complete graph. With 4 or
// fewer vertices a sparser graph is not worth a second iteration.
const completeUpTo = 4

// maxEdges limits the memory of a graph.
const maxEdges = 1 << 24

// Check returns an error if the kind is unknown or has no graph of the given size.
func (k Kind) Check(size int) error {
	switch k {
	case HamiltonCycles, InverseChord, RandomRegular, Complete, Ring:
		return nil
	case Margulis:
		if m := int(math.Sqrt(float64(size))); size > completeUpTo && m*m != size {
			return fmt.Errorf("graph: %s wants a square number of members, got %d; choose %d or %d members, or %s", k, size, m*m, (m+1)*(m+1), HamiltonCycles)
		}
		return nil
	case Hypercube:
		if p := 1 << (bits.Len(uint(size)) - 1); size > completeUpTo && p != size {
			return fmt.Errorf("graph: %s wants a power of two as the number of members, got %d; choose %d or %d members, or %s", k, size, p, 2*p, HamiltonCycles)
		}
		return nil
	}
	return fmt.Errorf("graph: want %s, %s, %s, %s, %s, %s or %s, got %q", HamiltonCycles, InverseChord, RandomRegular, Margulis, Hypercube, Complete, Ring, string(k))
}

// Validate returns the error that [New] returns for a size and a degree. It makes no graph.
func (k Kind) Validate(size, degree int) error {
	if err := k.Check(size); err != nil {
		return err
	}
	if size < 2 {
		return fmt.Errorf("graph: want at least 2 vertices, got %d", size)
	}
	return k.of(size).checkDegree(size, degree)
}

// of returns the kind of the graph of a size.
func (k Kind) of(size int) Kind {
	if k != Ring && size <= completeUpTo {
		return Complete
	}
	return k
}

// checkDegree returns an error if the kind has no graph of the given degree, or the graph is
// too large. Check must have accepted the size.
func (k Kind) checkDegree(size, degree int) error {
	switch k {
	case Ring:
		degree = 2
	case InverseChord:
		degree = 3
	case Margulis:
		degree = margulisDegree
	case Hypercube:
		degree = bits.Len(uint(size)) - 1
	case Complete:
		degree = size - 1
	default:
		if degree < 2 {
			return fmt.Errorf("graph: want a degree of at least 2, got %d", degree)
		}
		degree = min(degree, size-1)
		if k == RandomRegular && size%2 != 0 && degree%2 != 0 {
			return fmt.Errorf("graph: %s has no graph of odd degree %d on an odd number of members, %d; choose degree %d, or %s", k, degree, size, degree+1, HamiltonCycles)
		}
	}
	if size > maxEdges || size*degree/2 > maxEdges {
		return fmt.Errorf("graph: want at most %d edges, got %d members of degree %d; choose fewer members, a lower degree or another kind", maxEdges, size, degree)
	}
	return nil
}
