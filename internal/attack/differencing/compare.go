package differencing

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Near is how close a reading has to be to a row, in standard deviations of each
// column, to count as that row.
const Near = 0.01

// least is the change of a count below which a quotient is rounding.
const least = 1e-6

// Findings are the rows that differences of totals show.
type Findings struct {
	Rows   int // rows read, each counted once
	Start  int // of these, from the totals of the start
	Rounds int // from those of the rounds, and of the first round and the start
	Chance int // rows that are nobody's, as dense as the true ones, that would count as read
	Of     int // all rows
}

// Compare counts the members' rows, in the coordinates of the totals, that a difference of
// two counts and first moments shows. It takes every pair of components of neighbouring
// totals, and of one total, and every component by itself.
func (r *Recorder) Compare(members ...*mat.Dense) Findings {
	x := stacked(members)
	n, dim := x.Dims()
	f := Findings{Of: n}
	rows, decoy := newTable(x, 0), newTable(x, decoyed)
	start, rounds, chance := make([]bool, n), make([]bool, n), make([]bool, n)
	var before []component
	point := make([]float64, dim)
	o := newOrigin(x)
	for _, t := range r.totals {
		now := t.components(o)
		found := start
		if t.round > 0 {
			found = rounds
		}
		look := func(a, b component) {
			if a.read(b, point) {
				rows.mark(point, found)
				decoy.mark(point, chance)
			}
		}
		for i, a := range now {
			look(a, component{first: make([]float64, dim)})
			for _, b := range now[:i] {
				look(a, b)
			}
			for _, b := range before {
				look(a, b)
			}
		}
		if now != nil {
			before = now
		}
	}
	for i := range n {
		f.Start += count(start[i])
		f.Rounds += count(rounds[i])
		f.Rows += count(start[i] || rounds[i])
		f.Chance += count(chance[i])
	}
	return f
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// component is the count and the first moments of one.
type component struct {
	n     float64
	first []float64
}

// components returns those over the variables of the rows, about their origin.
func (t total) components(o *origin) (all []component) {
	for _, g := range t.groups {
		all = append(all, g.components(o)...)
	}
	return all
}

// components returns those of a group, none of one over other variables.
func (g group) components(o *origin) (all []component) {
	if g.dim != len(o.point) {
		return nil
	}
	o.follow(g)
	for k, n := range g.n {
		c := component{n, slices.Clone(g.first[k*g.dim : (k+1)*g.dim])}
		floats.AddScaled(c.first, n, o.point)
		all = append(all, c)
	}
	return all
}

// origin is the point that first moments are taken about. It follows from a total over
// all rows, whose mean is known here; a member would know it.
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

// follow takes the origin of a group that all rows are in; of others it is the last one.
func (o *origin) follow(g group) {
	n := floats.Sum(g.n)
	if math.Abs(n-o.rows) > 0.01 {
		return
	}
	for i, mean := range o.mean {
		sum := 0.0
		for k := range g.n {
			sum += g.first[k*g.dim+i]
		}
		o.point[i] = mean - sum/n
	}
}

// read sets point to Δfirst/Δn; ok is false where Δn is none.
func (c component) read(b component, point []float64) (ok bool) {
	d := c.n - b.n
	if !(math.Abs(d) > least) {
		return false
	}
	for i := range point {
		point[i] = (c.first[i] - b.first[i]) / d
	}
	return true
}

// decoyed is by how many standard deviations of each column decoys are from the rows:
// they are as dense, and no rows.
const decoyed = 5 * Near

// table finds the rows near a point.
type table struct {
	rows [][]float64 // ascending in column key
	at   []int       // their place in the data
	near []float64   // M
	key  int
}

func newTable(x *mat.Dense, moved float64) *table {
	n, dim := x.Dims()
	t := &table{near: make([]float64, dim), at: make([]int, n), rows: make([][]float64, n)}
	values := map[float64]bool{}
	most := -1
	for i := range dim {
		column := mat.Col(nil, i, x)
		deviation := stat.PopStdDev(column, nil)
		t.near[i] = Near * deviation
		clear(values)
		for j, v := range column {
			values[v] = true
			t.rows[j] = append(t.rows[j], v+float64(moved*deviation))
		}
		if len(values) > most {
			most, t.key = len(values), i
		}
	}
	for j := range t.at {
		t.at[j] = j
	}
	slices.SortStableFunc(t.at, func(i, j int) int {
		switch a, b := t.rows[i][t.key], t.rows[j][t.key]; {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return 0
	})
	sorted := make([][]float64, n)
	for j, at := range t.at {
		sorted[j] = t.rows[at]
	}
	t.rows = sorted
	return t
}

// mark sets found of the rows that are near a point.
func (t *table) mark(point []float64, found []bool) {
	low, high := point[t.key]-t.near[t.key], point[t.key]+t.near[t.key]
	from, _ := slices.BinarySearchFunc(t.rows, low, func(row []float64, v float64) int {
		if row[t.key] < v {
			return -1
		}
		return 1
	})
	for j := from; j < len(t.rows) && t.rows[j][t.key] <= high; j++ {
		if t.close(t.rows[j], point) {
			found[t.at[j]] = true
		}
	}
}

// close reports whether no column is further than near. A column that is constant
// tells nothing.
func (t *table) close(row, point []float64) bool {
	for i, v := range row {
		if t.near[i] > 0 && !(math.Abs(v-point[i]) <= t.near[i]) {
			return false
		}
	}
	return true
}
