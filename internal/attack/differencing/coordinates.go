package differencing

import (
	"fmt"
	"math"
	"slices"

	"github.com/collabdict/collabdict"
)

// place names a slot by its position, which is the same in all worlds.
type place struct {
	run   int
	round uint32
	at    int // position among the sums of the round
}

// opened holds the values of one slot in all worlds.
type opened struct {
	place
	slot   int // its number in the first world
	key    string
	blocks []collabdict.Block
	groups []parts
	total  [][]float64 // by world
	rest   [][]float64 // by world: the total less the readers' own part
	lone   [][]int     // by member and component: worlds in which only this member fills it
	broken bool        // the layout differs from world to world
	known  bool        // the rest lacks the parts of all readers
}

// Worlds collects what curious members see in all worlds of a cell, and the truth about the
// others. It keeps no rows.
type Worlds struct {
	readers []int
	members int
	n       int // worlds
	slots   []*opened
	at      map[place]*opened
	edges   [][]float64
	truth   []map[string][]float64 // by member and quantity: the values by world
	names   []string               // of quantities, in order
	counts  map[string]string      // of quantities of a component: the name of its count
	grid    grids
	rows    Findings
}

// NewWorlds returns an empty collection for this number of members. The readers among them are
// curious, and pool what they have.
func NewWorlds(members int, readers ...int) *Worlds {
	w := &Worlds{readers: readers, members: members, at: map[place]*opened{}, truth: make([]map[string][]float64, members), grid: grids{}, counts: map[string]string{}}
	for m := range w.truth {
		w.truth[m] = map[string][]float64{}
	}
	return w
}

// Rows counts the rows of all worlds that changes of moments show.
func (w *Worlds) Rows() Findings { return w.rows }

// Add adds a world.
func (w *Worlds) Add(of *World) {
	if w.edges == nil {
		w.edges = edgesOf(of.Rows)
	}
	w.n++
	for m := range w.members {
		for _, q := range of.quantities(m, w.edges) {
			if !slices.Contains(w.names, q.name) {
				w.names = append(w.names, q.name)
				w.counts[q.name] = q.count
			}
			if len(w.truth[m][q.name]) == w.n-1 {
				w.truth[m][q.name] = append(w.truth[m][q.name], q.value)
			}
		}
	}
	f := of.readRows(w.readers)
	w.rows.Rows, w.rows.Chance, w.rows.Of = w.rows.Rows+f.Rows, w.rows.Chance+f.Chance, w.rows.Of+f.Of
	last := make([]map[string][]float64, w.members) // by member and key: the last vector
	for m := range last {
		last[m] = map[string][]float64{}
	}
	var now place
	for i := range of.Slots {
		s := &of.Slots[i]
		if now.run != s.Run || now.round != s.Round {
			now = place{run: s.Run, round: s.Round}
		}
		for m, v := range s.Vectors {
			if v != nil && (s.holds(m) || s.Key == "") {
				last[m][s.Key] = v
			}
		}
		w.grid.add(now, w.n-1, s)
		w.open(now, s, last)
		now.at++
	}
}

// open notes the values of a slot.
func (w *Worlds) open(at place, s *Slot, last []map[string][]float64) {
	o := w.at[at]
	if o == nil {
		if w.n > 1 {
			return // not in all worlds
		}
		o = &opened{place: at, slot: int(s.Number), key: s.Key, blocks: s.Blocks, groups: partsOf(s.Blocks), known: true}
		components := 0
		for _, g := range o.groups {
			components += g.k
		}
		for range w.members {
			o.lone = append(o.lone, make([]int, components))
		}
		w.at[at], w.slots = o, append(w.slots, o)
	}
	if o.key != s.Key || !alike(o.blocks, s.Blocks) || len(o.total) != w.n-1 {
		o.broken = true
	}
	if o.broken {
		return
	}
	rest := slices.Clone(s.Total)
	for _, m := range w.readers {
		own := last[m][s.Key]
		if s.Key == "" && !s.holds(m) || len(own) != len(rest) {
			o.known = false
			continue
		}
		for i, v := range own {
			rest[i] -= v
		}
	}
	total := slices.Clone(s.Total)
	if n := lowWords(s.Blocks); n > 0 {
		total, rest = raised(total, n), raised(rest, n)
	}
	o.total, o.rest = append(o.total, total), append(o.rest, rest)
	c := 0
	for _, g := range o.groups {
		for k := range g.k {
			for m := range w.members {
				if own := last[m][s.Key]; len(own) == len(s.Total) && own[g.moment(0, k)] > 0.99*s.Total[g.moment(0, k)] {
					o.lone[m][c]++
				}
			}
			c++
		}
	}
}

