package consensus

import "github.com/collabdict/collabdict/chunking"

// Message is what members send each other about one slot. Who sent it is known
// from the authenticated channel it came by, never from its content.
type Message struct {
	Slot   uint64 // the collective call, counted from 0 over the run
	Ballot uint32 // the attempt at the slot; 0 is the preset view
	Body   Body
}

// Body is one of *Seeds, *Step, *Seal, *Blob, *Prepare, *Promise, *Busy, *View,
// *Done, *Commit, *Pads, *Shares, *Reopen, *Opened, *Decided, *Heartbeat and *Leave. Bodies and the slices
// in them are not modified once sent.
type Body interface{ body() }

// Seeds opens an attempt towards one member: what the sender is about to compute,
// the seed of a random chunk where the chunk graph has an edge, and a share of the
// sender's pad.
type Seeds struct {
	Header Header
	View   [32]byte // the digest of the view
	Chunk  []byte   // 32 bytes, or none
	Full   []uint64 // the chunk itself in place of its seed
	Share  *chunking.Share
	Commit [32]byte // to the sender's pad
}

// Step is a frame of the averaging session, or of the one that adds up the pads
// of a large roster: its lanes are the epochs, after those of the vectors.
type Step struct {
	Lane, Round, Part uint32
	Words             []uint64
}

// Seal carries the sealed result of an attempt: in floating point from the sealer
// to all, and to whoever lacks it.
type Seal struct{ Sealed *Sealed }

// Blob is what a member publishes in a Gather.
type Blob struct {
	Header Header
	View   [32]byte
	Data   []byte
}

// Prepare asks all members for a promise. Its ballot belongs to the sender.
type Prepare struct{}

// Promise says that its member acts in no lower ballot any more, and what it last
// voted for. It is also the member's signature under the view made from it.
type Promise struct {
	Member    uint32
	Vote      *Vote    // nil if the member has not voted in this slot
	Joins     bool     // the member's learner has come to this slot
	Without   []uint32 `json:",omitempty"` // members of ballot 0's view that the promiser would leave out, in rank order
	Chain     [32]byte // of the slots before
	Amends    [32]byte // digest of the amendment that the member wants made in this slot; zero for none
	Signature []byte
}

// Busy refuses a promise for now: the sender works in an attempt that goes on.
type Busy struct{ Working uint32 }

// View says who takes part in a ballot, or that an earlier attempt is to be
// finished or the roster amended in it, with the promises that it follows from.
type View struct {
	Ballot   uint32
	Members  []uint32  // in rank order; none when an attempt is to be finished
	Missing  []Missing // all others, with the reasons
	Finish   *Value
	Amends   [32]byte  `json:",omitzero"` // digest of the amendment
	Promises []Promise // none in ballot 0
}

// Missing says why a member is not in a view.
type Missing struct {
	Member uint32
	Reason string // in words that follow the name
}

// Value is what a slot decides: the attempt that counts, and the digest of its
// sealed result.
type Value struct {
	Attempt uint32
	Digest  [32]byte
}

// Vote is a value voted for in a ballot.
type Vote struct {
	Ballot uint32
	Value  Value
}

// Done is the vote for a value.
type Done struct {
	Value     Value
	Chain     [32]byte // of the slots before: the voter has opened them all
	Signature []byte
}

// Commit shows that a value has been decided.
type Commit struct{ Certificate *Certificate }

// Certificate holds the votes of a quorum in one ballot for one value.
type Certificate struct {
	Ballot uint32
	Value  Value
	Chain  [32]byte
	Votes  []SignedVote
}

// SignedVote is one member's part in a certificate.
type SignedVote struct {
	Member    uint32
	Signature []byte
}

// Pads opens the decided attempt: the pad of the sender, or all pads that it
// knows.
type Pads struct{ Pads []Pad }

// Pad is the seed of a member's pad.
type Pad struct {
	Member uint32
	Seed   [32]byte
}

// Shares holds the sender's shares of lost members' pads in the decided attempt.
type Shares struct{ Shares []PadShare }

// PadShare is a share of a member's pad.
type PadShare struct {
	Member uint32
	Share  chunking.Share
}

// Reopen begins the session that adds up the pads of the decided attempt anew,
// without members that are lost. Its epoch belongs to the sender, as ballots do.
type Reopen struct {
	Epoch uint32
	Lost  []Substitute // in rank order
}

// Substitute says who puts a lost member's pad together and adds it to its own.
type Substitute struct{ Member, By uint32 }

// Opened is the sum of all pads of the decided attempt, in words.
type Opened struct{ Words []uint64 }

// Decided is a decided slot for a member that has missed it, with the certificate of
// the slot after it, whose votes sign the chain up to this one.
type Decided struct {
	Decision *Decision
	Next     *Certificate
}

// Heartbeat tells where a member stands. Whoever is waited for sends again what the
// sender lacks, so a message lost by the carrier delays a slot but does not end
// it.
type Heartbeat struct {
	State    State
	Promised uint32
	Viewed   uint32 // the highest ballot whose view the sender knows
	Round    uint32 // of its session
	Behind   bool   // the sender's learner has not come to this slot
	Stuck    bool   // the sender sees no way on in the ballot it has promised
	Ask      uint32 // who is to send what has been decided: 1 + a rank, or 0
	Waiting  []uint32
	Suspects []uint32 // members that the sender takes for lost
	Amends   [32]byte // digest of the amendment that the sender wants; zero for none
	Heard    uint32   // frames that have come in the session of a long sum; else 0
}

// Leave says that the sender ends its part in the run before its end: because of
// the members in Blame, for the given reason, or for a reason of its own. The words
// follow a member's name.
type Leave struct {
	Reason  string
	Blame   []uint32
	Returns bool       // the member may come back and go on
	Votes   []CastVote // two that no honest member signs, of the one to blame; or none
}

func (*Seeds) body()     {}
func (*Step) body()      {}
func (*Seal) body()      {}
func (*Blob) body()      {}
func (*Prepare) body()   {}
func (*Promise) body()   {}
func (*Busy) body()      {}
func (*View) body()      {}
func (*Done) body()      {}
func (*Commit) body()    {}
func (*Pads) body()      {}
func (*Shares) body()    {}
func (*Reopen) body()    {}
func (*Opened) body()    {}
func (*Decided) body()   {}
func (*Heartbeat) body() {}
func (*Leave) body()     {}
