package graph

// The functions of this file may return loops and edges that occur twice. newGraph drops these.

// ring returns the edges of the cycle 0, 1, ..., size-1. With two vertices, it has their edge
// twice.
func ring(size int) [][2]int {
	edges := make([][2]int, size)
	for v := range edges {
		edges[v] = [2]int{v, (v + 1) % size}
	}
	return edges
}

// complete returns the complete graph. It gives newGraph each vertex as its own neighbour, too.
func complete(size int) *Graph {
	adj := make([][]int, size)
	for v := range adj {
		adj[v] = make([]int, size)
		for w := range adj[v] {
			adj[v][w] = w
		}
	}
	return newGraph(Complete, adj)
}

// hypercube returns the edges between numbers that differ in one bit. Size is a power of two:
// [Kind.Check] has checked it.
func hypercube(size int) [][2]int {
	var edges [][2]int
	for bit := 1; bit < size; bit *= 2 {
		for v := range size {
			if v&bit == 0 {
				edges = append(edges, [2]int{v, v | bit})
			}
		}
	}
	return edges
}

// inverseChord returns the edges of the cycle with inverse chords modulo a prime p. 1 and p-1
// are their own inverses, so their chords are loops. The chord of x is also that of 1/x, so it
// occurs twice. A few chords may be edges of the cycle, too.
func inverseChord(p int) [][2]int {
	edges := ring(p)
	for x := 1; x < p; x++ {
		edges = append(edges, [2]int{x, powMod(x, p-2, p)}) // Fermat: x^(p-2) = 1/x
	}
	return edges
}

const margulisDegree = 8

// margulis returns the graph on m² vertices (x, y) with eight edges each: to (x±y, y),
// (x±(y+1), y), (x, y±x) and (x, y±(x+1)) modulo m. Edges that occur twice count twice. Loops
// have no effect in the Laplacian but count in the degree, which is therefore 8 everywhere. λ₂
// is 0.887 for m = 16 and 0.515 for m = 128.
func margulis(m int) *Graph {
	vertex := func(x, y int) int { return ((x+m)%m)*m + (y+m)%m } // for x and y from -m
	adj := make([][]int, m*m)
	multiplicity := make([]map[int]float64, m*m) // of each neighbour
	for x := range m {
		for y := range m {
			v := vertex(x, y)
			adj[v] = []int{
				vertex(x+y, y), vertex(x-y, y), vertex(x+y+1, y), vertex(x-y-1, y),
				vertex(x, y+x), vertex(x, y-x), vertex(x, y+x+1), vertex(x, y-x-1),
			}
			multiplicity[v] = map[int]float64{}
			for _, w := range adj[v] {
				multiplicity[v][w]++
			}
		}
	}
	// newGraph drops loops and counts each edge once. So the degrees, and the weights of the edges
	// that it keeps, are set afterwards.
	g := newGraph(Margulis, adj)
	g.weights = make([][]float64, m*m)
	for v, neighbours := range g.adj {
		g.degrees[v] = margulisDegree
		for _, w := range neighbours {
			g.weights[v] = append(g.weights[v], multiplicity[v][w])
		}
	}
	return g
}

// nextPrime returns the smallest prime that is at least n.
func nextPrime(n int) int {
	for !isPrime(n) {
		n++
	}
	return n
}

func isPrime(n int) bool {
	for d := 2; d*d <= n; d++ {
		if n%d == 0 {
			return false
		}
	}
	return n >= 2
}

// powMod returns x^e modulo p, for p below 2^31.
func powMod(x, e, p int) int {
	y := 1
	for ; e > 0; e >>= 1 {
		if e&1 == 1 {
			y = y * x % p
		}
		x = x * x % p
	}
	return y
}