// lowWords returns the number of low words in a vector.
func lowWords(blocks []collabdict.Block) (n int) {
	for _, b := range blocks {
		if b.Moment == collabdict.LowWords {
			n += b.Len
		}
	}
	return n
}

// raised adds low words to the values that they belong to.
func raised(x []float64, low int) []float64 {
	n := len(x) - low
	for i, v := range x[n:] {
		x[i] += v
	}
	return x[:n]
}

// alike reports whether the same values have the same meaning. Bounds, and so the division into
// blocks, may differ.
func alike(a, b []collabdict.Block) bool { return slices.Equal(meanings(a), meanings(b)) }

// meanings returns the blocks without bounds, where neighbours with one moment are joined.
func meanings(blocks []collabdict.Block) (all []collabdict.Block) {
	for _, b := range blocks {
		if last := len(all) - 1; last >= 0 && all[last].Moment == b.Moment {
			all[last].Len += b.Len
			continue
		}
		all = append(all, collabdict.Block{Len: b.Len, Moment: b.Moment})
	}
	return all
}

// coordinate is a number that a reader computes in every world.
type coordinate struct {
	slots  []int // numbers of its slots
	words  string
	lone   []*opened // slots in which it is about one component
	part   int       // that component, over all groups
	values []float64 // by world
}

// loneOf reports whether the coordinate is about a component that only this member fills, in
// most of the worlds.
func (c *coordinate) loneOf(member, worlds int) bool {
	for _, o := range c.lone {
		if 2*o.lone[member][c.part] > worlds {
			return true
		}
	}
	return false
}

// coordinates returns what the readers compute from single totals and groups of totals:
// values, sums over components, ratios, and means over slots.
func (w *Worlds) coordinates() (all []coordinate) {
	add := func(c coordinate, of func(world int) float64) {
		c.values = make([]float64, w.n)
		for i := range c.values {
			v := of(i)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return
			}
			c.values[i] = v
		}
		all = append(all, c)
	}
	for _, o := range w.usable() {
		for own, values := range [][][]float64{o.total, o.rest} {
			less := ""
			if own == 0 && o.known {
				continue // a reader subtracts what it knows
			}
			if own == 1 {
				less = " less own part"
			}
			in := fmt.Sprintf("slot %d", o.slot)
			taken := make([]bool, len(values[0]))
			component := 0
			for g, p := range o.groups {
				for k := range p.k {
					for i := range p.len() {
						at := p.moment(i, k)
						taken[at] = true
						c := coordinate{slots: []int{o.slot}, lone: []*opened{o}, part: component, words: fmt.Sprintf("%s value %d%s", in, at, less)}
						add(c, func(world int) float64 { return values[world][at] })
						if i > 0 {
							c.words = fmt.Sprintf("%s value %d by its count%s", in, at, less)
							add(c, func(world int) float64 { return values[world][at] / values[world][p.moment(0, k)] })
						}
					}
					for a := range square(p) {
						for b := a; b < p.first; b++ {
							at := p.moment(1+p.first+pair(a, b, p), k)
							if p.diagonal() && a != b {
								continue
							}
							c := coordinate{slots: []int{o.slot}, lone: []*opened{o}, part: component, words: fmt.Sprintf("%s covariance %d,%d of component %d of group %d%s", in, a+1, b+1, k+1, g+1, less)}
							add(c, func(world int) float64 {
								v := values[world]
								n := v[p.moment(0, k)]
								return v[at]/n - v[p.moment(1+a, k)]/n*v[p.moment(1+b, k)]/n
							})
						}
					}
					component++
				}
				if p.k < 2 {
					continue
				}
				for i := range p.len() {
					c := coordinate{slots: []int{o.slot}, words: fmt.Sprintf("%s moment %d of group %d over components%s", in, i, g+1, less)}
					sum := func(world, i int) (sum float64) {
						for k := range p.k {
							sum += values[world][p.moment(i, k)]
						}
						return sum
					}
					add(c, func(world int) float64 { return sum(world, i) })
					if i > 0 {
						c.words += " by the count"
						add(c, func(world int) float64 { return sum(world, i) / sum(world, 0) })
					}
				}
			}
			for _, run := range o.runs() {
				add(coordinate{slots: []int{o.slot}, words: fmt.Sprintf("%s values %d to %d%s", in, run[0], run[1]-1, less)}, func(world int) (sum float64) {
					for _, v := range values[world][run[0]:run[1]] {
						sum += v
					}
					return sum
				})
			}
			for at := range values[0] {
				if !taken[at] {
					add(coordinate{slots: []int{o.slot}, words: fmt.Sprintf("%s value %d%s", in, at, less)}, func(world int) float64 { return values[world][at] })
				}
			}
		}
	}
	for _, chain := range w.chains() {
		w.overSlots(chain, add)
	}
	return all
}

