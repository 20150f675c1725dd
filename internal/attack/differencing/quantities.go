package differencing

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
)

// WithoutMoments ends the names of quantities that are values of a member's last vector without moments
// of rows.
const WithoutMoments = "of the last vector without moments"

// quantity is a number that follows from one member's rows.
type quantity struct {
	name  string
	value float64
	count string // if it is about a component: the name of its count
}

// bins is the number of cells of a column's histogram.
const bins = 4

// mostOwn is the largest number of values of one vector that count as private quantities.
const mostOwn = 64

// mostGroups is the largest number of groups of components whose counts are private quantities.
const mostGroups = 2

// edgesOf returns the edges of each column's histogram: the quartiles of all rows.
func edgesOf(rows []*mat.Dense) [][]float64 {
	all := stacked(rows)
	_, dim := all.Dims()
	edges := make([][]float64, dim)
	for i := range edges {
		column := slices.DeleteFunc(mat.Col(nil, i, all), math.IsNaN)
		slices.Sort(column)
		for b := 1; b < bins && len(column) > 0; b++ {
			edges[i] = append(edges[i], column[len(column)*b/bins])
		}
	}
	return edges
}

// quantities returns the private quantities of a member: its number of rows, the moments and
// histograms of its columns, and the moments of its components in its last vector.
func (of *World) quantities(member int, edges [][]float64) []quantity {
	n, _ := of.Rows[member].Dims()
	all := append([]quantity{{name: "N", value: float64(n)}}, momentsOf("", of.Rows[member])...)
	if of.Trained != nil {
		all = append(all, momentsOf("trained ", of.Trained[member])...)
	}
	for i, edge := range edges {
		cells := make([]float64, bins)
		for _, v := range mat.Col(nil, i, of.Rows[member]) {
			if !math.IsNaN(v) {
				at, _ := slices.BinarySearch(edge, v)
				cells[at]++
			}
		}
		for b, c := range cells {
			all = append(all, quantity{name: fmt.Sprintf("rows in cell %d of column %d", b+1, i+1), value: c})
		}
	}
	for i := range slices.Backward(of.Slots) {
		s := &of.Slots[i]
		if v := s.Vectors[member]; v != nil && len(meanings(s.Blocks)) == 1 && s.Blocks[0].Moment == collabdict.NoMoment {
			for i, x := range v[:min(len(v), mostOwn)] {
				all = append(all, quantity{name: fmt.Sprintf("value %d %s", i+1, WithoutMoments), value: x})
			}
			break
		}
	}
	for i := range slices.Backward(of.Slots) {
		s := &of.Slots[i]
		groups := partsOf(s.Blocks)
		if s.Vectors[member] == nil || len(groups) == 0 {
			continue
		}
		for g, p := range groups[:min(len(groups), mostGroups)] {
			for c := range p.k {
				for i := range min(1+p.first, 2) { // the first column stands for all
					count := fmt.Sprintf("N of component %d of group %d", c+1, g+1)
					name := count
					if i > 0 {
						name = fmt.Sprintf("sum of column %d in component %d of group %d", i, c+1, g+1)
					}
					all = append(all, quantity{name, s.Vectors[member][p.moment(i, c)], count})
				}
			}
		}
		break
	}
	return all
}

// momentsOf returns the sums, means and covariances of rows, over the cells that are present.
func momentsOf(in string, x *mat.Dense) (all []quantity) {
	n, dim := x.Dims()
	means := make([]float64, dim)
	for i := range dim {
		sum, squares, there := 0.0, 0.0, 0.0
		for _, v := range mat.Col(nil, i, x) {
			if !math.IsNaN(v) {
				sum, squares, there = sum+v, squares+v*v, there+1
			}
		}
		means[i] = sum / there
		all = append(all,
			quantity{name: fmt.Sprintf("%smean of column %d", in, i+1), value: means[i]},
			quantity{name: fmt.Sprintf("%ssum of column %d", in, i+1), value: sum},
			quantity{name: fmt.Sprintf("%ssquares of column %d", in, i+1), value: squares})
	}
	for i := range dim {
		for j := i; j < dim; j++ {
			sum, there := 0.0, 0.0
			for r := range n {
				if v := (x.At(r, i) - means[i]) * (x.At(r, j) - means[j]); !math.IsNaN(v) {
					sum, there = sum+v, there+1
				}
			}
			all = append(all, quantity{name: fmt.Sprintf("%scovariance of columns %d and %d", in, i+1, j+1), value: sum / there})
		}
	}
	return all
}
