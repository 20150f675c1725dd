package differencing

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
)

// A mutant is a small protocol with one fault that the reader must find, and without which it
// must find nothing.
type mutant struct {
	// play makes the sums of a world, with the fault or without. If lost, the last member is
	// lost.
	play func(p *play, fault, lost bool)
	loss bool   // the fault takes the loss of a member
	want string // a quantity that the reader must find, or part of the text of a fault of the grid
	rows bool   // the fault shows rows
	lone bool
}

// play is one run of a small protocol of five members over some columns and three components. The
// reader is member 0.
type play struct {
	random  *rand.Rand
	columns int
	rows    []*mat.Dense
	slots   []Slot
	round   uint32
}

const (
	playMembers, playComponents = 5, 3
	victim                      = playMembers - 1
)

// sum adds a slot. A member whose vector is nil is not in it.
func (p *play) sum(key string, blocks []collabdict.Block, vectors [][]float64, kept ...[]float64) {
	s := Slot{Number: uint64(len(p.slots)), Round: p.round, Key: key, Blocks: blocks, Vectors: vectors}
	for m, v := range vectors {
		if v != nil {
			s.Members = append(s.Members, uint32(m))
			kept = append(kept, v)
		}
	}
	s.Total = make([]float64, len(kept[0]))
	for _, v := range kept {
		for i, x := range v {
			s.Total[i] += x
		}
	}
	p.slots = append(p.slots, s)
}

// all returns the vectors of all members, or of all but the victim.
func (p *play) all(without bool, of func(m int) []float64) (out [][]float64) {
	for m := range playMembers {
		if without && m == victim {
			out = append(out, nil)
			continue
		}
		out = append(out, of(m))
	}
	return out
}

func momentBlocks(k, columns int) []collabdict.Block {
	return []collabdict.Block{
		{Len: k, Bound: 1e4, Moment: collabdict.Counts},
		{Len: k * columns, Bound: 1e4, Moment: collabdict.FirstMoments},
		{Len: k * columns * (columns + 1) / 2, Bound: 1e4, Moment: collabdict.SecondMoments},
	}
}

// step is the grid of vectors in these protocols.
const step = 1.0 / 64

// moments returns the moments of rows with weights, with noise of this deviation, on the grid.
func (p *play) moments(x *mat.Dense, k int, noise float64, weight func(row []float64, k int) float64) []float64 {
	n, dim := x.Dims()
	out := make([]float64, k*(1+dim+dim*(dim+1)/2))
	for r := range n {
		row := x.RawRowView(r)
		for c := range k {
			w := weight(row, c)
			at := c
			add := func(v float64) {
				out[at] += w * v
				at += k
			}
			add(1)
			for _, v := range row {
				add(v)
			}
			for i, v := range row {
				for _, u := range row[i:] {
					add(v * u)
				}
			}
		}
	}
	for i := range out {
		out[i] = step * math.Round((out[i]+noise*p.random.NormFloat64())/step)
	}
	return out
}

// near returns weights by the distance to the centre of a component, which moves from round to
// round.
func (p *play) near(shift float64) func(row []float64, k int) float64 {
	return func(row []float64, k int) float64 {
		sum, own := 0.0, 0.0
		for c := range playComponents {
			d := row[0] - 3*float64(c-1) - shift
			e := math.Exp(-d * d / 4)
			if c == k {
				own = e
			}
			sum += e
		}
		return own / sum
	}
}

// leaving returns weights by which all rows leave the first component.
func (p *play) leaving(shift float64) func(row []float64, k int) float64 {
	near := p.near(shift)
	return func(row []float64, k int) float64 {
		return []float64{0, near(row, 0) + near(row, 1), near(row, 2)}[k]
	}
}

// first returns weights by which all rows are in the first component.
func first(_ []float64, k int) float64 {
	if k == 0 {
		return 1
	}
	return 0
}

func (p *play) world() *World { return &World{Slots: p.slots, Rows: p.rows, Trained: p.rows} }

func newPlay(world, columns int) *play {
	p := &play{random: rand.New(rand.NewPCG(uint64(world), 5)), columns: columns}
	for range playMembers {
		n := 60 + p.random.IntN(25)
		x := mat.NewDense(n, p.columns, nil)
		shift, spread := 0.3*p.random.NormFloat64(), math.Exp(0.1*p.random.NormFloat64())
		for r := range n {
			x.Set(r, 0, 3*float64(p.random.IntN(3)-1)+shift+spread*p.random.NormFloat64())
			for i := 1; i < p.columns; i++ {
				x.Set(r, i, shift+spread*p.random.NormFloat64())
			}
		}
		p.rows = append(p.rows, x)
	}
	return p
}

// rounds makes the running total of a mixture for some rounds, in which a lost member keeps a
// vector.
func (p *play) rounds(lost bool, kept []float64, weight func(m int, round float64) func([]float64, int) float64) {
	for round := range 6 {
		p.round = uint32(round + 1)
		vectors := p.all(lost, func(m int) []float64 {
			return p.moments(p.rows[m], playComponents, 0.1, weight(m, float64(round)))
		})
		if lost {
			p.sum("statistics", momentBlocks(playComponents, p.columns), vectors, kept)
			continue
		}
		p.sum("statistics", momentBlocks(playComponents, p.columns), vectors)
	}
}

