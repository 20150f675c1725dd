package differencing

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Recovered is what differences of totals show about whole members. Some quantities are the
// same in all totals: the number of rows and their mean. Their difference belongs to the
// members that are in one total and not in the other.
type Recovered struct {
	// Members are the members whose number of rows is recovered to less than half a row, and
	// whose mean to a thousandth of a standard deviation of each column.
	Members []int
	// Error is the median over the members of the error of the best reading, relative to the
	// guess of an equal part of the last total. Per member it is the smaller of the errors of
	// the number of rows and of the mean, and 1 if there is no reading.
	Error float64
}

// The errors up to which a member counts as recovered.
const (
	nearRows = 0.5
	nearMean = 1e-3
)

// Recover recovers whole members from the totals of a run. It uses the differences of any two
// totals, and combinations of all totals whose views add up to one member.
func (of *World) Recover() Recovered {
	all := stacked(of.Trained)
	deviations := newMatcher(all).deviations
	sums := of.sums(newOrigin(all))
	members := len(of.Trained)
	truth := make([]change, members)
	for m, rows := range of.Trained {
		truth[m] = whole(rows)
	}
	guess := guessOf(sums, truth)
	found := Recovered{Members: []int{}}
	shares := make([]float64, members)
	for m := range members {
		shares[m] = 1
		for _, reading := range readings(sums, m, members) {
			n, mean := reading.errorOf(truth[m], deviations)
			if n < nearRows && mean <= nearMean && !slices.Contains(found.Members, m) {
				found.Members = append(found.Members, m)
			}
			if reading.n < least {
				continue // less than one row: no reading
			}
			byN, byMean := guess.errorOf(truth[m], deviations)
			shares[m] = min(shares[m], share(n, byN), share(mean, byMean))
		}
	}
	slices.Sort(shares)
	found.Error = shares[len(shares)/2]
	return found
}

// share returns an error relative to that of a guess. If the guess is exact, no reading is
// better.
func share(err, guess float64) float64 {
	if guess < 1e-9 {
		return 1
	}
	return err / guess
}

// sum holds the quantities that are the same in all totals over the same members: their number
// of rows and the sums of these rows.
type sum struct {
	change
	view []uint32
}

// sums returns the number of rows and their sums, for each group of components over the variables
// of the rows in each total.
func (of *World) sums(o *origin) (all []sum) {
	dim := len(o.point)
	for i := range of.Slots {
		s := &of.Slots[i]
		for _, group := range changesOf(s.total(), partsOf(s.Blocks), dim) {
			o.follow(group)
			all = append(all, sum{o.moved(addUp(group, dim)), s.Members})
		}
	}
	return all
}

// addUp returns the number of rows and the sums of all components.
func addUp(parts []change, dim int) change {
	c := change{first: make([]float64, dim)}
	for _, p := range parts {
		c.n += p.n
		floats.Add(c.first, p.first)
	}
	return c
}

func whole(rows *mat.Dense) change {
	n, dim := rows.Dims()
	c := change{n: float64(n), first: make([]float64, dim)}
	for j := range n {
		floats.Add(c.first, rows.RawRowView(j))
	}
	return c
}

// guessOf returns an equal part of the last total, or of all rows if there is no total.
func guessOf(sums []sum, truth []change) change {
	g := addUp(truth, len(truth[0].first))
	if len(sums) > 0 {
		g = sums[len(sums)-1].change
	}
	members := float64(len(truth))
	first := slices.Clone(g.first)
	floats.Scale(1/members, first)
	return change{n: g.n / members, first: first}
}

// readings returns estimates of a member's rows: the differences of two totals if only one includes
// the member, and the combination of all totals that leaves the member alone.
func readings(sums []sum, member, members int) (out []change) {
	for i, s := range sums {
		for _, before := range sums[:i] {
			if slices.Contains(s.view, uint32(member)) != slices.Contains(before.view, uint32(member)) {
				out = append(out, s.minus(before.change), before.minus(s.change))
			}
		}
	}
	if weights := alone(sums, member, members); weights != nil {
		c := change{first: make([]float64, len(sums[0].first))}
		for i, w := range weights {
			c.n += w * sums[i].n
			floats.AddScaled(c.first, w, sums[i].first)
		}
		out = append(out, c)
	}
	return out
}

// alone returns the weights by which the views add up to one member, or nil if there are none.
func alone(sums []sum, member, members int) []float64 {
	if len(sums) == 0 {
		return nil
	}
	views := mat.NewDense(members, len(sums), nil)
	for j, s := range sums {
		for _, m := range s.view {
			views.Set(int(m), j, 1)
		}
	}
	want := mat.NewVecDense(members, nil)
	want.SetVec(member, 1)
	var svd mat.SVD
	if !svd.Factorize(views, mat.SVDThin) {
		return nil
	}
	rank := 0
	for _, v := range svd.Values(nil) {
		if v > 1e-9 {
			rank++
		}
	}
	var weights mat.VecDense
	svd.SolveVecTo(&weights, want, rank)
	var got mat.VecDense
	got.MulVec(views, &weights)
	got.SubVec(&got, want)
	if mat.Norm(&got, 2) > 1e-9 {
		return nil
	}
	return weights.RawVector().Data
}

// errorOf returns the distance of a reading from the truth: in rows, and for the mean in
// standard deviations of the column that is furthest off.
func (c change) errorOf(truth change, deviations []float64) (rows, mean float64) {
	for i, d := range deviations {
		if d > 0 {
			mean = math.Max(mean, math.Abs(c.first[i]/c.n-truth.first[i]/truth.n)/d)
		}
	}
	if math.IsNaN(mean) {
		mean = math.Inf(1)
	}
	return math.Abs(c.n - truth.n), mean
}

func stacked(x []*mat.Dense) *mat.Dense {
	rows, dim := 0, 0
	for _, m := range x {
		n, d := m.Dims()
		rows, dim = rows+n, d
	}
	all := mat.NewDense(rows, dim, nil)
	at := 0
	for _, m := range x {
		n, _ := m.Dims()
		all.Slice(at, at+n, 0, dim).(*mat.Dense).Copy(m)
		at += n
	}
	return all
}
