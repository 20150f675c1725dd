package differencing

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Near is the greatest distance at which a point counts as a row, in standard deviations of each
// column.
const Near = 0.01

// decoyed is the distance of decoys from the rows, in standard deviations of each column.
// Decoys are as dense as the rows and are no rows.
const decoyed = 5 * Near

// least is the smallest change of a count that is not taken for rounding.
const least = 1e-6

// Findings counts the rows that differences of totals show.
type Findings struct {
	Rows   int // rows recovered, each counted once
	Start  int // rows recovered from the totals of the start
	Rounds int // rows recovered from the totals of the rounds, and of the first round and the start
	Chance int // decoy rows, as dense as the true ones, that would count as recovered
	Of     int // all rows
}

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

// Compare counts the rows that the mean of a component shows, or of a difference of two components
// in one total or in two successive ones. Rows are in the coordinates of the totals. Few points are
// near a row in all columns by chance, so one run is enough.
func (of *World) Compare() Findings { return of.rows(nil, (*matcher).mean) }

// readRows counts the rows that changes of moments show to readers who also know their own
// vectors. Three kinds of changes give a point: those of [World.Compare]; the products with one
// column, by the sum of that column; and the direction in which moments of rank one point.
func (of *World) readRows(readers []int) Findings { return of.rows(readers, (*matcher).read) }

