package partition

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/collabdict/collabdict"
)

// Class holds the rows of one class. Centroids are found by the training rows alone. Either
// field may be nil.
type Class struct {
	Name        string
	Train, Test collabdict.Rows
}

// Owners holds the participant of each row of a class.
type Owners struct{ Train, Test []int }

// Owners deals the rows of each class to participants, each row to one, for a split that goes
// by classes.
func (p Split) Owners(classes []Class, random *rand.Rand) ([]Owners, error) {
	if p.Kind == PCAKMeans {
		return p.alike(classes, random)
	}
	shares, err := p.shares(len(classes), random)
	if err != nil {
		return nil, err
	}
	out := make([]Owners, len(classes))
	for c, of := range classes {
		out[c].Train = allot(shares[c], random.Perm(count(of.Train)))
		out[c].Test = allot(shares[c], random.Perm(count(of.Test)))
	}
	return out, nil
}

func count(of collabdict.Rows) int {
	if of == nil {
		return 0
	}
	n, _ := of.Dims()
	return n
}

// Evenly deals n rows in a drawn order one by one, and returns those of each participant.
func (p Split) Evenly(n int, random *rand.Rand) [][]int {
	hands := make([][]int, p.Clients)
	for at, row := range random.Perm(n) {
		to := at % p.Clients
		hands[to] = append(hands[to], row)
	}
	return hands
}

// Deal deals rows with known classes, as a Dirichlet, Quantity or Classes split deals those of
// files. It returns the indices of each participant's rows in ascending order. A participant may
// have none.
func (p Split) Deal(classes []float64, seed uint64) ([][]int, error) {
	if p.Kind < Dirichlet || p.Kind == PCAKMeans {
		panic(fmt.Sprintf("partition: split %q does not deal by classes alone", p))
	}
	rows := map[float64][]int{}
	for row, class := range classes {
		rows[class] = append(rows[class], row)
	}
	random := rand.New(rand.NewPCG(seed, 0))
	shares, err := p.shares(len(rows), random)
	if err != nil {
		return nil, err
	}
	hands := make([][]int, p.Clients)
	for c, class := range slices.Sorted(maps.Keys(rows)) {
		of := rows[class]
		for at, to := range allot(shares[c], random.Perm(len(of))) {
			hands[to] = append(hands[to], of[at])
		}
	}
	for _, hand := range hands {
		slices.Sort(hand)
	}
	return hands, nil
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

// draw returns the classes of the next participant. Classes without an owner come first as soon as
// they outnumber those that later participants are sure to take. In a Quantity split, the classes
// with the fewest owners always come first.
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

// allot gives the rows, in the given order, to participants by their shares, and returns the
// participant of each row. Rounding moves no row to another participant.
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

// dirichlet draws shares from the symmetric Dirichlet distribution: gamma variates divided by their
// sum. It computes with logarithms, because most variates underflow if alpha is small.
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

// logGamma draws the logarithm of a gamma variate of the given shape (Marsaglia and Tsang 2000): a
// variate of shape+1, times U^(1/shape).
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
