package consensus

import (
	"time"

	"github.com/collabdict/collabdict"
)

// Event is an input of the machine: one of Call, Receive, Tick, RequestAmendment, Finish, Abort.
// Every event carries the time since the start of the run; the machine has no
// clock.
type Event interface{ event() }

// Call enters the slot under way with this member's contribution. A slot that has
// been decided without this member's call is not called any more: its Decision is
// the answer.
type Call struct {
	Kind   Kind
	Round  uint32
	Values []float64          // a Sum's vector; lent until the decision, and not modified
	Blocks []collabdict.Block // the bounds of Values
	// Running is the running total that a Sum belongs to; its vector is rounded.
	Running Running
	Blob    []byte // a Gather's contribution; not modified
	// Parameters is the digest of those that the contribution follows from, which all
	// members hold; zero for none.
	Parameters [32]byte
	// Entropy is fresh secret randomness that nothing else was drawn from. All
	// secrets of the slot are derived from it.
	Entropy [32]byte
}

// Receive is a message from another member of the roster, whose identity the
// carrier has authenticated.
type Receive struct {
	From    int
	Message Valid
}

// Tick lets time pass. Give one at least every half of Params.Heartbeat.
type Tick struct {
	// Learner is the slot that this member's learner calls next, or has called.
	Learner uint64
}

// RequestAmendment says which amendment of the roster this member wants; nil means none. It is
// made between two rounds, once a quorum wants the same. One that the roster cannot
// be amended by is not wanted.
type RequestAmendment struct{ Amendment *Amendment }

// Finish says that the run is over here, as planned.
type Finish struct{}

// Abort says that the run is over here before its end. Returns says that this
// member may come back and go on.
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

// Effects is what an event causes. Writes and decisions must be on disk, in one
// transaction, before any of the sends leaves, and the sends leave before the
// decisions are acted on.
type Effects struct {
	Writes    []Write
	Decisions []*Decision
	Sends     []Send
	Serves    []Serve
	Err       error // why the run has ended here, told once
}

// Send is a message to a member. Control messages go to all members at once.
type Send struct {
	To      int // a member, or All
	Message Message
}

// All addresses every other member, over the control plane.
const All = -1

// Serve asks for a decided slot to be sent to a member that has missed it, from the
// disk: the decision of the log, with the certificate of the slot after it, or what
// an entry of the slot is sent as ([SealOf]).
type Serve struct {
	To     int
	Slot   uint64
	Ballot uint32 // of the message
	Entry  string // "" is the decision
}

// Decision is the end of a slot, the same at every member but for Cost.
type Decision struct {
	Slot        uint64
	Kind        Kind
	Round       uint32
	Attempt     uint32    // whose result it is
	Members     []uint32  // whose contributions are in it, in rank order
	Missing     []Missing // all others
	Total       []float64 // of a Sum; where Running is set, of all members counted so far
	Running     *Counted  // the running total, nil for a sum over Members
	Blobs       [][]byte  // of a Gather, by rank; nil for a missing member. Of an Amend the amendment
	Digest      [32]byte  // SHA-256 of Total's or Blobs' bytes
	Chain       [32]byte  // over this and all earlier decisions
	Certificate *Certificate
	Cost        Cost
}

// Cost is what a slot took at this member.
type Cost struct {
	// Ballot is the one that the slot was decided in; Lost are members whose pads
	// were put together from shares, since they were lost after the vote.
	Ballot uint32
	Lost   []uint32
	// Rounds of the session, and Difference ‖own − adopted‖₂ relative to
	// ‖adopted‖₂, where this member took part in it; 0 where the total is no further from 0
	// than results may lie apart.
	Rounds     int
	Difference float64
	Began      time.Duration
	Ended      time.Duration
}