var mutants = map[string]mutant{
	"a running total begins with all rows in one component": {
		loss: true, want: "N",
		play: func(p *play, fault, lost bool) {
			weight := func(_ int, round float64) func([]float64, int) float64 { return p.near(0.1 * round) }
			kept := p.moments(p.rows[victim], playComponents, 0.1, p.near(0))
			if fault {
				kept = p.moments(p.rows[victim], playComponents, 0.1, first)
				weight = func(_ int, round float64) func([]float64, int) float64 { return p.leaving(0.1 * round) }
			}
			p.rounds(lost, kept, weight)
		},
	},
	"a component empties after a loss": {
		loss: true, want: "N of component 3 of group 1",
		play: func(p *play, fault, lost bool) {
			p.sum("statistics", momentBlocks(playComponents, p.columns), p.all(false, func(m int) []float64 {
				return p.moments(p.rows[m], playComponents, 0.1, p.near(0))
			}))
			kept := p.slots[0].Vectors[victim]
			p.rounds(lost, kept, func(_ int, round float64) func([]float64, int) float64 {
				if fault && round > 3 {
					return first
				}
				return p.near(0.3 * round)
			})
		},
	},
	"clusterings begin with all rows in one cluster": {
		loss: true, want: "N",
		play: func(p *play, fault, lost bool) {
			blocks := momentBlocks(playComponents, p.columns)[:2]
			n := playComponents * (1 + p.columns)
			kept, weight := p.moments(p.rows[victim], playComponents, 0.1, p.near(0)), p.near
			if fault {
				kept, weight = p.moments(p.rows[victim], playComponents, 0.1, first), p.leaving
			}
			for i := range 4 {
				vectors := p.all(lost, func(m int) []float64 { return p.moments(p.rows[m], playComponents, 0.1, weight(0.1*float64(i)))[:n] })
				if lost {
					p.sum("clusters", blocks, vectors, kept[:n])
				} else {
					p.sum("clusters", blocks, vectors)
				}
			}
		},
	},
	"cells are divided over those who are left": {
		loss: true, want: "value 2 of the last vector without moments",
		play: func(p *play, fault, lost bool) {
			cells := func(m, parts int) []float64 {
				out := make([]float64, 4*parts)
				edges := []float64{-2, 0, 2}
				for r := range p.rows[m].RawMatrix().Rows {
					v, c := p.rows[m].At(r, 0), 0
					for c < 3 && v >= edges[c] {
						c++
					}
					within := int(math.Abs(v*1e3)) % parts
					out[c*parts+within]++
				}
				return out
			}
			p.sum("", []collabdict.Block{{Len: 4, Bound: 1e3}}, p.all(false, func(m int) []float64 { return cells(m, 1) }))
			if fault {
				p.sum("", []collabdict.Block{{Len: 32, Bound: 1e3}}, p.all(lost, func(m int) []float64 { return cells(m, 8) }))
			}
		},
	},
	"n is summed twice": {
		loss: true, want: "N",
		play: func(p *play, fault, lost bool) {
			rows := func(m int) []float64 { return []float64{float64(p.rows[m].RawMatrix().Rows)} }
			p.sum("", []collabdict.Block{{Len: 1, Bound: 1e3}}, p.all(false, rows))
			if fault {
				p.sum("", []collabdict.Block{{Len: 1, Bound: 1e3}}, p.all(lost, rows))
			}
		},
	},
	"an exact sum of logarithms": {
		want: Inequality,
		play: func(p *play, fault, _ bool) {
			p.sum("start", []collabdict.Block{{Len: 2, Bound: 1e4}}, p.all(false, func(m int) []float64 {
				n := float64(p.rows[m].RawMatrix().Rows)
				least := n * math.Log(4)
				if fault { // the number of ways to put n rows into 4 clusters of equal size
					all, _ := math.Lgamma(n + 1)
					each, _ := math.Lgamma(n/4 + 1)
					least = all - 4*each
				}
				return []float64{n, least}
			}))
		},
	},
	"noise keeps sums of expected cells exact": {
		rows: true,
		play: func(p *play, fault, _ bool) {
			p.rows[victim].Set(3, 0, math.NaN())
			for round := range 4 {
				p.round = uint32(round)
				p.sum("statistics", momentBlocks(playComponents, p.columns), p.all(false, func(m int) []float64 {
					x := mat.DenseCopyOf(p.rows[m])
					if m == victim {
						x.Set(3, 0, 0.3*float64(round+1)) // the expected cell
					}
					v := p.exact(x, playComponents, p.near(0.1*float64(round)))
					for at := 0; at < len(v); at += playComponents {
						sum := 0.0
						for k := range playComponents {
							d := p.random.NormFloat64()
							v[at+k] += d
							sum += d
						}
						if fault {
							v[at] -= sum
						}
					}
					return v
				}))
			}
		},
	},
	"a constant column has no noise": {
		rows: true,
		play: func(p *play, fault, _ bool) {
			for m, x := range p.rows {
				y := mat.NewDense(x.RawMatrix().Rows, p.columns+1, nil)
				for r := range x.RawMatrix().Rows {
					y.SetRow(r, append(x.RawRowView(r), 50))
				}
				p.rows[m] = y
			}
			for round := range 2 {
				p.round = uint32(round)
				p.sum("statistics", momentBlocks(2, p.columns+1), p.all(false, func(m int) []float64 {
					in := func(row []float64, k int) float64 { // one row of the victim moves
						if (row[0] < 0 || round > 0 && row[0] == p.rows[victim].At(5, 0)) == (k == 0) {
							return 1
						}
						return 0
					}
					v := p.exact(p.rows[m], 2, in)
					g := partsOf(momentBlocks(2, p.columns+1))[0]
					constant := []int{1 + p.columns}
					for i := range p.columns + 1 {
						constant = append(constant, 2+p.columns+pair(i, p.columns, g))
					}
					for i := range g.len() {
						for k := range 2 {
							switch {
							case !slices.Contains(constant, i):
								v[g.moment(i, k)] += 2 * p.random.NormFloat64()
							case !fault: // in the unit of the column
								v[g.moment(i, k)] += 100 * p.random.NormFloat64()
							}
						}
					}
					return v
				}))
			}
		},
	},
	"digits below the grid go to the largest component": {
		want: Below,
		play: func(p *play, fault, _ bool) {
			p.rounds(false, nil, func(_ int, round float64) func([]float64, int) float64 { return p.near(0.1 * round) })
			if !fault {
				return
			}
			for i := range p.slots {
				for _, v := range p.slots[i].Vectors {
					most := 0
					for k := range playComponents {
						if v[k] > v[most] {
							most = k
						}
					}
					v[most] += step * p.random.Float64() / 4096
				}
			}
		},
	},
	"shares in place of counts": {
		want: NoGrid,
		play: func(p *play, fault, _ bool) {
			p.sum("", []collabdict.Block{{Len: 4, Bound: 1e3}}, p.all(false, func(m int) []float64 {
				out := make([]float64, 4)
				n := p.rows[m].RawMatrix().Rows
				for r := range n {
					at := 0
					for at < 3 && p.rows[m].At(r, 0) > 2*float64(at-1) {
						at++
					}
					if fault {
						out[at] += 1 / float64(n)
					} else {
						out[at]++
					}
				}
				return out
			}))
		},
	},
	"a component of one member": {
		want: "N of component 3 of group 1", lone: true,
		play: func(p *play, fault, _ bool) {
			p.rounds(false, nil, func(m int, round float64) func([]float64, int) float64 {
				if fault {
					return func(row []float64, k int) float64 {
						w := p.near(0.1 * round)
						if m == victim {
							return w(row, k)
						}
						return []float64{w(row, 0) + w(row, 2), w(row, 1), 0}[k]
					}
				}
				return p.near(0.1 * round)
			})
		},
	},
}

