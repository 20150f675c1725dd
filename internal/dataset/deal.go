package dataset

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// dealClasses deals the rows of each class to participants, each row to one.
func (s *Spec) dealClasses(classes map[string]*group, width int) (map[string]*group, error) {
	names := slices.Sorted(maps.Keys(classes))
	names = slices.DeleteFunc(names, func(c string) bool { return classes[c].train.n+classes[c].test.n == 0 })
	random := rand.New(rand.NewPCG(s.Seed, 0))
	all := make([]*group, len(names))
	for c, name := range names {
		all[c] = classes[name]
	}
	owners, err := s.owners(names, all, width, random)
	if err != nil {
		return nil, err
	}
	hands, groups := make([]*group, s.Split.Clients), make(map[string]*group, s.Split.Clients)
	for i := range hands {
		hands[i] = &group{}
		groups[NumberedName(i, len(hands))] = hands[i]
	}
	for c, g := range all {
		for at, to := range owners[c].train {
			hands[to].train.take(&g.train, at, width)
		}
		for at, to := range owners[c].test {
			hands[to].test.take(&g.test, at, width)
		}
	}
	for _, h := range hands {
		// Classes come one after the other; the first rows are to be of all.
		h.train = h.train.permuted(random, width)
		h.test = h.test.permuted(random, width)
	}
	return groups, nil
}

// owners says whose each row of a class is.
type owners struct{ train, test []int }

func (s *Spec) owners(names []string, classes []*group, width int, random *rand.Rand) ([]owners, error) {
	if s.Split.Kind == PCAKMeans {
		return s.alike(names, classes, width, random)
	}
	shares, err := s.Split.shares(len(classes), random)
	if err != nil {
		return nil, err
	}
	out := make([]owners, len(classes))
	for c, g := range classes {
		out[c].train = allot(shares[c], random.Perm(g.train.n))
		out[c].test = allot(shares[c], random.Perm(g.test.n))
	}
	return out, nil
}

// shares returns for every class the share of its rows that each participant gets.
func (p Split) shares(classes int, random *rand.Rand) ([][]float64, error) {
	out := make([][]float64, classes)
	if p.Kind == Dirichlet {
		for c := range out {
			out[c] = dirichlet(random, p.Alpha, p.Clients)
		}
		return out, nil
	}
	least, most := p.Least, p.Most
	if p.Kind == Quantity {
		least, most = int(p.Alpha), int(p.Alpha)
	}
	if least > classes {
		return nil, &Error{Column: p.Column, Msg: fmt.Sprintf("split %q: want participants of %d classes, there are %d", p, least, classes), Hint: "give a smaller number, or another label"}
	}
	if least*p.Clients < classes {
		return nil, &Error{Column: p.Column, Msg: fmt.Sprintf("split %q: %d participants of %d classes cannot have all %d classes", p, p.Clients, least, classes), Hint: "give more clients, or more classes to each"}
	}
	for c := range out {
		out[c] = make([]float64, p.Clients)
	}
	owners := make([]int, classes)
	for client := range p.Clients {
		number := least + random.IntN(min(most, classes)-least+1)
		for _, c := range p.draw(number, owners, least*(p.Clients-client-1), random) {
			out[c][client] = 1
			owners[c]++
		}
	}
	for c, n := range owners {
		for client := range out[c] {
			out[c][client] /= float64(n)
		}
	}
	return out, nil
}

// draw returns the classes of the next participant. Those that nobody has come first
// as soon as there are more of them than the participants after this one are sure to
// take; in a Quantity split those that the fewest have always do.
func (p Split) draw(number int, owners []int, after int, random *rand.Rand) []int {
	order := random.Perm(len(owners))
	missing := 0
	for _, n := range owners {
		if n == 0 {
			missing++
		}
	}
	switch {
	case p.Kind == Quantity:
		slices.SortStableFunc(order, func(a, b int) int { return owners[a] - owners[b] })
	case after < missing:
		slices.SortStableFunc(order, func(a, b int) int { return min(owners[a], 1) - min(owners[b], 1) })
	}
	return order[:number]
}

// allot gives the rows, in the order given, to participants by their shares, and
// returns whose each is. Rounding moves no row from one to another.
func allot(shares []float64, order []int) []int {
	out := make([]int, len(order))
	n, at, sum := float64(len(order)), 0, 0.0
	last := 0
	for client, share := range shares {
		if share > 0 {
			last = client
		}
		sum += share
		for ; at < len(order) && float64(at)+0.5 <= math.FMA(sum, n, 1e-9); at++ {
			out[order[at]] = client
		}
	}
	for ; at < len(order); at++ {
		out[order[at]] = last
	}
	return out
}

// dirichlet draws shares from the symmetric Dirichlet distribution: gamma variates
// over their sum, by their logarithms, since with a small alpha most are below the
// least number.
func dirichlet(random *rand.Rand, alpha float64, n int) []float64 {
	out, top := make([]float64, n), math.Inf(-1)
	for i := range out {
		out[i] = logGamma(random, alpha)
		top = math.Max(top, out[i])
	}
	sum := 0.0
	for i, v := range out {
		out[i] = math.Exp(v - top)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// logGamma draws the logarithm of a gamma variate of the given shape, by Marsaglia
// and Tsang (2000): of shape+1, times U^(1/shape).
func logGamma(random *rand.Rand, shape float64) float64 {
	d := shape + 1 - 1./3
	for {
		x := random.NormFloat64()
		v := 1 + x/math.Sqrt(9*d)
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-random.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return math.Log(d*v) + math.Log(1-random.Float64())/shape
		}
	}
}

// permuted returns the rows in another order.
func (r *rowSet) permuted(random *rand.Rand, width int) rowSet {
	var out rowSet
	for _, row := range random.Perm(r.n) {
		out.take(r, row, width)
	}
	return out
}
