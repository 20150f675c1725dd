package consensus

import "slices"

// The knowledge of a coalition is a linear space over the vectors x_s and, for each attempt, the
// pads b_s and the chunks r_ij of the complete chunk graph. The coalition knows its own x and b,
// every chunk that it dealt or received, every pad that was revealed, and every pad for which it
// has T shares. It also knows every residue y_s = x_s + b_s - Σ_j r_sj + Σ_j r_js of a member
// that has begun its session. That is the worst case: no observation of a session gives more
// than all residues.

// A knownAttempt describes the data that has left members in an attempt, as sets of ranks.
type knownAttempt struct {
	view, dealt, begun, pads, shares uint8
}

const prime = 1<<31 - 1

func inverse(a uint64) uint64 {
	r := uint64(1)
	for e := uint64(prime - 2); e > 0; e >>= 1 {
		if e&1 == 1 {
			r = r * a % prime
		}
		a = a * a % prime
	}
	return r
}

// learned returns the dimension of a coalition's knowledge about the others' vectors alone: 0
// for nothing, 1 for one total, 2 for a difference of totals.
func learned(n int, coalition uint8, attempts []knownAttempt, threshold int) int {
	return len(known(n, coalition, attempts, threshold))
}

// known returns a coalition's knowledge about the others' vectors alone: independent
// combinations, given by weights. The first weight of each is 1.
func known(n int, coalition uint8, attempts []knownAttempt, threshold int) (combinations [][]uint64) {
	perAttempt := n + n*n
	nuisance := len(attempts) * perAttempt
	var rows [][]uint64
	unit := func(i int) {
		r := make([]uint64, nuisance+n)
		r[i] = 1
		rows = append(rows, r)
	}
	in := func(set uint8, s int) bool { return set>>s&1 == 1 }
	for s := range n {
		if in(coalition, s) {
			unit(nuisance + s)
		}
	}
	for i, a := range attempts {
		pad := func(s int) int { return i*perAttempt + s }
		chunk := func(s, j int) int { return i*perAttempt + n + s*n + j }
		for s := range n {
			if !in(a.view, s) {
				continue
			}
			shares := 0
			for h := range n {
				if h != s && in(a.view, h) && (in(coalition, h) && in(a.dealt, s) || in(a.shares, h)) {
					shares++
				}
			}
			if in(coalition, s) || in(a.pads, s) || threshold > 0 && shares >= threshold {
				unit(pad(s))
			}
			residue := make([]uint64, nuisance+n)
			residue[nuisance+s], residue[pad(s)] = 1, 1
			for j := range n {
				if j == s || !in(a.view, j) {
					continue
				}
				if in(a.dealt, s) && (in(coalition, s) || in(coalition, j)) {
					unit(chunk(s, j))
				}
				residue[chunk(s, j)] = prime - 1
				residue[chunk(j, s)] = 1
			}
			if in(a.begun, s) {
				rows = append(rows, residue)
			}
		}
	}
	for i, pivot := range eliminate(rows) {
		if pivot < nuisance {
			continue
		}
		x := rows[i][nuisance:]
		for s := range n {
			if in(coalition, s) {
				x[s] = 0 // subtract what is known
			}
		}
		combinations = append(combinations, x)
	}
	combinations = combinations[:len(eliminate(combinations))]
	for _, x := range combinations {
		first := inverse(x[slices.IndexFunc(x, func(w uint64) bool { return w != 0 })])
		for s := range x {
			x[s] = x[s] * first % prime
		}
	}
	return combinations
}

// eliminate transforms rows to echelon form and returns the columns of the pivots.
func eliminate(rows [][]uint64) (pivots []int) {
	if len(rows) == 0 {
		return nil
	}
	at := 0
	for c := range rows[0] {
		p := at
		for p < len(rows) && rows[p][c] == 0 {
			p++
		}
		if p == len(rows) {
			continue
		}
		rows[at], rows[p] = rows[p], rows[at]
		inv := inverse(rows[at][c])
		for j := at + 1; j < len(rows); j++ {
			if f := rows[j][c] * inv % prime; f != 0 {
				for k := c; k < len(rows[j]); k++ {
					rows[j][k] = (rows[j][k] + (prime-f)*rows[at][k]) % prime
				}
			}
		}
		pivots = append(pivots, c)
		if at++; at == len(rows) {
			break
		}
	}
	return pivots
}
