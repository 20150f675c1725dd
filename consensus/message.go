package consensus

// Message is what members send each other about one slot. Who sent it is known
// from the authenticated channel it came by, never from its content.
type Message struct {
	Slot   uint64 // the collective call, counted from 0 over the run
	Ballot uint32 // the attempt at the slot; 0 is the preset view
	Body   Body
}

// Body is one of *Seeds, *Ready, *Step, *Seal, *Done, *Blob, *Beat and *Leave.
// Bodies and the slices in them are not modified once sent.
type Body interface{ body() }

// Seeds opens an attempt towards one member: what the sender is about to
// compute and, where the chunk graph has an edge, the seed of a random chunk.
type Seeds struct {
	Header Header
	Chunk  []byte // 32 bytes, or none
}

// Ready says that the sender holds the Seeds of the whole view.
type Ready struct{ Header [32]byte }

// Step is a member's value at an iteration of the averaging session.
type Step struct {
	Iteration uint32
	Values    []float64
}

// Seal is the total as the sealer holds it. All members adopt it after checking
// it against their own, so that everybody goes on from the same bits.
type Seal struct{ Values []float64 }

// Done is the vote for a value: the digest of a total or of gathered blobs.
type Done struct{ Value [32]byte }

// Blob is what a member publishes in a Gather.
type Blob struct {
	Header Header
	Data   []byte
}

// Beat tells where a member stands. Whoever is waited for sends again what the
// sender lacks, so a message lost by the carrier delays a slot but does not
// end it.
type Beat struct {
	State     State
	Iteration uint32
	Waiting   []uint32 // members whose messages the sender waits for
}

// Leave says that the sender ends its part in the run before its end: because of
// the members in Blame, for the given reason, or for a reason of its own. The words
// follow a member's name.
type Leave struct {
	Reason string
	Blame  []uint32
}

func (*Seeds) body() {}
func (*Ready) body() {}
func (*Step) body()  {}
func (*Seal) body()  {}
func (*Done) body()  {}
func (*Blob) body()  {}
func (*Beat) body()  {}
func (*Leave) body() {}

// Kind is the collective of a slot.
type Kind uint8

// The collectives.
const (
	Sum Kind = iota + 1
	Gather
)

func (k Kind) String() string {
	switch k {
	case Sum:
		return "sum"
	case Gather:
		return "gather"
	}
	return "unknown collective"
}

// Header is what all members of a slot must agree on before any value moves.
type Header struct {
	Kind   Kind
	Round  uint32   // the model round, 0 during start-up
	Length uint32   // values of a Sum; 0 for a Gather
	Hash   [32]byte // over the above, the bounds of the blocks and the session's settings
}

// State is where a member stands in its slot.
type State uint8

// The states of a slot, in order.
const (
	Idle     State = iota + 1 // between two slots, computing
	Dealt                     // own Seeds are out, waiting for the others'
	Prepared                  // own Ready is out, waiting for the others'
	Session                   // averaging
	Sealing                   // averaging has ended, waiting for the sealer's total
	Voted                     // own Done is out, waiting for the others'
	Finished                  // the run has ended here, as planned
	Failed                    // the run has ended here before its end
)

var stateNames = [...]string{
	Idle: "computing", Dealt: "dealt", Prepared: "ready", Session: "session",
	Sealing: "sealing", Voted: "voted", Finished: "finished", Failed: "failed",
}

func (s State) String() string {
	if int(s) < len(stateNames) && stateNames[s] != "" {
		return stateNames[s]
	}
	return "unknown state"
}