// rows counts the rows near the points that read makes from changes of moments.
func (of *World) rows(readers []int, read func(from *matcher, c change, look func(point []float64, without int))) Findings {
	if of.Trained == nil {
		return Findings{}
	}
	x := stacked(of.Trained)
	n, dim := x.Dims()
	from := newMatcher(x)
	start, rounds, decoy := make([]bool, n), make([]bool, n), make([]bool, n)
	last := make([]map[string][]float64, len(of.Trained))
	for m := range last {
		last[m] = map[string][]float64{}
	}
	for _, own := range []bool{false, true} {
		if own && len(readers) == 0 {
			continue
		}
		before, about := map[string][][]change{}, newOrigin(x)
		for i := range of.Slots {
			s := &of.Slots[i]
			total := s.total()
			for _, m := range readers {
				if s.holds(m) {
					last[m][s.Key] = s.Vectors[m]
				}
				if v := last[m][s.Key]; own && len(v) == len(s.Total) {
					for j, v := range raised(slices.Clone(v), lowWords(s.Blocks)) {
						total[j] -= v
					}
				}
			}
			hit := start
			if s.Round > 0 {
				hit = rounds
			}
			look := func(c change) {
				read(from, c, func(point []float64, without int) {
					from.mark(point, without, 0, hit)
					from.mark(point, without, decoyed, decoy)
				})
			}
			now := changesOf(total, partsOf(s.Blocks), dim)
			for g, all := range changesOf(s.total(), partsOf(s.Blocks), dim) {
				about.follow(all)
				for k, c := range now[g] {
					now[g][k] = about.moved(c)
				}
			}
			then := before[s.Key]
			for g, group := range now {
				changes := slices.Clone(group)
				if g < len(then) && len(then[g]) == len(group) {
					sum := change{first: make([]float64, dim), second: make([]float64, len(group[0].second))}
					for k, c := range group {
						d := c.minus(then[g][k])
						changes, sum = append(changes, d), sum.plus(d)
						for _, b := range slices.Delete(slices.Clone(then[g]), k, k+1) {
							look(c.minus(b))
						}
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
	found := Findings{Of: n}
	for i := range n {
		found.Start += count(start[i])
		found.Rounds += count(rounds[i])
		found.Rows += count(start[i] || rounds[i])
		found.Chance += count(decoy[i])
	}
	return found
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// origin is the point about which first moments are taken, which is 0 at first. Another one follows
// from a total over all rows. Their mean is given here; a member would know it.
type origin struct {
	rows  float64
	mean  []float64
	point []float64
}

func newOrigin(x *mat.Dense) *origin {
	n, dim := x.Dims()
	o := &origin{rows: float64(n), mean: make([]float64, dim), point: make([]float64, dim)}
	for j := range n {
		floats.AddScaled(o.mean, 1/o.rows, x.RawRowView(j))
	}
	return o
}

// follow sets the origin to that of a group that contains all rows; other groups keep the last
// origin.
func (o *origin) follow(group []change) {
	all := addUp(group, len(o.point))
	if math.Abs(all.n-o.rows) > 0.01 {
		return
	}
	for i, mean := range o.mean {
		if point := mean - all.first[i]/all.n; !math.IsNaN(point) {
			o.point[i] = point
		}
	}
}

// moved returns the moments about 0 of a component whose moments are about the origin.
func (o *origin) moved(c change) change {
	out := change{n: c.n, first: slices.Clone(c.first), second: slices.Clone(c.second)}
	dim := len(o.point)
	floats.AddScaled(out.first, c.n, o.point)
	if len(c.second) != dim*(dim+1)/2 {
		return out
	}
	for i, p := range o.point {
		for j := i; j < dim; j++ {
			q := o.point[j]
			out.second[pair(i, j, parts{first: dim, second: len(c.second)})] += p*c.first[j] + q*c.first[i] + c.n*p*q
		}
	}
	return out
}

// matcher finds the rows near a point. Rows may have missing cells.
type matcher struct {
	x          *mat.Dense
	deviations []float64 // 0 for a column without values
	key        int       // the column with the most values
	order      []int     // positions of rows: those without the key, then ascending in it
	without    int       // rows without the key
}

func newMatcher(x *mat.Dense) *matcher {
	n, dim := x.Dims()
	m := &matcher{x: x}
	most := -1
	for i := range dim {
		there := slices.DeleteFunc(mat.Col(nil, i, x), math.IsNaN)
		deviation := 0.0
		if len(there) > 0 {
			deviation = stat.PopStdDev(there, nil)
		}
		m.deviations = append(m.deviations, deviation)
		values := map[float64]bool{}
		for _, v := range there {
			values[v] = true
		}
		if len(values) > most {
			most, m.key, m.without = len(values), i, n-len(there)
		}
	}
	for j := range n {
		m.order = append(m.order, j)
	}
	slices.SortStableFunc(m.order, func(i, j int) int { return cmp.Compare(x.At(i, m.key), x.At(j, m.key)) })
	return m
}

// mark sets found for the rows near a point, moved by a number of deviations. Column without and
// missing cells do not count, but at least three others must.
func (m *matcher) mark(point []float64, without int, moved float64, found []bool) {
	for _, j := range m.order[:m.without] {
		found[j] = found[j] || m.near(j, point, without, moved)
	}
	there := m.order[m.without:]
	high := math.Inf(1)
	if d := m.deviations[m.key]; without != m.key && d > flat {
		low := point[m.key] - (moved+2*Near)*d
		high = point[m.key] - (moved-2*Near)*d
		from, _ := slices.BinarySearchFunc(there, low, func(j int, v float64) int { return cmp.Compare(m.x.At(j, m.key), v) })
		there = there[from:]
	}
	for _, j := range there {
		if m.x.At(j, m.key) > high {
			break
		}
		found[j] = found[j] || m.near(j, point, without, moved)
	}
}

// flat is the deviation up to which a column is constant, and does not count.
const flat = 1e-9

// near reports whether a row is near a point.
func (m *matcher) near(j int, point []float64, without int, moved float64) bool {
	columns := 0
	for i, v := range m.x.RawRowView(j) {
		d := m.deviations[i]
		if i == without || math.IsNaN(v) || !(d > flat) {
			continue
		}
		if columns++; !(math.Abs(v+moved*d-point[i]) <= Near*d) {
			return false
		}
	}
	return columns > 2
}

// mean calls look with the mean of a change of moments.
func (*matcher) mean(c change, look func(point []float64, without int)) {
	if math.Abs(c.n) > least {
		point := slices.Clone(c.first)
		floats.Scale(1/c.n, point)
		look(point, -1)
	}
}

// read calls look with all points that a change of moments shows.
func (m *matcher) read(c change, look func(point []float64, without int)) {
	m.mean(c, look)
	dim := len(c.first)
	point := make([]float64, dim)
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
		if !(m.deviations[i] > flat) {
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
