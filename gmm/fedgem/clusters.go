package fedgem

import (
	"cmp"
	"slices"
)

// superClusters returns for every region the super-cluster that it belongs to, from
// a graph in which regions that meet are neighbours. They are numbered by their first
// region; one without rows is in none, −1. With chain they are the connected
// components of the graph. Otherwise regions of one owner never come together:
// neighbours are joined from the nearest centres to the farthest, but for those that
// would bring two such regions together.
func superClusters(regions []region, owner []int, chain bool) (of []int, count int) {
	f := newForest(owner)
	for _, l := range links(regions) {
		if f.root(l.i) == f.root(l.j) || !chain && f.shareOwner(l.i, l.j) {
			continue
		}
		if regions[l.i].meets(regions[l.j]) {
			f.join(l.i, l.j)
		}
	}
	of = make([]int, len(regions))
	number := map[int]int{}
	for i, r := range regions {
		if r.empty() {
			of[i] = -1
			continue
		}
		root := f.root(i)
		if _, known := number[root]; !known {
			number[root] = len(number)
		}
		of[i] = number[root]
	}
	return of, len(number)
}

// link says that regions i and j may meet.
type link struct {
	i, j   int
	square float64 // of the distance between the centres
}

// links returns those of all regions, the nearest first.
func links(regions []region) (out []link) {
	reach := make([]float64, len(regions))
	for i, r := range regions {
		if reach[i] = r.reach(); r.empty() {
			continue
		}
		for j := range i {
			if regions[j].empty() {
				continue
			}
			if square, may := near(r.centre, regions[j].centre, reach[i]+reach[j]); may {
				out = append(out, link{i, j, square})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b link) int { return cmp.Compare(a.square, b.square) })
	return out
}

// forest is the sets of regions joined so far, and whose they are.
type forest struct {
	parent []int
	owners [][]uint64 // of the roots, a bit for each owner
}

func newForest(owner []int) *forest {
	n := len(owner)
	f := &forest{make([]int, n), make([][]uint64, n)}
	words := 1
	for _, o := range owner {
		words = max(words, o/64+1)
	}
	all := make([]uint64, n*words)
	for i, o := range owner {
		f.parent[i], f.owners[i] = i, all[i*words:(i+1)*words]
		f.owners[i][o/64] = 1 << (o % 64)
	}
	return f
}

func (f *forest) root(i int) int {
	for f.parent[i] != i {
		f.parent[i] = f.parent[f.parent[i]]
		i = f.parent[i]
	}
	return i
}

func (f *forest) join(i, j int) {
	i, j = f.root(i), f.root(j)
	f.parent[j] = i
	for w, bits := range f.owners[j] {
		f.owners[i][w] |= bits
	}
}

func (f *forest) shareOwner(i, j int) bool {
	a, b := f.owners[f.root(i)], f.owners[f.root(j)]
	for w, bits := range a {
		if bits&b[w] != 0 {
			return true
		}
	}
	return false
}

// centres returns the mean of each super-cluster's centres, weighted by their rows.
func centres(regions []region, of []int, count int) [][]float64 {
	out, rows := make([][]float64, count), make([]float64, count)
	for i, r := range regions {
		if of[i] < 0 {
			continue
		}
		if out[of[i]] == nil {
			out[of[i]] = make([]float64, len(r.centre))
		}
		rows[of[i]] += r.rows
		for j, v := range r.centre {
			out[of[i]][j] += float64(r.rows * v)
		}
	}
	for c, sum := range out {
		for j := range sum {
			sum[j] /= rows[c]
		}
	}
	return out
}