// diagonal reports whether second moments are squares alone.
func (p parts) diagonal() bool { return p.second == p.first && p.first > 1 }

// square returns the number of variables of a group with second moments, else 0.
func square(p parts) int {
	if p.diagonal() || p.second == p.first*(p.first+1)/2 {
		return p.first
	}
	return 0
}

// pair returns the place of a product i ≤ j among second moments.
func pair(i, j int, p parts) int {
	if p.diagonal() {
		return i
	}
	return i*p.first - i*(i-1)/2 + j - i
}

// runs returns neighbouring values that a reader adds up, such as the cells that divide a cell.
// These are all values of a block without moments of rows, and its aligned parts of 2, 4, 8 and so
// on.
func (o *opened) runs() (all [][2]int) {
	at := 0
	for _, b := range meanings(o.blocks) {
		if b.Moment == collabdict.NoMoment && b.Len > 1 {
			for n := 2; n < b.Len; n *= 2 {
				for from := 0; from+n <= b.Len; from += n {
					all = append(all, [2]int{at + from, at + from + n})
				}
			}
			all = append(all, [2]int{at, at + b.Len})
		}
		at += b.Len
	}
	return all
}

// usable returns the slots that have the same layout in all worlds.
func (w *Worlds) usable() (all []*opened) {
	for _, o := range w.slots {
		if !o.broken && len(o.total) == w.n {
			all = append(all, o)
		}
	}
	return all
}

// chains returns the slots that have the same layout and key, where there are several.
func (w *Worlds) chains() (all [][]*opened) {
	for _, o := range w.usable() {
		at := slices.IndexFunc(all, func(c []*opened) bool { return c[0].key == o.key && alike(c[0].blocks, o.blocks) })
		if at < 0 {
			all = append(all, nil)
			at = len(all) - 1
		}
		all[at] = append(all[at], o)
	}
	return slices.DeleteFunc(all, func(c []*opened) bool { return len(c) < 2 })
}

// overSlots adds means over slots of one layout, and ratios of differences of two such slots.
func (w *Worlds) overSlots(chain []*opened, add func(coordinate, func(int) float64)) {
	var slots []int
	for _, o := range chain {
		slots = append(slots, o.slot)
	}
	for at := range chain[0].rest[0] {
		c := coordinate{slots: slots, words: fmt.Sprintf("the mean of value %d over %d slots less own part", at, len(slots))}
		add(c, func(world int) (mean float64) {
			for _, o := range chain {
				mean += o.rest[world][at] / float64(len(chain))
			}
			return mean
		})
	}
	for a := 1; a < len(chain); a++ {
		for b := range a {
			x, y := chain[b], chain[a]
			component := 0
			for g, p := range x.groups {
				for k := range p.k + 1 {
					if k == p.k && p.k == 1 || k < p.k && b < a-1 {
						continue // of components, only neighbouring slots
					}
					for i := 1; i < p.len(); i++ {
						c := coordinate{slots: []int{x.slot, y.slot}, words: fmt.Sprintf("moment %d by count of the difference of slots %d and %d, component %d of group %d", i, y.slot, x.slot, k+1, g+1)}
						if k < p.k {
							c.lone, c.part = []*opened{x, y}, component+k
						}
						add(c, func(world int) float64 {
							var count, moment float64
							for j := range p.k {
								if k == p.k || j == k {
									count += y.rest[world][p.moment(0, j)] - x.rest[world][p.moment(0, j)]
									moment += y.rest[world][p.moment(i, j)] - x.rest[world][p.moment(i, j)]
								}
							}
							return moment / count
						})
					}
				}
				component += p.k
			}
		}
	}
}
