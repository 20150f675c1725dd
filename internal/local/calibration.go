package local

import (
	"math"
	"slices"

	"github.com/collabdict/collabdict/internal/portable"
)

// Calibration says how surprising scores are beside those of own rows that the scorer does
// not know: rows that stayed out of training, or that were left out for their score.
type Calibration struct {
	scores         []float64 // ascending
	median, spread float64
	excess         float64 // of the upper tenth over where it begins, mean
}

// fewestUpper is how many scores the upper tenth has at least, where there are twice as many.
const fewestUpper = 5

// Calibrate returns the calibration by the scores of some rows, at least one. None is NaN.
func Calibrate(scores []float64) *Calibration {
	if len(scores) == 0 || slices.ContainsFunc(scores, math.IsNaN) {
		panic("local: want scores that are numbers")
	}
	c := &Calibration{scores: slices.Sorted(slices.Values(scores)), spread: 1}
	c.median = c.scores[len(scores)/2]
	var known []float64 // finite
	for _, v := range c.scores {
		if v-v == 0 {
			known = append(known, v)
		}
	}
	n := len(known)
	if n == 0 {
		c.excess = 1
		return c
	}
	var off []float64
	for _, v := range known {
		if d := math.Abs(v - c.median); d > 0 && d-d == 0 {
			off = append(off, d)
		}
	}
	if slices.Sort(off); len(off) > 0 {
		c.spread = off[len(off)/2]
	}
	upper := max(min(fewestUpper, n/2), n/10)
	for _, v := range known[n-upper:] {
		c.excess += (v - known[n-1-min(upper, n-1)]) / float64(upper)
	}
	if c.excess = math.Min(c.excess, math.MaxFloat64); !(c.excess > 0) {
		c.excess = c.spread
	}
	return c
}

// Len returns how many rows it is by.
func (c *Calibration) Len() int { return len(c.scores) }

// Scores returns those that it is by, ascending. They are not to be changed.
func (c *Calibration) Scores() []float64 { return c.scores }

// Surprise returns −ln p in nats, p being about the share of rows like the own ones that would
// score as high: with the n scores r_i of own rows,
//
//	−ln[(1 + #{r_i ≥ score})/(n+1)],
//
// and where the score is beyond all of them, more by ln(1 + e/b). There e is how far it is
// beyond the largest, and b how far scores of the upper tenth are beyond its lowest, on average.
func (c *Calibration) Surprise(score float64) float64 {
	n := len(c.scores)
	sum := 0 - portable.Log(float64(1+c.reached(score))/float64(1+n))
	if !c.Beyond(score) {
		return sum
	}
	e := (score - c.scores[n-1]) / c.excess
	return sum + portable.Log(1+math.Min(e, math.MaxFloat64))
}

// Most is the largest surprise of scores that are not beyond those of all own rows.
func (c *Calibration) Most() float64 { return portable.Log(float64(1 + len(c.scores))) }

// Beyond reports whether a score is beyond those of all own rows.
func (c *Calibration) Beyond(score float64) bool { return score > c.scores[len(c.scores)-1] }

// own is the surprise of a row that the calibration is by, beside the others alone: a row that
// is beyond all of them surprises as one that is not among the own rows would.
func (c *Calibration) own(score float64) float64 {
	n := len(c.scores)
	if n > 1 && score > c.scores[n-2] {
		return Calibrate(c.scores[:n-1]).Surprise(score)
	}
	return 0 - portable.Log(float64(max(1, c.reached(score)))/float64(n))
}

// reached returns how many scores are at least this one.
func (c *Calibration) reached(score float64) int {
	at, _ := slices.BinarySearch(c.scores, score)
	return len(c.scores) - at
}

// order rises with the score, from −1 to 1, so that it tells rows of one surprise apart.
func (c *Calibration) order(score float64) float64 {
	off := score - c.median
	switch {
	case math.IsInf(off, 1):
		return 1
	case math.IsInf(off, -1):
		return -1
	case math.IsNaN(off): // score and median are the same infinity
		return 0
	}
	return off / (c.spread + math.Abs(off))
}
