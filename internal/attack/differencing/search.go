package differencing

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

// Enough is the correlation over the worlds from which a reading tracks a quantity. With 24
// worlds, two unrelated numbers reach it with a probability of about 1e-12.
const Enough = 0.95

// A vector holds a coordinate over the worlds about its mean.
type vector struct {
	*coordinate
	mean  float64
	about []float64
}

// space is what a search runs over: coordinates that are neither constant nor equal.
type space struct{ vectors []vector }

// relative is the change below which values count as constant: rounding.
const relative = 1e-12

func newSpace(all []coordinate) *space {
	s := &space{}
	seen := map[string]bool{}
	var key []byte
	for i := range all {
		c := &all[i]
		v := vector{coordinate: c, about: make([]float64, len(c.values))}
		most := 0.0
		for _, x := range c.values {
			v.mean += x / float64(len(c.values))
			most = math.Max(most, math.Abs(x))
		}
		for j, x := range c.values {
			v.about[j] = x - v.mean
		}
		size := norm(v.about)
		if !(size > relative*most) {
			continue
		}
		key = key[:0]
		for _, x := range v.about {
			key = fmt.Appendf(key, "%.8g ", x/size)
		}
		key = fmt.Appendf(key, "%.8g", size)
		if seen[string(key)] {
			continue
		}
		seen[string(key)] = true
		s.vectors = append(s.vectors, v)
	}
	return s
}

func norm(x []float64) float64 { return math.Sqrt(dot(x, x)) }

