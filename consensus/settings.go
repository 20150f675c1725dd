package consensus

import (
	"cmp"
	"fmt"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus/graph"
	"github.com/collabdict/collabdict/consensus/session"
	"github.com/collabdict/collabdict/option"
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
	// Auto is Laplacian or Exact, depending on the length of the vectors and on the number of
	// members: see [Settings.For]. A machine needs one of the other schemes.
	Auto Scheme = "auto"
)

// longVector is the length of vectors above which Auto means Exact. Averaging sends whole
// vectors to neighbours, which takes too many bytes for longer ones.
const longVector = 10_000

// For returns the settings for vectors of up to the given number of values and a run that begins
// with the given number of members, with Auto replaced by the scheme that it means. In a large
// roster Auto means Exact: an average sends a vector to each neighbour in each of some 60 rounds,
// an exact sum sends two vectors in all.
func (s Settings) For(values, members int) Settings {
	switch {
	case s.Scheme != Auto:
	case values > longVector || members > SmallRoster:
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

// Settings are the choices that all members of a run share. A field that is 0 or empty has the
// default of its option.
type Settings struct {
	Scheme    Scheme // empty means Laplacian, since the default Auto is not for machines
	Step      session.Step
	Graph     graph.Kind
	Degree    int     // degree of the graph, if its kind leaves a choice
	Tolerance float64 // error of an average, relative to the initial disagreement of unmasked vectors
	Fan       int     // k, messages that a member exchanges per round in Exact and BaseK
	Parity    bool    // two words per value in Exact: sums as exact as a single rounding
	Protect   chunking.Mode
	Chunks    int  // C, chunks including the home chunk; 0 means the default of the mode
	Full      bool // send whole chunks instead of their seeds
	Threshold int  // τ, the number of the C lanes that restore the sum, with Shamir; 0 means three quarters
	Quorum    int  // k, votes that decide; 0 means more than half
	Colluders int  // t, members that together learn nothing; 0 means a third of the others
	// AcceptLoneChange lets a running total count the first vectors of fewer than Colluders + 2
	// members. All members then learn the sum of those vectors, so everybody has to agree to
	// it.
	AcceptLoneChange bool
	// OnLoneReturn is the policy for members that come back into a running total.
	OnLoneReturn OnLoneReturn
	Recover      Recovery
}

const (
	// minTolerance is below the resolution of float64.
	minTolerance = 1e-15
	// maxFan limits k. More messages per round save no round in any roster.
	maxFan = 16
)

// Options returns the options of sums, bound to s, and sets s to their defaults. It alone says
// what the settings are called, what their defaults are, and which values they may have,
// whatever the number of members. Flags, agreements and [Settings.Validate] follow from it.
func (s *Settings) Options() option.Table {
	averages := func() bool { return s.Scheme == Laplacian || s.Scheme == Auto }
	return option.Table{
		option.String(&s.Scheme, "scheme", Auto, "`SCHEME` of sums: laplacian (averages with neighbours on a graph), exact or base-k (whole numbers, few steps), or auto (laplacian for vectors of up to 10,000 values among up to 64 members, else exact)",
			option.OneOf(Auto, Laplacian, Exact, BaseK)).ForExperts(),
		option.String(&s.Step, "step", session.Chebyshev, "`RULE` of the steps of averages: chebyshev, optimal, metropolis or paper",
			option.OneOf(session.Chebyshev, session.Optimal, session.Metropolis, session.Paper)).
			Needs("--scheme laplacian", averages).ForExperts(),
		option.String(&s.Graph, "graph", graph.HamiltonCycles, "`KIND` of graph: hamilton-cycles, inverse-chord, random-regular, margulis, hypercube, complete or ring",
			option.OneOf(graph.Kinds()...)).
			Needs("--scheme laplacian", averages).ForExperts(),
		option.Int(&s.Degree, "degree", 4, "number `D` of neighbours per member, for hamilton-cycles and random-regular", option.AtLeast(2)).
			Needs("--scheme laplacian", averages).ForExperts(),
		option.Float(&s.Tolerance, "tolerance", 1e-9, "relative `ERROR` of a sum", option.Check(checkTolerance)).
			Needs("--scheme laplacian", averages).ForExperts(),
		option.Int(&s.Fan, "fan", 1, "number `K` of messages that each member exchanges per step", option.Between(1, maxFan)).
			Needs("--scheme exact or base-k", func() bool { return !averages() }).ForExperts(),
		option.Bool(&s.Parity, "parity", false, "send two words per value, so that a sum has the error of one rounding").
			Needs("--scheme exact", func() bool { return s.Scheme == Exact }).ForExperts(),
		option.String(&s.Protect, "protect", chunking.Chunks, "`MODE` of protection: chunks, sessions, shamir (with base-k) or none",
			option.OneOf(chunking.Chunks, chunking.Sessions, chunking.Shamir, chunking.None), option.Check(s.checkProtect)).ForExperts(),
		option.Int(&s.Chunks, "chunks", 0, "number `C` of chunks per vector (default one per member up to 16 members, otherwise 17), or of sessions (default 8)",
			option.Check(s.checkChunks)).ForExperts(),
		option.Bool(&s.Full, "full-chunks", false, "send chunks whole, not as seeds").
			Needs("--protect chunks", func() bool { return s.Protect == chunking.Chunks }).ForExperts(),
		option.Int(&s.Threshold, "threshold", 0, "number `N` of shamir sessions that suffice for the sum (default three quarters)", option.Check(s.checkThreshold)).
			Needs("--protect shamir", func() bool { return s.Protect == chunking.Shamir }).ForExperts(),
		option.Int(&s.Quorum, "quorum", 0, "number `K` of votes that decide a sum (default more than half of the members)"),
		option.Int(&s.Colluders, "colluders", 0, "number `T` of members that may pool what they see and still learn nothing (default a third of the others)"),
		option.Bool(&s.AcceptLoneChange, "accept-lone-change", false, "let fewer than T+2 members join a running total at a time: all members then learn the number, mean and covariance of their rows").ForExperts(),
		option.String(&s.OnLoneReturn, "on-lone-return", AllowLoneReturn, "`ACTION` if fewer than T+2 members return to a running total: allow it, or hold their new statistics back until more return",
			option.OneOf(AllowLoneReturn, HoldLoneReturn)).ForExperts(),
		option.String(&s.Recover, "recover", FromShares, "`ACTION` if a member is lost after the vote: rebuild its pad from shares, or wait for it",
			option.OneOf(FromShares, Wait)).ForExperts(),
	}
}

func checkTolerance(v float64) error {
	if !(v >= minTolerance && v < 1) {
		return fmt.Errorf("want a value from %g to below 1, got %g", minTolerance, v)
	}
	return nil
}

func (s *Settings) checkProtect(mode chunking.Mode) error {
	if mode == chunking.Shamir && s.Scheme != BaseK {
		return fmt.Errorf("%q shares values over a field: want the scheme %q, got %q", mode, BaseK, s.Scheme)
	}
	return nil
}

func (s *Settings) checkChunks(n int) error {
	if most := s.mostChunks(); n < 0 || n == 1 || n > most {
		return fmt.Errorf("want 0 for the default or 2 to %d, got %d", most, n)
	}
	return nil
}

func (s *Settings) checkThreshold(n int) error {
	if n < 0 || n > s.lanes() {
		return fmt.Errorf("want 0 for the default or 1 to %d, the number of lanes, got %d", s.lanes(), n)
	}
	return nil
}

// DefaultSettings returns the settings with all options at their defaults.
func DefaultSettings() (s Settings) {
	s.Options()
	return s
}

// defaults are the settings of a machine without any: its vectors are short.
var defaults = DefaultSettings().For(0, 0)

func (s Settings) withDefaults() Settings {
	s.Scheme = cmp.Or(s.Scheme, defaults.Scheme)
	s.Step = cmp.Or(s.Step, defaults.Step)
	s.Graph = cmp.Or(s.Graph, defaults.Graph)
	s.Degree = cmp.Or(s.Degree, defaults.Degree)
	s.Tolerance = cmp.Or(s.Tolerance, defaults.Tolerance)
	s.Fan = cmp.Or(s.Fan, defaults.Fan)
	s.Protect = cmp.Or(s.Protect, defaults.Protect)
	s.OnLoneReturn = cmp.Or(s.OnLoneReturn, defaults.OnLoneReturn)
	s.Recover = cmp.Or(s.Recover, defaults.Recover)
	return s
}

// table returns the options bound to a copy of the settings with defaults.
func (s Settings) table() option.Table {
	var c Settings
	t := c.Options()
	c = s.withDefaults()
	return t
}

// Fields returns the settings that apply, defaults included, as members compare them.
func (s Settings) Fields() []option.Field { return s.table().Fields() }

// Validate returns an error for the first invalid setting. size is the size of the roster.
func (s Settings) Validate(size int) error {
	s = s.withDefaults()
	switch {
	case size < 2:
		return fmt.Errorf("members: want at least 2, got %d", size)
	case s.Protect != chunking.None && size < 3:
		return fmt.Errorf("members: want at least 3 with protection %q, got %d: with two, each learns the other's vector from the total; add a member or choose protection %q", s.Protect, size, chunking.None)
	}
	if err := s.table().Check(); err != nil {
		return err
	}
	if err := s.validateRules(size); err != nil {
		return err
	}
	if s.Scheme != Laplacian && s.Scheme != Auto {
		return nil
	}
	return s.Graph.Validate(size, s.Degree)
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
