package session

import "github.com/collabdict/collabdict/chunking"

// roundBytes is the number of bytes whose sending takes as long as a round takes
// besides: half a millisecond of latency and handling, at 1 Gbit/s.
const roundBytes = 64 << 10

// NewExact returns the plan that takes less time for vectors of the given number of
// words: fold-in, which needs fewer rounds, for short ones, or circulant, by which
// a member sends less than two vectors in all, for long ones. A round is reckoned
// as long as sending 64 KiB, which puts the limit at vectors of 60 to 120 KiB for
// nearly all sizes. It follows from public numbers alone.
func NewExact(size, k int, a chunking.Arithmetic, words int) (Plan, error) {
	fold, err := NewFoldIn(size, k, a)
	if err != nil {
		return nil, err
	}
	circulant, err := NewCirculant(size, a)
	if err != nil {
		return nil, err
	}
	bytes := 8 * words
	folding := fold.Rounds()*roundBytes + fold.busiest()*bytes
	circling := circulant.Rounds()*roundBytes + 2*(bytes-bytes/size)
	if circling < folding {
		return circulant, nil
	}
	return fold, nil
}
