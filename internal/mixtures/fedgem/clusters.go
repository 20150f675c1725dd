package fedgem

import "slices"

// joined returns the super-cluster of every region, and their number. In the graph, regions that
// meet are neighbours. Super-clusters are numbered by their first region; a region without rows
// gets −1. If chain is set, super-clusters are the connected components of the graph. Otherwise
// regions of one owner never join: neighbours are joined from the nearest centres to the
// farthest, unless that would unite two regions of one owner. The links include all links of the
// regions, and may include others.
func joined(links []link, regions []region, owner []int, chain bool) (of []int, count int) {
	f, reach := newForest(owner), reaches(regions)
	for _, l := range links {
		i, j := f.root(int(l.i)), f.root(int(l.j))
		if i == j || !chain && f.shareOwner(i, j) {
			continue
		}
		if both := reach[l.i] + reach[l.j]; l.square > float64(both*both) {
			continue
		}
		if regions[l.i].meets(regions[l.j]) {
			f.join(i, j)
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

// link means that regions i and j may meet.
type link struct {
	square float64 // squared distance between the centres
	i, j   int32
}

// links returns the links of all regions, the nearest first; ties go to the regions of lower
// index.
func links(regions []region) (out []link) {
	reach := reaches(regions)
	for i, r := range regions {
		if r.empty() {
			continue
		}
		for j := range i {
			if regions[j].empty() {
				continue
			}
			if square, may := near(r.centre, regions[j].centre, reach[i]+reach[j]); may {
				if len(out) == cap(out) {
					out = slices.Grow(out, len(out)+64)
				}
				out = append(out, link{square, int32(i), int32(j)})
			}
		}
	}
	slices.SortFunc(out, func(a, b link) int {
		switch {
		case a.square < b.square:
			return -1
		case a.square > b.square:
			return 1
		case a.i != b.i:
			return int(a.i - b.i)
		}
		return int(a.j - b.j)
	})
	return out
}

func reaches(regions []region) []float64 {
	out := make([]float64, len(regions))
	for i, r := range regions {
		out[i] = r.reach()
	}
	return out
}

// forest holds the sets of regions joined so far, and their owners.
type forest struct {
	parent []int
	owners [][]uint64 // for each root, a bit per owner
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
	f.parent[j] = i
	for w, bits := range f.owners[j] {
		f.owners[i][w] |= bits
	}
}

// shareOwner reports whether an owner has regions in the sets of both roots.
func (f *forest) shareOwner(i, j int) bool {
	a, b := f.owners[i], f.owners[j]
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
