package session

import "github.com/collabdict/collabdict/chunking"

// roundBytes is the number of bytes whose sending takes as long as a round takes
// besides: half a millisecond of latency and handling, at 1 Gbit/s.
const roundBytes = 64 << 10

// Exact are the plans for members of one number: fold-in, which needs fewer rounds,
// for short vectors, and circulant, by which a member sends less than two vectors in
// all, for long ones.
type Exact struct {
	fold      *Exchange
	circulant *Circulant
	busiest   int
}

// NewExact returns the plans for the given number of members. In fold-in each hears
// up to k others a round.
func NewExact(size, k int, a chunking.Arithmetic) (*Exact, error) {
	fold, err := NewFoldIn(size, k, a)
	if err != nil {
		return nil, err
	}
	circulant, err := NewCirculant(size, a)
	if err != nil {
		return nil, err
	}
	return &Exact{fold, circulant, fold.busiest()}, nil
}

// For returns the plan that takes less time for vectors of the given number of
// words. A round is reckoned as long as sending 64 KiB, which puts the limit at
// vectors of 60 to 120 KiB for nearly all sizes. It follows from public numbers
// alone.
func (e *Exact) For(words int) Plan {
	bytes := 8 * words
	folding := e.fold.Rounds()*roundBytes + e.busiest*bytes
	circling := e.circulant.Rounds()*roundBytes + 2*(bytes-bytes/e.fold.size)
	if circling < folding {
		return e.circulant
	}
	return e.fold
}
