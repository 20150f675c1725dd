package consensus

import (
	"fmt"
	"time"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/graph"
	"github.com/collabdict/collabdict/consensus/session"
)

// Scheme says how a session adds vectors up.
type Scheme string

// The schemes.
const (
	// Laplacian averages in floating point on a topology, as in Eq. (3) of Idé et
	// al. 2024.
	Laplacian Scheme = "laplacian"
	// Exact adds in the ring of 2^64, by folding in or, long vectors, by a
	// circulant reduce-scatter and allgather.
	Exact Scheme = "exact"
	// BaseK averages in the field of 2^61-1 on a base-(k+1) graph.
	BaseK Scheme = "base-k"
	// Auto is Laplacian or Exact, by the length of the vectors: see [Settings.For]. No
	// machine runs by it.
	Auto Scheme = "auto"
)

// longVector is the length of vectors from which on averages by messages with neighbours
// take too many bytes: each message is a whole vector.
const longVector = 10_000

// For returns the settings for vectors of up to so many values: in place of Auto it has the
// scheme.
func (s Settings) For(values int) Settings {
	switch {
	case s.Scheme != Auto:
	case values > longVector:
		s.Scheme = Exact
	default:
		s.Scheme = Laplacian
	}
	return s
}

// Recovery says what becomes of a member that is lost after the vote.
type Recovery string

// The recoveries.
const (
	// Shares puts the member's pad together from the others' shares, the default.
	FromShares Recovery = "shares"
	// Wait waits for the member to come back: nobody holds shares.
	Wait Recovery = "wait"
)

// Settings are the choices that all members of a run share.
type Settings struct {
	Scheme    Scheme
	Step      session.Step
	Graph     graph.Kind
	Degree    int     // of the graph, where its kind leaves a choice; 0 means 4
	Tolerance float64 // of an average, relative to the initial disagreement of unmasked vectors; 0 means 1e-9
	Fan       int     // k, the messages a member exchanges a round, in Exact and BaseK; 0 means 1
	Parity    bool    // two words a value in Exact: sums as exact as one rounding
	Protect   chunking.Mode
	Chunks    int  // C, the home chunk included; 0 means the default of the mode
	Full      bool // chunks travel whole, not as seeds
	Threshold int  // τ of C lanes that give the sum back, with Shamir; 0 means three quarters of them
	Quorum    int  // k, the votes that decide; 0 means more than half
	Colluders int  // t, that together learn nothing; 0 means a third of the others
	Recover   Recovery
	// AcceptLoneChange counts the first vectors of fewer than Colluders + 2 members in a
	// running total: all members learn what they add up to. It needs everybody's consent.
	AcceptLoneChange bool
	// OnLoneReturn is the policy on members that come back into a running total; "" means
	// AllowLoneReturn.
	OnLoneReturn OnLoneReturn
}

// Params describes one member's machine.
type Params struct {
	Settings
	Self    int      // this member's rank
	Members []string // the names of all who are or were of the roster, in rank order
	// Removed are the ranks of those who are not of it any more, in order, and
	// Revision counts the amendments that have made it.
	Removed  []uint32
	Revision uint32
	// Paused is the revision that has paused the run, 0 while it goes on.
	Paused uint32
	// Joins says that Self is a rank which an amendment gives: until it is decided
	// this member only learns what the others decide.
	Joins bool
	// Run separates this run from all others: it enters every hash and every
	// derived key.
	Run [32]byte
	// Plans is what the settings come to, for machines that share it; nil means
	// that it is worked out.
	Plans *Plans
	// Keys sign what is shown to third members; nil means that nothing is signed
	// and everything believed, as in simulations.
	Keys Keys
	// Heartbeat is the time between two heartbeats; 0 means 1 s.
	Heartbeat time.Duration
	// Volatile keeps nothing of a slot on disk but that it was begun: one write a
	// slot in place of one a step. A member that was started again then takes no part
	// in the slot under way, so it is of no help where all members are needed.
	Volatile bool
	// Patience is how many times as long as usual a member may take to compute before the
	// others go on without it; 0 means 3. Usual is measured, of its own updates and of what
	// the others took in the same slot.
	Patience float64
}

// Keys signs for this member and checks the signatures of all.
type Keys interface {
	Sign(message []byte) []byte
	Verify(member int, message, signature []byte) bool
}

func (s Settings) withDefaults() Settings {
	if s.Scheme == "" {
		s.Scheme = Laplacian
	}
	if s.Step == "" {
		s.Step = session.Chebyshev
	}
	if s.Graph == "" {
		s.Graph = graph.HamiltonCycles
	}
	if s.Degree == 0 {
		s.Degree = 4
	}
	if s.Tolerance == 0 {
		s.Tolerance = 1e-9
	}
	if s.Fan == 0 {
		s.Fan = 1
	}
	if s.Recover == "" {
		s.Recover = FromShares
	}
	if s.OnLoneReturn == "" {
		s.OnLoneReturn = AllowLoneReturn
	}
	return s
}

// Canonical returns the settings with the defaults in place of what is left out, and
// without what the scheme has no use for. Settings that ask for the same are equal then.
// Chunks, Threshold, Quorum and Colluders stay 0: their defaults depend on the roster.
func (s Settings) Canonical() Settings {
	s = s.withDefaults()
	if s.Scheme == Laplacian || s.Scheme == Auto { // which may come to be Laplacian
		s.Fan = 0
	} else {
		s.Step, s.Graph, s.Degree, s.Tolerance = "", "", 0, 0
	}
	return s
}

