package consensus

import (
	"time"

	"github.com/collabdict/collabdict"
)

// An Event is an input of the machine: a Call, Receive, Tick, RequestAmendment, Finish or
// Abort. It comes with the time since the start of the run.
type Event interface{ event() }

// A Call enters this member's contribution into the current slot. It is not made for a slot
// that the others have decided before: the Decision is its answer.
type Call struct {
	Kind   Kind
	Round  uint32
	Values []float64          // vector of a Sum; lent to the machine until the decision, and not modified
	Blocks []collabdict.Block // bounds of Values
	// Running names the running total that a Sum belongs to. The machine rounds its vector.
	Running collabdict.Running
	Blob    []byte // contribution to a Gather; not modified
	// Parameters is the digest of the model parameters that the contribution was computed from.
	// All members hold the same ones. Zero means none.
	Parameters [32]byte
	// Entropy is fresh secret randomness with no other use. All secrets of the slot are derived
	// from it.
	Entropy [32]byte
}

// A Receive delivers a message from another member. The carrier has authenticated the sender.
type Receive struct {
	From    int
	Message Valid
}

// A Tick lets time pass. The caller makes at least one every half of Params.Heartbeat.
type Tick struct {
	// Learner is the slot that this member's learner calls next, or has called.
	Learner uint64
}

// A RequestAmendment sets the amendment that this member requests; nil or an invalid one means
// none. The roster changes between two rounds, once a quorum requests the same amendment.
type RequestAmendment struct{ Amendment *Amendment }

// A Finish ends the run at this member, as planned.
type Finish struct{}

// An Abort ends the run at this member early. Returns reports whether the member may come back
// and continue.
type Abort struct {
	Reason  string
	Returns bool
}

func (Call) event()             {}
func (Receive) event()          {}
func (Tick) event()             {}
func (RequestAmendment) event() {}
func (Finish) event()           {}
func (Abort) event()            {}

// Effects are the consequences of an event. The caller stores Writes and Decisions in one
// transaction, then makes Sends and Serves, then acts on Decisions.
type Effects struct {
	Writes    []Write
	Decisions []*Decision
	Sends     []Send
	Serves    []Serve
	Err       error // why the run has ended at this member; set once
}

// A Send is a message to one member or to all.
type Send struct {
	To      int // rank of a member, or All
	Message Message
}

// All is the address of all other members, over the control plane.
const All = -1

// A Serve asks the caller to send a decided slot from disk to a member that has missed it. The
// caller sends the decision with the certificate of the next slot, or the entry as the message
// of [SealOf].
type Serve struct {
	To     int
	Slot   uint64
	Ballot uint32 // of the message
	Entry  string // name of the entry; "" means the decision
}

// A Decision is the result of a slot. All fields except Cost are the same at all members.
type Decision struct {
	Slot        uint64
	Kind        Kind
	Round       uint32
	Attempt     uint32    // the decided attempt
	Members     []uint32  // members whose contributions are in the result, in rank order
	Missing     []Missing // all other members, with reasons
	Total       []float64 // of a Sum: over Members, or if Running is set over all members counted so far
	Running     *Counted  // the running total; nil for a sum over Members
	Blobs       [][]byte  // of a Gather: by rank, nil for a missing member; of an Amend: the amendment
	Digest      [32]byte  // SHA-256 of the bytes of Total or Blobs
	Chain       [32]byte  // hash over this decision and all earlier ones
	Certificate *Certificate
	Cost        Cost
}

// A Cost is the effort that a slot took at this member.
type Cost struct {
	// Ballot is the ballot that decided the slot. Lost are the members whose pads were rebuilt
	// from shares.
	Ballot uint32
	Lost   []uint32
	// Rounds is the number of rounds of the session, and Difference ‖own − adopted‖₂ /
	// ‖adopted‖₂. Both are 0 for a member that took no part. Difference is also 0 for a total
	// that is no further from 0 than the results of two members may differ.
	Rounds     int
	Difference float64
	Began      time.Duration
	Ended      time.Duration
}
