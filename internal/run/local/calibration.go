package local

import (
	"math"
	"slices"

	"github.com/collabdict/collabdict/internal/numeric/portable"
)

// A Calibration turns scores into surprises, by comparison with scores of this participant's
// own rows. The scorer must not know these rows: they were held out, or each was left out for
// its own score.
type Calibration struct {
	scores         []float64 // ascending
	median, spread float64
	excess         float64 // mean excess of the upper tenth over its lowest score
}

// fewestUpper is the least number of scores in the upper tenth, if there are twice as many in
// all.
const fewestUpper = 5

// Calibrate returns the calibration from at least one score. None may be NaN.
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

// Len returns the number of scores of the calibration.
func (c *Calibration) Len() int { return len(c.scores) }

// Scores returns the scores of the calibration in ascending order. The caller must not change
// them.
func (c *Calibration) Scores() []float64 { return c.scores }

// Surprise returns about −ln p in nats, where p is the share of similar rows that score at
// least as high. With the n scores r_i of own rows, it is
//
//	−ln[(1 + #{r_i ≥ score})/(n+1)].
//
// For a score above all r_i, ln(1 + e/b) is added: e is the distance to the largest r_i, and b
// the mean excess of the upper tenth over its lowest score.
func (c *Calibration) Surprise(score float64) float64 {
	n := len(c.scores)
	sum := 0 - portable.Log(float64(1+c.reached(score))/float64(1+n))
	if !c.Beyond(score) {
		return sum
	}
	e := (score - c.scores[n-1]) / c.excess
	return sum + portable.Log(1+math.Min(e, math.MaxFloat64))
}

// Most returns the largest surprise of a score that is not above all own ones.
func (c *Calibration) Most() float64 { return portable.Log(float64(1 + len(c.scores))) }

// Beyond reports whether a score is above those of all own rows.
func (c *Calibration) Beyond(score float64) bool { return score > c.scores[len(c.scores)-1] }

// OwnSurprise returns the surprise of one of the calibration's own rows, compared with the others. A
// row above all others gets the surprise of a new row.
func (c *Calibration) OwnSurprise(score float64) float64 {
	n := len(c.scores)
	if n > 1 && score > c.scores[n-2] {
		return Calibrate(c.scores[:n-1]).Surprise(score)
	}
	return 0 - portable.Log(float64(max(1, c.reached(score)))/float64(n))
}

// reached returns the number of scores that are at least this one.
func (c *Calibration) reached(score float64) int {
	at, _ := slices.BinarySearch(c.scores, score)
	return len(c.scores) - at
}

// order rises with the score from −1 to 1. It breaks ties between rows of equal surprise.
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
