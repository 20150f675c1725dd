package differencing

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

// The correlations over the worlds from which a reading of one or two coordinates tracks a quantity.
// With 24 worlds, unrelated numbers reach them with a probability of about 1e-12 and 1e-13.
const (
	Enough      = 0.95
	enoughOfTwo = 0.97
)

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
	a, b   *vector // b is nil for one coordinate
	weight float64 // of b; that of a is 1
	r      float64 // correlation
	// err is the error as a share of the deviation of the quantity: that of a straight line
	// through the reading, or the median of the reading itself if that is smaller.
	err float64
}

// projected is a vector in two parts: the part along a quantity, and the rest. It is scaled so that
// the rest has length 1.
type projected struct {
	head  [4]float64 // of rest
	along float64
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

// find returns the reading with the greatest correlation with quantity q, or nil if it is below
// one for a single coordinate, and below two for two of them, each with a weight. It prefers a
// single coordinate.
func (s *space) find(q []float64, one, two float64) *reading {
	q = centred(q)
	size := norm(q)
	if !(size > 0) || few(q) {
		return nil
	}
	scale(q, 1/size)
	x := &search{slope: slopeOf(one)}
	x.project(s, q)
	if x.single(); x.a == nil {
		x.slope = slopeOf(two)
		if len(x.all) > mostInPairs {
			x.all = slices.DeleteFunc(x.all, func(p projected) bool { return s.vectors[p.at].lone != nil })
		}
		if len(x.all) <= mostInPairs {
			x.double()
		}
	}
	if x.a == nil {
		return nil
	}
	r := &reading{a: &s.vectors[x.a.at]}
	if x.b == nil {
		r.r = dot(r.a.about, q) / norm(r.a.about)
	} else {
		r.b = &s.vectors[x.b.at]
		r.weight, r.r = fit(r.a.about, r.b.about, q)
	}
	r.err = math.Sqrt(math.Max(1-r.r*r.r, 0))
	return r
}

// fit returns the weight w with which a + w·b has the largest correlation with the unit vector q.
func fit(a, b, q []float64) (w, r float64) {
	// Orthogonal vectors lose no digits where a and b are nearly equal.
	u := slices.Clone(b)
	along := dot(a, b) / dot(a, a)
	for i, v := range a {
		u[i] -= along * v
	}
	p, c := dot(a, q)/dot(a, a), dot(u, q)/dot(u, u)
	first := p - c*along
	best := make([]float64, len(q))
	for i := range best {
		best[i] = p*a[i] + c*u[i]
	}
	return c / first, math.Copysign(dot(best, q)/norm(best), first)
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
		p := projected{at: i, along: dot(rest, q), rest: rest}
		remove(rest, q)
		size := math.Max(norm(rest), 1e-13*math.Abs(p.along))
		scale(rest, 1/size)
		p.along /= size
		copy(p.head[:], rest)
		x.all = append(x.all, p)
	}
}

// single tries all single coordinates.
func (x *search) single() {
	for i := range x.all {
		if p := &x.all[i]; 1 < x.slope*math.Abs(p.along) {
			x.slope, x.a = 1/math.Abs(p.along), p
		}
	}
}

// mostInPairs is the largest number of coordinates that are all tried in pairs. Beyond it, only those
// that are about no single component are, and if these are too many, single ones alone.
const mostInPairs = 4000

// double tries all sums and differences of two coordinates. Rests that nearly cancel have nearly the
// same or opposite values, in every world.
func (x *search) double() {
	weak := func(p *projected) bool { return math.Abs(p.along) <= 0.5 }
	sort.Slice(x.all, func(i, j int) bool {
		a, b := &x.all[i], &x.all[j]
		if weak(a) != weak(b) {
			return weak(b)
		}
		return math.Abs(a.head[0]) < math.Abs(b.head[0])
	})
	for i := range x.all {
		a := &x.all[i]
		ends, along, first := weak(a), math.Abs(a.along), math.Abs(a.head[0])
		for j := i + 1; j < len(x.all); j++ {
			b := &x.all[j]
			apart := math.Abs(b.head[0]) - first
			if ends && apart > x.slope*(along+0.5) {
				break
			}
			if math.Abs(apart) <= x.slope*(along+math.Abs(b.along)) {
				x.pair(a, b)
			}
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
	if square >= limit || math.Hypot(along, math.Sqrt(square)) < 1e-11*(1+math.Abs(a.along)) {
		return // the last case: rounding
	}
	x.slope, x.a, x.b, x.sign = math.Sqrt(square)/math.Abs(along), a, b, sign
}

// values returns the reading in each world.
func (r *reading) values() []float64 {
	out := slices.Clone(r.a.values)
	if r.b != nil {
		for i, v := range r.b.values {
			out[i] += r.weight * v
		}
	}
	return out
}

// compare sets the error to that of the reading itself, if it is the smaller one.
func (r *reading) compare(q []float64) {
	if r.b != nil {
		return // weights are chosen
	}
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
	by := "plus"
	if r.weight < 0 {
		by = "minus"
	}
	return fmt.Sprintf("%s %s %.4g times %s", r.a.words, by, math.Abs(r.weight), r.b.words)
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
