package consensus

import (
	"fmt"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/graph"
	"github.com/collabdict/collabdict/consensus/session"
)

// A Scheme is the way in which a session adds up vectors.
type Scheme string

// The schemes.
const (
	// Laplacian averages in floating point on a topology, as in Eq. (3) of Idé et al. 2024.
	Laplacian Scheme = "laplacian"
	// Exact adds in the ring of 2^64. It folds short vectors in, and sends long ones through a
	// circulant reduce-scatter and allgather.
	Exact Scheme = "exact"
	// BaseK averages in the field of 2^61-1 on a base-(k+1) graph.
	BaseK Scheme = "base-k"
	// Auto is Laplacian or Exact, depending on the length of the vectors: see [Settings.For]. A
	// machine needs one of the other schemes.
	Auto Scheme = "auto"
)

// longVector is the length of vectors above which Auto means Exact. Averaging sends whole
// vectors to neighbours, which takes too many bytes for longer ones.
const longVector = 10_000

// For returns the settings for vectors of up to the given number of values, with Auto replaced
// by the scheme that it means.
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

// A Recovery is the way to open a sum if a member is lost after the vote.
type Recovery string

// The recoveries.
const (
	// FromShares rebuilds the member's pad from the others' shares, the default.
	FromShares Recovery = "shares"
	// Wait waits for the member to come back: nobody holds shares.
	Wait Recovery = "wait"
)

// Settings are the choices that all members of a run share.
type Settings struct {
	Scheme    Scheme
	Step      session.Step
	Graph     graph.Kind
	Degree    int     // degree of the graph, if its kind leaves a choice; 0 means 4
	Tolerance float64 // error of an average, relative to the initial disagreement of unmasked vectors; 0 means 1e-9
	Fan       int     // k, messages that a member exchanges per round in Exact and BaseK; 0 means 1
	Parity    bool    // two words per value in Exact: sums as exact as a single rounding
	Protect   chunking.Mode
	Chunks    int  // C, chunks including the home chunk; 0 means the default of the mode
	Full      bool // send whole chunks instead of their seeds
	Threshold int  // τ, the number of the C lanes that restore the sum, with Shamir; 0 means three quarters
	Quorum    int  // k, votes that decide; 0 means more than half
	Colluders int  // t, members that together learn nothing; 0 means a third of the others
	Recover   Recovery
	// AcceptLoneChange lets a running total count the first vectors of fewer than Colluders + 2
	// members. All members then learn the sum of those vectors, so everybody has to agree to
	// it.
	AcceptLoneChange bool
	// OnLoneReturn is the policy for members that come back into a running total; "" means
	// AllowLoneReturn.
	OnLoneReturn OnLoneReturn
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

// Canonical returns the settings with defaults filled in and unused ones set to zero, so that
// equal settings compare equal. Chunks, Threshold, Quorum and Colluders stay 0: their defaults
// depend on the roster.
func (s Settings) Canonical() Settings {
	s = s.withDefaults()
	if s.Scheme == Laplacian || s.Scheme == Auto { // Auto may become Laplacian
		s.Fan = 0
	} else {
		s.Step, s.Graph, s.Degree, s.Tolerance = "", "", 0, 0
	}
	return s
}

// minTolerance is below the resolution of float64.
const minTolerance = 1e-15

// maxFan limits k. More messages per round save no round in any roster.
const maxFan = 16

// Validate returns an error for the first invalid setting. size is the size of the roster.
func (s Settings) Validate(size int) error {
	s = s.withDefaults()
	switch {
	case size < 2:
		return fmt.Errorf("members: want at least 2, got %d", size)
	case s.Protect != chunking.None && size < 3:
		return fmt.Errorf("members: want at least 3 with protection %q, got %d: with two, each learns the other's vector from the total; add a member or choose protection %q", s.Protect, size, chunking.None)
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

// mostChunks returns the largest C. The home chunk is not dealt, but it has a lane.
func (s Settings) mostChunks() int {
	if s.Protect == chunking.Chunks || s.Protect == chunking.None {
		return chunking.MaxFanout + 1
	}
	return chunking.MaxFanout
}

// defaultLanes is the default C of the modes that spread a vector over several sessions.
const defaultLanes = 8

func (s Settings) lanes() int {
	switch {
	case s.Protect != chunking.Sessions && s.Protect != chunking.Shamir:
		return 1
	case s.Chunks > 0:
		return s.Chunks
	}
	return defaultLanes
}

// threshold returns the number of lanes that restore the sum.
func (s Settings) threshold() int {
	switch {
	case s.Protect != chunking.Shamir:
		return s.lanes()
	case s.Threshold > 0:
		return s.Threshold
	}
	return (3*s.lanes() + 3) / 4
}

// Arithmetic returns the arithmetic of the settings' scheme.
func (s Settings) Arithmetic() chunking.Arithmetic { return s.withDefaults().arithmetic() }

// Lanes returns the number of sessions of a sum, and the number of their totals that restore
// it.
func (s Settings) Lanes() (lanes, threshold int) { return s.lanes(), s.threshold() }
