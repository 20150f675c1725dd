package dataset

import (
	"fmt"
	"math"
	"slices"
)

// extremes are the values of a column at both ends.
type extremes struct {
	low, high ends // high holds negated values
	count     int  // of all values
}

func (e *extremes) add(v float64, at spot) {
	e.low.add(v, 1, at)
	e.high.add(-v, 1, at)
	e.count++
}

// join adds the values of later rows.
func (e *extremes) join(o *extremes) {
	for _, of := range []struct{ to, from *ends }{{&e.low, &o.low}, {&e.high, &o.high}} {
		for i := range of.from.n {
			of.to.add(of.from.values[i], of.from.counts[i], of.from.first[i])
		}
	}
	e.count += o.count
}

// A spot is the place of a row in one of several files.
type spot struct {
	path      *string
	line, row int
}

func spotOf(path *string, at place) spot { return spot{path, at.line, at.row} }

// in returns the place in words, for a reader who knows that a file is meant.
func (s spot) in(file string) string {
	text := place{line: s.line, row: s.row}.String()
	if *s.path != file {
		text += " of " + *s.path
	}
	return text
}

// ends holds the smallest distinct values, each with its count and its first place.
type ends struct {
	values [mostFar + 3]float64
	counts [mostFar + 3]int
	first  [mostFar + 3]spot
	n      int
}

func (e *ends) add(v float64, times int, at spot) {
	i := 0
	for i < e.n && e.values[i] < v {
		i++
	}
	switch {
	case i < e.n && e.values[i] == v:
		e.counts[i] += times
		return
	case i == len(e.values):
		return
	}
	e.n = min(e.n+1, len(e.values))
	copy(e.values[i+1:e.n], e.values[i:])
	copy(e.counts[i+1:e.n], e.counts[i:])
	copy(e.first[i+1:e.n], e.first[i:])
	e.values[i], e.counts[i], e.first[i] = v, times, at
}

// codes are values often used to mark missing ones.
var codes = []float64{32767, 32768, 65535, 99, 999, 9999, 99999, 999999, 9999999, 999.25, 2147483647, 2147483648, 4294967295}

// farValues describes values far from all others, and farAdvice says what to do.
const (
	farValues = "far from all other values, so perhaps errors, or written for missing ones"
	farAdvice = "leave these cells empty, and see --missing: they hide faults"
)

// mostFar is the largest number of far values of a column; three others at least are near each other.
const mostFar = 3

// sentinels returns values at the ends that are far from all others, in terms of the others' range: five times for
// codes, ten times for other values. The values of a file are read in its place.
func (e *extremes) sentinels(file string) (out []string) {
	var far, farthest [2]int // values at both ends
	for far[0] = range mostFar + 1 {
		for far[1] = range mostFar + 1 {
			if n := far[0] + far[1]; n > farthest[0]+farthest[1] && n+3 <= e.low.n && e.apart(far) {
				farthest = far
			}
		}
	}
	for side, of := range []*ends{&e.low, &e.high} {
		for i := range farthest[side] {
			v := of.values[i]
			if side == 1 {
				v = -v
			}
			out = append(out, times(v, of.counts[i], of.first[i].in(file)))
		}
	}
	return out
}

// apart reports whether the given numbers of values at both ends are far from the others.
func (e *extremes) apart(far [2]int) bool {
	spread := -e.high.values[far[1]] - e.low.values[far[0]]
	for side, of := range []*ends{&e.low, &e.high} {
		for i := range far[side] {
			least := 10.0
			if size := math.Abs(of.values[i]); size >= 1e20 || slices.Contains(codes, size) {
				least = 5
			} else if e.count < suspectRows {
				return false
			}
			if 2*of.counts[i] >= e.count || !(of.values[far[side]]-of.values[i] > least*spread) {
				return false
			}
		}
	}
	return spread > 0
}

func times(v float64, n int, first string) string {
	if n == 1 {
		return fmt.Sprintf("%g occurs once, in %s", v, first)
	}
	return fmt.Sprintf("%g occurs %d times, first in %s", v, n, first)
}
