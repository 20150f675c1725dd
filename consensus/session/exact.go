package session

import "github.com/collabdict/collabdict/chunking"

// roundBytes is the number of bytes that take as long to send as the fixed time of a round:
// half a millisecond of latency and processing, at 1 Gbit/s.
const roundBytes = 64 << 10

// An Exact holds the exact plans for a number of members: fold-in for short vectors, which
// needs fewer rounds, and circulant for long ones, in which a member sends less than two
// vectors in all.
type Exact struct {
	fold      *Exchange
	circulant *Circulant
	busiest   int
}

// NewExact returns the plans for the given number of members. In a round of fold-in, each
// member hears up to k others.
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

// For returns the faster plan for vectors of the given number of words. It counts a round as
// the time to send 64 KiB. For nearly all sizes this makes the limit a vector of 60 to 120 KiB.
// The choice depends on public numbers only.
func (e *Exact) For(words int) Plan {
	bytes := 8 * words
	folding := e.fold.Rounds()*roundBytes + e.busiest*bytes
	circling := e.circulant.Rounds()*roundBytes + 2*(bytes-bytes/e.fold.size)
	if circling < folding {
		return e.circulant
	}
	return e.fold
}
