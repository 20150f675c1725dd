package graph

func ring(size int) [][2]int {
	edges := make([][2]int, size)
	for v := range edges {
		edges[v] = [2]int{v, (v + 1) % size}
	}
	return edges
}

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

// inverseChord returns the edges of the cycle with inverse chords. The caller drops the loops
// at 0, 1 and p-1, and counts an edge that is both in the cycle and a chord only once.
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
	at := func(x, y int) int { return (x+2*m)%m*m + (y+2*m)%m }
	adj := make([][]int, m*m)
	count := make([]map[int]float64, m*m)
	for x := range m {
		for y := range m {
			v := at(x, y)
			adj[v] = []int{
				at(x+y, y), at(x-y, y), at(x+y+1, y), at(x-y-1, y),
				at(x, y+x), at(x, y-x), at(x, y+x+1), at(x, y-x-1),
			}
			count[v] = map[int]float64{}
			for _, w := range adj[v] {
				count[v][w]++
			}
		}
	}
	g := newGraph(Margulis, adj)
	g.weights = make([][]float64, m*m)
	for v, neighbours := range g.adj {
		g.degrees[v] = margulisDegree
		for _, w := range neighbours {
			g.weights[v] = append(g.weights[v], count[v][w])
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
