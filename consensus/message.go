package consensus

import "github.com/collabdict/collabdict/chunking"

// A Message is a message between members about one slot. The receiver knows the sender from the
// authenticated channel, never from the content.
type Message struct {
	Slot   uint64 // number of the collective call, counted from 0 over the run
	Ballot uint32 // number of the attempt at the slot; 0 for the preset view
	Body   Body
}

// A Body is one of *Seeds, *Step, *Seal, *Blob, *Prepare, *Promise, *Busy, *View, *Done,
// *Commit, *Pads, *Shares, *Reopen, *Opened, *Decided, *Heartbeat and *Leave. Bodies and their
// slices are not modified once sent.
type Body interface{ body() }

// Seeds opens an attempt at a Sum towards one member, with the seed of a chunk if the chunk
// graph connects the two, and a share of the sender's pad.
type Seeds struct {
	Header Header
	View   [32]byte // digest of the view
	Chunk  []byte   // seed of the chunk, 32 bytes, or empty
	Full   []uint64 // the chunk itself, in place of its seed
	Share  *chunking.Share
	Commit [32]byte // commitment to the sender's pad
}

// A Step is a frame of a session. In a large roster, the session that adds up the pads uses the
// lanes after those of the vectors, one per epoch.
type Step struct {
	Lane, Round, Part uint32
	Words             []uint64
}

// Seal carries the sealed result of an attempt: from the sealer to all with floating point, and
// to any member that lacks it.
type Seal struct{ Sealed *Sealed }

// A Blob opens an attempt at a Gather, with the value that the sender publishes.
type Blob struct {
	Header Header
	View   [32]byte
	Data   []byte
}

// Prepare asks all members for a promise. The sender owns the ballot.
type Prepare struct{}

// A Promise states that its member acts in no lower ballot, and reports its last vote. It is
// also the member's signature on the view made from it.
type Promise struct {
	Member    uint32
	Vote      *Vote    // nil if the member has not voted in this slot
	Joins     bool     // the member's learner has come to this slot
	Without   []uint32 `json:",omitempty"` // members of ballot 0's view that this member would leave out, in rank order
	Chain     [32]byte // hash over the slots before
	Amends    [32]byte // digest of the amendment that the member requests in this slot; zero for none
	Signature []byte
}

// Busy refuses a promise for now: the sender works in an attempt that makes progress.
type Busy struct{ Working uint32 }

// A View is the task of a ballot: a new attempt by Members (a NEW view), to finish an earlier
// attempt (FINISH), or to amend the roster (AMENDS). It follows from the promises that it
// contains.
type View struct {
	Ballot   uint32
	Members  []uint32  // members of a new attempt, in rank order; otherwise nil
	Missing  []Missing // all other members, with reasons
	Finish   *Value
	Amends   [32]byte  `json:",omitzero"` // digest of the amendment; zero for none
	Promises []Promise // nil in ballot 0
}

// A Missing is a member outside a view, and the reason.
type Missing struct {
	Member uint32
	Reason string // words that follow the name
}

// A Value is the subject of a vote: an attempt, and the digest of its sealed result.
type Value struct {
	Attempt uint32
	Digest  [32]byte
}

// A Vote is a value voted for in a ballot.
type Vote struct {
	Ballot uint32
	Value  Value
}

// Done is a signed vote. Its ballot is that of the message.
type Done struct {
	Value     Value
	Chain     [32]byte // hash over the slots before; the voter has opened them all
	Signature []byte
}

// Commit proves that a value has been decided.
type Commit struct{ Certificate *Certificate }

// A Certificate contains the votes of a quorum for one value in one ballot.
type Certificate struct {
	Ballot uint32
	Value  Value
	Chain  [32]byte
	Votes  []SignedVote
}

// A SignedVote is one member's signature in a certificate.
type SignedVote struct {
	Member    uint32
	Signature []byte
}

// Pads opens the decided attempt: it contains the sender's pad, or all pads that the sender
// knows.
type Pads struct{ Pads []Pad }

// A Pad is the seed of a member's pad.
type Pad struct {
	Member uint32
	Seed   [32]byte
}

// Shares contains the sender's shares of lost members' pads in the decided attempt.
type Shares struct{ Shares []PadShare }

// A PadShare is a share of a member's pad.
type PadShare struct {
	Member uint32
	Share  chunking.Share
}

// Reopen restarts the session that adds up the pads, without lost members. Its sender owns the
// epoch, as with ballots.
type Reopen struct {
	Epoch uint32
	Lost  []Substitute // in rank order
}

// A Substitute names the member (By) that rebuilds a lost member's pad and adds it to its own.
type Substitute struct{ Member, By uint32 }

// Opened is the sum of all pads of the decided attempt, in words.
type Opened struct{ Words []uint64 }

// Decided sends a decision to a member that has missed it. The votes in Next, the certificate
// of the slot after it, sign the chain up to this decision.
type Decided struct {
	Decision *Decision
	Next     *Certificate
}

// A Heartbeat reports a member's state. Members in Waiting repeat the messages that the sender
// lacks, so a lost message delays a slot but does not end it.
type Heartbeat struct {
	State    State
	Promised uint32
	Viewed   uint32 // highest ballot whose view the sender knows
	Round    uint32 // round of the sender's session
	Behind   bool   // the sender's learner has not come to this slot
	Stuck    bool   // the sender judges that the promised ballot cannot decide
	Ask      uint32 // 1 plus the rank of the member that is asked for decisions, or 0
	Waiting  []uint32
	Suspects []uint32 // members that the sender considers lost
	Amends   [32]byte // digest of the amendment that the sender requests; zero for none
	Heard    uint32   // frames received in the session of a long sum; otherwise 0
}

// Leave reports that the sender ends its part early, because of the members in Blame or for a
// reason of its own. Reason follows a member's name.
type Leave struct {
	Reason  string
	Blame   []uint32
	Returns bool       // the sender may come back and continue
	Votes   []CastVote // two contradicting votes of the member in Blame, or none
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
