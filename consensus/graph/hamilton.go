package graph

import "math/rand/v2"

// draws is the number of seeded unions of cycles of which the best is kept.
const draws = 16

// spectrumUpTo is the size up to which the draws are compared by their spectra.
// Above it a random union is an expander so surely that the first one is taken.
const spectrumUpTo = 200

// hamiltonCycles returns the union of the given number of random Hamiltonian
// cycles with the largest λ₂/λ_max among a fixed sequence of draws, so that all
// members build the same one.
func hamiltonCycles(size, cycles int) (*Graph, error) {
	var best *Graph
	bestRatio := -1.0
	for draw := range uint64(draws) {
		rng := rand.New(rand.NewPCG(uint64(size)<<8|uint64(cycles), draw))
		var edges [][2]int
		for range cycles {
			order := rng.Perm(size)
			for i, v := range order {
				edges = append(edges, [2]int{v, order[(i+1)%size]})
			}
		}
		g := fromEdges(HamiltonCycles, size, edges)
		if size > spectrumUpTo {
			return g, nil
		}
		s, err := g.Spectrum()
		if err != nil {
			return nil, err
		}
		if ratio := s.Lambda2 / s.LambdaMax; ratio > bestRatio {
			best, bestRatio = g, ratio
		}
	}
	return best, nil
}
