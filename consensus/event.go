package consensus

import (
	"time"

	"github.com/collabdict/collabdict"
)

// Event is an input of the machine: one of Call, Receive, Tick, Finish, Abort.
// Every event carries the time since the start of the run; the machine has no
// clock.
type Event interface{ event() }

// Call enters the next slot with this member's contribution. One call is under
// way at a time.
type Call struct {
	Kind   Kind
	Round  uint32
	Values []float64          // a Sum's vector; not modified
	Blocks []collabdict.Block // the bounds of Values
	Blob   []byte             // a Gather's contribution; not modified
	// Entropy is fresh secret randomness that nothing else was drawn from. All
	// secrets of the slot are derived from it.
	Entropy [32]byte
}

// Receive is a message from another member of the roster, whose identity the
// carrier has authenticated.
type Receive struct {
	From    int
	Message Message
}

// Tick lets time pass. Give one at least every half of Params.Beat.
type Tick struct{}

// Finish says that the run is over here, as planned.
type Finish struct{}

// Abort says that the run is over here before its end.
type Abort struct{ Reason string }

func (Call) event()    {}
func (Receive) event() {}
func (Tick) event()    {}
func (Finish) event()  {}
func (Abort) event()   {}

// Effects is what an event causes. The writes must be on disk before any of the
// sends leaves, and the sends leave before the outcome is acted on.
type Effects struct {
	Writes  []Write
	Sends   []Send
	Outcome *Outcome // the end of the call under way, if this event ended it
}

// Send is a message to a member. Control messages go to all members at once.
type Send struct {
	To      int // a member, or All
	Message Message
}

// All addresses every other member, over the control plane.
const All = -1

// Write is a step of the slot's record that must survive a crash.
type Write struct {
	Slot   uint64
	Ballot uint32
	Kind   WriteKind
	Digest [32]byte // of the header when entered, of the value when voted and opened
}

// WriteKind says which step a Write records.
type WriteKind uint8

// The recorded steps of a slot.
const (
	WroteEntered WriteKind = iota + 1
	WroteVote
	WroteOpened
)

// Outcome is the end of a call: a result or an error.
type Outcome struct {
	Slot   uint64
	Total  []float64 // of a Sum
	Blobs  [][]byte  // of a Gather, by member
	Digest [32]byte  // SHA-256 of Total's or Blobs' bytes, the same at every member
	// Iterations of the averaging, and Difference ‖own − adopted‖₂ relative to
	// ‖adopted‖₂, for a Sum.
	Iterations int
	Difference float64
	Started    time.Duration
	Ended      time.Duration
	Err        error
}
