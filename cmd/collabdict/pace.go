package main

import (
	"slices"
	"time"
)

// pace is how long rounds take.
type pace struct {
	ended time.Time // the last round; zero if none has
	took  []time.Duration
}

// lastRounds bounds the rounds whose median is the pace: one that a pause or a lost
// member has held up does not count for those to come.
const lastRounds = 9

// round notes the end of a round, and returns what rounds take if that is known.
// Rounds that this member computes once more, which the others have decided without
// it, say nothing of those to come: of them replayed is true.
func (p *pace) round(now time.Time, replayed bool) (each time.Duration, known bool) {
	if !p.ended.IsZero() && !replayed {
		p.took = append(p.took, now.Sub(p.ended))
		p.took = p.took[max(0, len(p.took)-lastRounds):]
	}
	p.ended = now
	if replayed || p.took == nil {
		return 0, false
	}
	return slices.Sorted(slices.Values(p.took))[len(p.took)/2], true
}
