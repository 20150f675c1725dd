package differencing

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// change holds the moments of a component, or the difference of two.
type change struct {
	n      float64
	first  []float64
	second []float64 // by pair i ≤ j; nil if there are none, or squares alone
}

func (c change) minus(d change) change {
	out := change{n: c.n - d.n, first: slices.Clone(c.first), second: slices.Clone(c.second)}
	for i, v := range d.first {
		out.first[i] -= v
	}
	for i, v := range d.second {
		out.second[i] -= v
	}
	return out
}

func (c change) plus(d change) change {
	zero := change{first: make([]float64, len(d.first)), second: make([]float64, len(d.second))}
	return c.minus(zero.minus(d))
}

// changesOf returns the moments of the components of each group over dim variables.
func changesOf(x []float64, groups []parts, dim int) (all [][]change) {
	for _, p := range groups {
		if p.first != dim {
			continue
		}
		var group []change
		for k := range p.k {
			c := change{n: x[p.moment(0, k)]}
			for i := range p.first {
				c.first = append(c.first, x[p.moment(1+i, k)])
			}
			if !p.diagonal() {
				for i := range p.second {
					c.second = append(c.second, x[p.moment(1+p.first+i, k)])
				}
			}
			group = append(group, c)
		}
		all = append(all, group)
	}
	return all
}

// readRows counts the rows of others that changes of moments show. Three kinds of changes give a
// point: the mean of a component; its products with one column, by the sum of that column; and
// the direction in which moments of rank one point. Rows are in the coordinates of the totals.
func (of *World) readRows(readers []int) Findings {
	if of.Trained == nil {
		return Findings{}
	}
	x := stacked(of.Trained)
	n, dim := x.Dims()
	from := newMatcher(x)
	found := Findings{Of: n}
	hit, decoy := make([]bool, n), make([]bool, n)
	look := func(c change) {
		from.read(c, func(point []float64, without int) {
			from.mark(point, without, 0, hit)
			from.mark(point, without, decoyed, decoy)
		})
	}
	last := make([]map[string][]float64, len(of.Rows))
	for m := range last {
		last[m] = map[string][]float64{}
	}
	for _, own := range []bool{false, true} {
		before := map[string][][]change{}
		for i := range of.Slots {
			s := &of.Slots[i]
			total := slices.Clone(s.Total)
			for _, m := range readers {
				if s.holds(m) {
					last[m][s.Key] = s.Vectors[m]
				}
				if v := last[m][s.Key]; own && len(v) == len(total) {
					for j := range v {
						total[j] -= v[j]
					}
				}
			}
			if low := lowWords(s.Blocks); low > 0 {
				total = raised(total, low)
			}
			now := changesOf(total, partsOf(s.Blocks), dim)
			then := before[s.Key]
			for g, group := range now {
				changes := slices.Clone(group)
				if g < len(then) && len(then[g]) == len(group) {
					sum := change{first: make([]float64, dim), second: make([]float64, len(group[0].second))}
					for k, c := range group {
						d := c.minus(then[g][k])
						changes, sum = append(changes, d), sum.plus(d)
					}
					look(sum)
				}
				for i, a := range changes {
					look(a)
					for _, b := range changes[i-i%len(group) : i] { // of one total, or of the changes
						look(a.minus(b))
					}
				}
			}
			before[s.Key] = now
		}
	}
	for i := range n {
		found.Rows += count(hit[i])
		found.Chance += count(decoy[i])
	}
	return found
}

// matcher finds the rows near a point. Rows may have missing cells.
type matcher struct {
	x          *mat.Dense
	deviations []float64
}

func newMatcher(x *mat.Dense) *matcher {
	_, dim := x.Dims()
	m := &matcher{x: x}
	for i := range dim {
		there := slices.DeleteFunc(mat.Col(nil, i, x), math.IsNaN)
		m.deviations = append(m.deviations, stat.PopStdDev(there, nil))
	}
	return m
}

// mark sets found for the rows near a point, moved by a number of deviations. Column without and
// missing cells do not count, but at least three others must.
func (m *matcher) mark(point []float64, without int, moved float64, found []bool) {
	for j := range found {
		near, columns := true, 0
		for i, v := range m.x.RawRowView(j) {
			d := m.deviations[i]
			if i == without || math.IsNaN(v) || !(d > 1e-9) {
				continue
			}
			if columns++; !(math.Abs(v+moved*d-point[i]) <= Near*d) {
				near = false
				break
			}
		}
		if near && columns > 2 {
			found[j] = true
		}
	}
}

// read calls look with the points that a change of moments shows.
func (m *matcher) read(c change, look func(point []float64, without int)) {
	dim := len(c.first)
	point := make([]float64, dim)
	if math.Abs(c.n) > least {
		for i, v := range c.first {
			point[i] = v / c.n
		}
		look(point, -1)
	}
	if len(c.second) != dim*(dim+1)/2 {
		return
	}
	product := func(i, j int) float64 {
		i, j = min(i, j), max(i, j)
		return c.second[pair(i, j, parts{first: dim, second: len(c.second)})]
	}
	for i, f := range c.first {
		if math.Abs(f) > least {
			for j := range point {
				point[j] = product(i, j) / f
			}
			look(point, i)
		}
	}
	if p := m.rankOne(c, product); p != nil {
		look(p, -1)
	}
}

// ahead is how many times larger than all others an eigenvalue of a change of moments must be.
const ahead = 6

// rankOne returns the point x of a change near w [1 x]ᵀ[1 x], or nil.
func (m *matcher) rankOne(c change, product func(i, j int) float64) []float64 {
	dim := len(c.first)
	a := mat.NewSymDense(dim+1, nil)
	a.SetSym(0, 0, c.n)
	for i, f := range c.first {
		if !(m.deviations[i] > 1e-9) {
			return nil
		}
		a.SetSym(0, i+1, f/m.deviations[i])
		for j := i; j < dim; j++ {
			a.SetSym(i+1, j+1, product(i, j)/m.deviations[i]/m.deviations[j])
		}
	}
	var e mat.EigenSym
	if !e.Factorize(a, true) {
		return nil
	}
	values := e.Values(nil)
	top := 0
	if math.Abs(values[dim]) > math.Abs(values[0]) {
		top = dim
	}
	for i, v := range values {
		if i != top && math.Abs(values[top]) < ahead*math.Abs(v) {
			return nil
		}
	}
	var v mat.Dense
	e.VectorsTo(&v)
	if math.Abs(v.At(0, top)) < 1e-9 {
		return nil
	}
	point := make([]float64, dim)
	for i := range point {
		point[i] = m.deviations[i] * v.At(i+1, top) / v.At(0, top)
	}
	return point
}
