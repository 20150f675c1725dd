package session

import (
	"fmt"
	"slices"
)

// A Frame is one message of a session.
type Frame struct {
	To    int // id of the receiver
	Round int
	Part  int      // distinguishes frames of one round and sender; 0 if there is only one
	Words []uint64 // never modified once sent
}

// A Session is one member's part in adding up vectors. It names members by the ids in the
// [Placement].
type Session interface {
	// Start returns the first frames. The caller calls it once, before Advance.
	Start() []Frame
	// Receive takes a frame of another member, at any time. It keeps the words, which must not
	// be modified. It ignores duplicates and frames of past rounds. A frame that no correct
	// member sends is a [*FrameError] and changes nothing.
	Receive(from, round, part int, words []uint64) error
	// Advance completes all rounds whose frames have come, and returns the frames to send.
	Advance() []Frame
	// Waiting returns the members whose frames the current round needs, ascending; nil when
	// done.
	Waiting() []int
	Done() bool
	// Round returns the number of rounds completed.
	Round() int
	Progress() Progress
	// Result returns the sum over the members, once done. The caller must not modify it.
	Result() []uint64
	// Again returns the frames of a round for a member that lost them, or nil if there are
	// none. Frames that a correct member can still need are held.
	Again(to, round int) []Frame
}

// A Progress is the number of frames and words that a member has received in a session, and
// that it receives in all.
type Progress struct {
	Frames, FramesInAll int
	Words, WordsInAll   int
}

// Add adds the progress of another session.
func (p *Progress) Add(q Progress) {
	p.Frames, p.FramesInAll = p.Frames+q.Frames, p.FramesInAll+q.FramesInAll
	p.Words, p.WordsInAll = p.Words+q.Words, p.WordsInAll+q.WordsInAll
}

// A Plan is the way in which a view adds up vectors.
type Plan interface {
	// New returns the session of a member with its vector. The session takes ownership of
	// words. It panics if the placement does not have Size members, or if the words are not
	// values of the plan's arithmetic.
	New(seat Placement, words []uint64) Session
	// Size returns the number of members.
	Size() int
	// Rounds returns the number of rounds of a session.
	Rounds() int
	// Digest returns a hash over everything that must be the same at all members.
	Digest() [32]byte
	// Name returns a short description of the plan, for logs.
	Name() string
	// Edges returns the pairs v < w of vertices whose members exchange frames, in order. It assumes
	// a vector long enough that no frame is without words.
	Edges() [][2]int
}

// A Placement assigns members to the vertices of a plan's topology. Members[v] is the id of the
// member at vertex v; ids are distinct. Self is one of them. Guess is the vertex of Self if the
// caller knows it, which saves a search. Sums may be nil. A Placement must not be modified.
type Placement struct {
	Members []int
	Self    int
	Guess   int
	Sums    Sums
}

// Sums finds sums of two vectors that another member in the same process has computed already.
// A simulation of many members implements it.
type Sums interface {
	// Sum returns the sum of two vectors, which does not depend on their order. The function add
	// computes it. None of the vectors is ever modified.
	Sum(a, b []uint64, add func() []uint64) []uint64
}

// vertex returns the vertex of Self.
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

// A FrameError reports a frame that no correct member sends.
type FrameError struct {
	From, Round, Part int
	Reason            string
}

func (e *FrameError) Error() string {
	return fmt.Sprintf("session: frame of member %d, round %d, part %d: %s", e.From, e.Round, e.Part, e.Reason)
}
