package differencing

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Near is the greatest distance at which a reading counts as a row, in standard deviations of
// each column.
const Near = 0.01

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

// Compare counts the members' rows that a difference of two counts and first moments shows.
// Rows are in the coordinates of the totals. It compares every pair of components within one
// total or in neighbouring totals, and takes every component by itself.
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

// component holds the count and the first moments of one component.
type component struct {
	n     float64
	first []float64
}

// components returns the components over the variables of the rows, about their origin.
func (t total) components(o *origin) (all []component) {
	for _, g := range t.groups {
		all = append(all, g.components(o)...)
	}
	return all
}

// components returns the components of a group, or nil if they are over other variables.
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

// origin is the point about which first moments are taken. It follows from a total over all
// rows. Their mean is given here; a member would know it.
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

// read sets point to Δfirst/Δn. It returns false if Δn is 0.
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

// decoyed is the distance of decoys from the rows, in standard deviations of each column.
// Decoys are as dense as the rows and are no rows.
const decoyed = 5 * Near

// table finds the rows near a point.
type table struct {
	rows [][]float64 // ascending in column key
	at   []int       // their positions in the data
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

// mark sets found for the rows near a point.
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

// close reports whether every column is within near. Constant columns are ignored.
func (t *table) close(row, point []float64) bool {
	for i, v := range row {
		if t.near[i] > 0 && !(math.Abs(v-point[i]) <= t.near[i]) {
			return false
		}
	}
	return true
}