func (p Params) withDefaults() Params {
	p.Settings = p.Settings.withDefaults()
	if p.Heartbeat == 0 {
		p.Heartbeat = time.Second
	}
	if p.Patience == 0 {
		p.Patience = 3
	}
	return p
}

// minTolerance is below what float64 can tell anyway.
const minTolerance = 1e-15

// maxFan bounds k: more messages a round than that save no round at any size.
const maxFan = 16

// Validate reports the first setting that no run can have, with the size of the
// roster it is meant for.
func (s Settings) Validate(size int) error {
	s = s.withDefaults()
	switch {
	case size < 2:
		return fmt.Errorf("members: want at least 2, got %d", size)
	case s.Protect != chunking.None && size < 3:
		return fmt.Errorf("members: want at least 3 with protection %q, got %d: of two, each learns the other's vector from the total; add a member or choose protection %q", s.Protect, size, chunking.None)
	case s.Scheme != Auto && s.Scheme != Laplacian && s.Scheme != Exact && s.Scheme != BaseK:
		return fmt.Errorf("scheme: want %q, %q, %q or %q, got %q", Auto, Laplacian, Exact, BaseK, s.Scheme)
	case s.Degree < 0 || s.Degree == 1:
		return fmt.Errorf("degree: want 0 for the default or at least 2, got %d", s.Degree)
	case !(s.Tolerance >= minTolerance && s.Tolerance < 1):
		return fmt.Errorf("tolerance: want 0 for the default or a value from %g to below 1, got %g", minTolerance, s.Tolerance)
	case s.Fan < 1 || s.Fan > maxFan:
		return fmt.Errorf("fan: want 0 for the default or 1 to %d, got %d", maxFan, s.Fan)
	case s.Parity && s.Scheme != Exact:
		return fmt.Errorf("parity: want the scheme %q, got %q", Exact, s.Scheme)
	}
	if err := s.validateProtection(); err != nil {
		return err
	}
	if err := s.validateRules(size); err != nil {
		return err
	}
	if s.Scheme != Laplacian && s.Scheme != Auto {
		return nil
	}
	switch s.Step {
	case session.Chebyshev, session.Optimal, session.Metropolis, session.Paper:
	default:
		return fmt.Errorf("step: want %q, %q, %q or %q, got %q", session.Chebyshev, session.Optimal, session.Metropolis, session.Paper, s.Step)
	}
	_, err := graph.New(s.Graph, size, s.Degree)
	return err
}

func (s Settings) validateProtection() error {
	switch s.Protect {
	case chunking.Chunks, chunking.Sessions, chunking.None:
	case chunking.Shamir:
		if s.Scheme != BaseK {
			return fmt.Errorf("protection: %q shares values over a field: want the scheme %q, got %q", s.Protect, BaseK, s.Scheme)
		}
	default:
		return fmt.Errorf("protection: want %q, %q, %q or %q, got %q", chunking.Chunks, chunking.Sessions, chunking.Shamir, chunking.None, s.Protect)
	}
	switch {
	case s.Chunks < 0 || s.Chunks == 1 || s.Chunks > s.mostChunks():
		return fmt.Errorf("chunks: want 0 for the default or 2 to %d, got %d", s.mostChunks(), s.Chunks)
	case s.Full && s.Protect != chunking.Chunks:
		return fmt.Errorf("full chunks: want protection %q, got %q", chunking.Chunks, s.Protect)
	case s.Threshold != 0 && s.Protect != chunking.Shamir:
		return fmt.Errorf("threshold: want protection %q, got %q", chunking.Shamir, s.Protect)
	case s.Threshold < 0 || s.Threshold > s.lanes():
		return fmt.Errorf("threshold: want 0 for the default or 1 to %d, the number of lanes, got %d", s.lanes(), s.Threshold)
	case s.OnLoneReturn != AllowLoneReturn && s.OnLoneReturn != HoldLoneReturn:
		return fmt.Errorf("on lone return: want %q or %q, got %q", AllowLoneReturn, HoldLoneReturn, s.OnLoneReturn)
	case s.Recover != FromShares && s.Recover != Wait:
		return fmt.Errorf("recover: want %q or %q, got %q", FromShares, Wait, s.Recover)
	}
	return nil
}

// mostChunks bounds C. The home chunk is not handed out, but it has a lane.
func (s Settings) mostChunks() int {
	if s.Protect == chunking.Chunks || s.Protect == chunking.None {
		return chunking.MaxFanout + 1
	}
	return chunking.MaxFanout
}

// defaultLanes is C of the modes that spread a vector over sessions.
const defaultLanes = 8

// lanes returns the sessions that a sum takes.
func (s Settings) lanes() int {
	switch {
	case s.Protect != chunking.Sessions && s.Protect != chunking.Shamir:
		return 1
	case s.Chunks > 0:
		return s.Chunks
	}
	return defaultLanes
}

// threshold returns how many of the lanes give the sum back.
func (s Settings) threshold() int {
	switch {
	case s.Protect != chunking.Shamir:
		return s.lanes()
	case s.Threshold > 0:
		return s.Threshold
	}
	return (3*s.lanes() + 3) / 4
}

// Arithmetic returns what vectors are made of in the settings' scheme.
func (s Settings) Arithmetic() chunking.Arithmetic { return s.withDefaults().arithmetic() }

// Lanes returns the sessions that a sum takes, and how many of their totals give
// the sum.
func (s Settings) Lanes() (lanes, threshold int) { return s.lanes(), s.threshold() }
