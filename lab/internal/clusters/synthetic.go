package clusters

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// synthetic describes the grid of made-up rows: clusters of variance 1 with independent
// columns. Each member has at least 2 clusters, and lacks at least 2.
type synthetic struct {
	clusters, dim int
	apart         float64 // least distance between two centres
	rows          int     // training rows of all members together
}

// draw returns members with their rows, and the centres of the clusters.
func (s synthetic) draw(rng *rand.Rand, members int) ([]client, [][]float64) {
	centres := s.centres(rng)
	out := make([]client, members)
	for rank, own := range hands(rng, s.clusters, members, 2, s.clusters-2) {
		train := s.rows / members
		out[rank] = client{noisy(rng, centres, own, train), noisy(rng, centres, own, train*3/7), len(own)}
	}
	return out, centres
}

// noisy draws n rows, taking the own clusters in turn.
func noisy(rng *rand.Rand, centres [][]float64, own []int, n int) part {
	dim := len(centres[0])
	p := part{mat.NewDense(n, dim, nil), make([]int, n)}
	for i := range n {
		c := own[i%len(own)]
		p.truth[i] = c
		for j, v := range centres[c] {
			p.x.Set(i, j, v+rng.NormFloat64())
		}
	}
	return p
}

// centres draws the first centre with standard deviation 5 in each column. The second is as
// close to it as allowed. The others are drawn about the first, at the required distance from
// all before.
func (s synthetic) centres(rng *rand.Rand) [][]float64 {
	draw := func(sd float64) []float64 {
		v := make([]float64, s.dim)
		for j := range v {
			v[j] = sd * rng.NormFloat64()
		}
		return v
	}
	first, direction := draw(5), draw(1)
	second := append([]float64(nil), first...)
	floats.AddScaled(second, s.apart/floats.Norm(direction, 2), direction)
	out := [][]float64{first, second}
	for len(out) < s.clusters {
		c := draw(5)
		floats.Add(c, first)
		if _, d := nearest(c, out); d >= s.apart {
			out = append(out, c)
		}
	}
	return out
}

// nearest returns the index of the centre nearest to a row, and its distance.
func nearest(row []float64, centres [][]float64) (at int, distance float64) {
	for i, c := range centres {
		if d := floats.Distance(row, c, 2); i == 0 || d < distance {
			at, distance = i, d
		}
	}
	return at, distance
}