// exact returns moments without noise or grid.
func (p *play) exact(x *mat.Dense, k int, weight func(row []float64, k int) float64) []float64 {
	n, dim := x.Dims()
	out := make([]float64, k*(1+dim+dim*(dim+1)/2))
	for r := range n {
		row := x.RawRowView(r)
		for c := range k {
			w := weight(row, c)
			out[c] += w
			at := k + c
			for _, v := range row {
				out[at] += w * v
				at += k
			}
			for i, v := range row {
				for _, u := range row[i:] {
					out[at] += w * v * u
					at += k
				}
			}
		}
	}
	return out
}

// The reader finds each fault, and nothing without it.
func TestMutants(t *testing.T) {
	for name, c := range mutants {
		columns := 2
		if c.rows {
			columns = 4 // in two, some points are near rows by chance
		}
		for _, fault := range []bool{true, false} {
			all, whole := NewWorlds(playMembers, 0), NewWorlds(playMembers, 0)
			for world := range 24 {
				p := newPlay(world, columns)
				c.play(p, fault, c.loss)
				all.Add(p.world())
				if c.loss {
					p = newPlay(world, columns)
					c.play(p, fault, false)
					whole.Add(p.world())
				}
			}
			if !c.loss {
				whole = nil
			}
			readings, chance := all.Read(whole)
			found := 0
			for _, r := range readings {
				if r.Quantity == c.want && (r.Member == victim || c.want == Inequality) && r.Lone == c.lone {
					found++
				}
			}
			for _, f := range all.Faults() {
				if strings.Contains(c.want, f.What) {
					found++
				}
			}
			if c.rows {
				found = all.Rows().Rows
			}
			switch {
			case fault && found == 0:
				t.Errorf("%s: not found among %d readings, %d rows (%d by chance), faults %v", name, len(readings), all.Rows().Rows, all.Rows().Chance, all.Faults())
			case !fault && (len(readings) > 0 || c.rows && found > 0) || chance > 0:
				t.Errorf("%s: without the fault: %d rows (%d by chance), chance %d, %+v", name, all.Rows().Rows, all.Rows().Chance, chance, readings)
			}
		}
	}
}