func dot(a, b []float64) (sum float64) {
	b = b[:len(a)]
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// reading is a combination of one or two coordinates that tracks a quantity.
type reading struct {
	a, b *vector // b is nil for one coordinate
	sign float64 // of b
	r    float64 // correlation
	// err is the error as a share of the deviation of the quantity: that of a straight line
	// through the reading, or the median of the reading itself if that is smaller.
	err float64
}

// projected is a vector in two parts: the part along a quantity, and the rest.
type projected struct {
	head  [4]float64 // of rest
	along float64
	size  float64 // length of rest
	rest  []float64
	at    int // in the space
}

// distance returns the squared length of the rest of a + sign·b, or more than limit if it is
// above that.
func (a *projected) distance(b *projected, sign, limit float64) (square float64) {
	rest := b.rest[:len(a.rest)]
	for i, v := range a.rest {
		d := v + sign*rest[i]
		if square += d * d; square > limit {
			return square
		}
	}
	return square
}

// search finds the best reading of one quantity.
type search struct {
	slope float64 // largest rest of a better reading, relative to its part along the quantity
	a, b  *projected
	sign  float64
	all   []projected
}

// slopeOf returns the rest relative to the part along a quantity at which the correlation is r.
func slopeOf(r float64) float64 { return math.Sqrt(math.Max(1-r*r, 0)) / math.Abs(r) }

// find returns the reading with the greatest correlation with quantity q that is above floor,
// or nil. It prefers one coordinate to two.
func (s *space) find(q []float64, floor float64) *reading {
	q = centred(q)
	size := norm(q)
	if !(size > 0) || few(q) {
		return nil
	}
	scale(q, 1/size)
	x := &search{slope: slopeOf(floor)}
	x.project(s, q)
	if x.single(); x.a == nil {
		x.double()
	}
	if x.a == nil {
		return nil
	}
	r := &reading{a: &s.vectors[x.a.at], sign: x.sign}
	along, square := x.a.along, x.a.size*x.a.size
	if x.b != nil {
		r.b = &s.vectors[x.b.at]
		along += x.sign * x.b.along
		square = x.a.distance(x.b, x.sign, math.Inf(1))
	}
	whole := math.Hypot(along, math.Sqrt(square))
	r.r, r.err = along/whole, math.Sqrt(square)/whole
	return r
}

// few reports whether deviations lie in three worlds or fewer, such as those of the number of
// rows in a cell that is mostly empty. Many such numbers are alike by chance.
func few(deviations []float64) bool {
	squares := make([]float64, len(deviations))
	for i, v := range deviations {
		squares[i] = v * v
	}
	slices.Sort(squares)
	most := 0.0
	for _, v := range squares[max(len(squares)-3, 0):] {
		most += v
	}
	return most > 0.75*dot(deviations, deviations)
}

// project divides all vectors by their part along a quantity.
func (x *search) project(s *space, q []float64) {
	for i := range s.vectors {
		rest := slices.Clone(s.vectors[i].about)
		p := projected{at: i, along: dot(rest, q)}
		remove(rest, q)
		p.rest, p.size = rest, norm(rest)
		copy(p.head[:], rest)
		x.all = append(x.all, p)
	}
}

// single tries all single coordinates.
func (x *search) single() {
	for i := range x.all {
		if p := &x.all[i]; p.size < x.slope*math.Abs(p.along) {
			x.slope, x.a, x.sign = p.size/math.Abs(p.along), p, 1
		}
	}
}

// double tries all sums and differences of two coordinates. The rest of a ± b is at least as
// long as the difference of the lengths of theirs, and as its first values.
func (x *search) double() {
	weak := func(p *projected) bool { return math.Abs(p.along) <= p.size }
	sort.Slice(x.all, func(i, j int) bool {
		a, b := &x.all[i], &x.all[j]
		if weak(a) != weak(b) {
			return weak(b)
		}
		return a.size < b.size
	})
	for i := range x.all {
		a := &x.all[i]
		ends := weak(a)
		for j := i + 1; j < len(x.all); j++ {
			b := &x.all[j]
			if ends && b.size*(1-x.slope) > a.size+x.slope*math.Abs(a.along) {
				break // weak coordinates move along q by at most their rest
			}
			most := x.slope * (math.Abs(a.along) + math.Abs(b.along))
			if b.size-a.size > most || a.size-b.size > most {
				continue
			}
			x.pair(a, b)
		}
	}
}

func (x *search) pair(a, b *projected) {
	var plus, minus float64
	for i, v := range a.head {
		u := b.head[i]
		plus += (v + u) * (v + u)
		minus += (v - u) * (v - u)
	}
	x.better(a, b, 1, a.along+b.along, plus)
	x.better(a, b, -1, a.along-b.along, minus)
}

// better takes a + sign·b if it is better than the best so far. Its rest has a squared length of
// at least least.
func (x *search) better(a, b *projected, sign, along, least float64) {
	limit := x.slope * x.slope * along * along
	if least >= limit {
		return
	}
	square := a.distance(b, sign, limit)
	if square >= limit || math.Hypot(along, math.Sqrt(square)) < 1e-13*(a.size+math.Abs(a.along)) {
		return // the last case: rounding
	}
	x.slope, x.a, x.b, x.sign = math.Sqrt(square)/math.Abs(along), a, b, sign
}

// values returns the reading in each world.
func (r *reading) values() []float64 {
	out := slices.Clone(r.a.values)
	if r.b != nil {
		for i, v := range r.b.values {
			out[i] += r.sign * v
		}
	}
	return out
}

// compare sets the error to that of the reading itself, if it is the smaller one.
func (r *reading) compare(q []float64) {
	deviation := norm(centred(q)) / math.Sqrt(float64(len(q)))
	off := r.values()
	for i, v := range off {
		off[i] = math.Abs(v - q[i])
	}
	slices.Sort(off)
	r.err = math.Min(r.err, off[len(off)/2]/deviation)
}

// words describes the reading.
func (r *reading) words() string {
	if r.b == nil {
		return r.a.words
	}
	by := " plus "
	if r.sign < 0 {
		by = " minus "
	}
	return r.a.words + by + r.b.words
}

// slots returns the slots behind the reading, in order.
func (r *reading) slots() []int {
	all := slices.Clone(r.a.slots)
	if r.b != nil {
		all = append(all, r.b.slots...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func centred(x []float64) []float64 {
	mean := 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	out := slices.Clone(x)
	for i := range out {
		out[i] -= mean
	}
	return out
}

func scale(x []float64, by float64) {
	for i := range x {
		x[i] *= by
	}
}

// remove takes the part along a unit vector out of x.
func remove(x, unit []float64) {
	along := dot(x, unit)
	for i, v := range unit {
		x[i] -= along * v
	}
}

// given returns the correlation of two numbers over the worlds if a third is known, or 0 if that
// leaves nothing of one of them.
func given(x, y, known []float64) float64 {
	x, y, known = centred(x), centred(y), centred(known)
	wholeX, wholeY := norm(x), norm(y)
	if size := norm(known); size > 0 {
		scale(known, 1/size)
		remove(x, known)
		remove(y, known)
	}
	if !(norm(x) > 1e-9*wholeX && norm(y) > 1e-9*wholeY) {
		return 0
	}
	return dot(x, y) / (norm(x) * norm(y))
}
