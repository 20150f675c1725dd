package cli

import (
	"slices"
	"time"
)

// pace measures the duration of rounds.
type pace struct {
	ended time.Time // end of the last round; zero if none
	took  []time.Duration
}

// lastRounds is the number of rounds whose median is the pace, so that a pause or a lost member
// in one round does not change it.
const lastRounds = 9

// round records the end of a round, and returns the duration of rounds if known. replayed marks a
// round that this member only catches up on, whose duration does not count.
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
