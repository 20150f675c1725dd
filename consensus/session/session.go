package session

import (
	"fmt"
	"slices"
)

// Frame is one message of a session.
type Frame struct {
	To    int // a member
	Round int
	Part  int      // tells frames of one round and sender apart; 0 where there is one
	Words []uint64 // never modified once sent
}

// Session is one member's part in combining a vector. Members are named by the
// ids of the [Placement].
type Session interface {
	// Start returns the first frames. It is called once, before Advance.
	Start() []Frame
	// Receive takes a frame of another member, at any time. The words are kept and
	// not to be modified. Doubles, and frames of rounds that are over, are ignored;
	// a frame that no correct member sends is a [*FrameError] and changes nothing.
	Receive(from, round, part int, words []uint64) error
	// Advance makes all rounds that what has arrived allows, and returns the frames
	// to send.
	Advance() []Frame
	// Waiting returns the members whose frames the next round needs, ascending;
	// nil when done.
	Waiting() []int
	Done() bool
	// Round returns the number of rounds completed.
	Round() int
	Progress() Progress
	// Result returns the sum over the members, once done. It is not to be modified.
	Result() []uint64
	// Again returns the frames that were sent to a member in a round, for one that
	// lost them; nil if there are none. Those that a correct member can still need
	// are held.
	Again(to, round int) []Frame
}

// Progress is how much of what a member is sent in a session has come.
type Progress struct {
	Frames, FramesInAll int
	Words, WordsInAll   int
}

// Add adds what has come in another session.
func (p *Progress) Add(q Progress) {
	p.Frames, p.FramesInAll = p.Frames+q.Frames, p.FramesInAll+q.FramesInAll
	p.Words, p.WordsInAll = p.Words+q.Words, p.WordsInAll+q.WordsInAll
}

// Plan is how a view combines vectors.
type Plan interface {
	// New returns the session of a member with its vector, which the session takes
	// over. It panics if the placement is not one of Size members, or the vector
	// not one of the plan's arithmetic.
	New(at Placement, words []uint64) Session
	// Size returns the number of members.
	Size() int
	// Rounds returns how many rounds a session takes.
	Rounds() int
	// Digest returns a hash of all that members must do alike.
	Digest() [32]byte
	// Name says what the plan is, for logs.
	Name() string
}

// Placement says who sits where: Members[v] is the member at vertex v of the
// plan's topology, by any distinct ids, and Self is one of them. It is not to be
// modified. Where Self sits is found at once at the vertex Guess.
type Placement struct {
	Members []int
	Self    int
	Guess   int
}

// vertex returns the vertex of the member itself.
func (p Placement) vertex(size int) int {
	if len(p.Members) != size {
		panic(fmt.Sprintf("session: placement of %d members in a plan for %d", len(p.Members), size))
	}
	if p.Guess >= 0 && p.Guess < size && p.Members[p.Guess] == p.Self {
		return p.Guess
	}
	v := slices.Index(p.Members, p.Self)
	if v < 0 {
		panic(fmt.Sprintf("session: member %d is not placed", p.Self))
	}
	return v
}

// FrameError reports a frame that no correct member sends: a fault of its sender.
type FrameError struct {
	From, Round, Part int
	Reason            string
}

func (e *FrameError) Error() string {
	return fmt.Sprintf("session: frame of member %d, round %d, part %d: %s", e.From, e.Round, e.Part, e.Reason)
}
