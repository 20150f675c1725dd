package collabdict

import "context"

// A Group is a participant's view of the other members: the collectives over the members of the
// current view. Every member calls the same collectives in the same order. Which collective,
// and the length of its vector, may depend only on shared data (earlier sums), never on private
// data.
//
// A group that adds something to another one embeds it. [Whole] has the methods that do nothing in
// a group whose members are always all there.
type Group interface {
	// Membership describes the last collective. Before the first one, its Size is the number of
	// all members.
	Membership() Membership

	// StartRound reports that the round of this number starts, from 1. Only there a view may grow.
	// parameters is the digest of the parameters on which this member's following calls depend.
	// If members have different digests, a collective fails at all of them before any value is
	// combined. The error names the members that differ from most. Zero means no digest.
	StartRound(number int, parameters [32]byte)

	// Sum returns a total: Σ_s x^s over the members s of the view, or a running total.
	// Members that fail meanwhile may be excluded. Nobody learns another member's x. A value
	// outside its bound is an error, never a wrong sum. The values are not modified.
	Sum(ctx context.Context, s Summand) ([]float64, error)

	// Gather returns every member's published blob, by rank in the roster; nil for a member
	// that is not in the view. All members see each blob, so it must hold public values only.
	Gather(ctx context.Context, e Entry, blob []byte) ([][]byte, error)

	// TakeMissed returns the total of the next Sum if it was decided without this participant,
	// because the others have continued without it. The Sum then counts as called, so a second
	// call returns the Sum after it.
	TakeMissed() (total []float64, ok bool)

	// TakeDecided is TakeMissed for all sums that are decided already, with or without this
	// participant's vector, as after a restart of its process. It is for learners whose local
	// update matters only through the sum.
	TakeDecided() (total []float64, ok bool)
}

// Membership describes the members of the last collective, and, but for Size, of the last total.
type Membership struct {
	// Size is S, the number of members in the view.
	Size int
	// Alone means that there is nobody else, ever: nothing is shown to anybody.
	Alone bool
	// Included reports whether the total has this participant's vector.
	Included bool
	// Steady reports whether a stopping rule may compare the total with the one before. That
	// is so if both are over the same members, and no recently counted member is away.
	Steady bool
	// Counted is the number of members that a running total has counted so far. It is 0 if the
	// total was none, or if its members are always the same.
	Counted int
	// Rounding is the largest rounding of a value in one member's vector of a running total, as a
	// share of the value's bound.
	Rounding float64
}

// Whole has the methods of a [Group] whose members take part in every collective.
type Whole struct{}

// StartRound does nothing.
func (Whole) StartRound(int, [32]byte) {}

// TakeMissed reports that there is no such total.
func (Whole) TakeMissed() ([]float64, bool) { return nil, false }

// TakeDecided reports that there is no such total.
func (Whole) TakeDecided() ([]float64, bool) { return nil, false }

// An Entry names what members show each other by a collective. It is the name of an entry in
// the inventory of what leaves a member, which says what that is and what hides it.
type Entry string

// A Summand is what a member adds to a total.
type Summand struct {
	Entry Entry
	// Running, if its Key is not empty, makes the total a running total.
	Running Running
	Values  []float64 // x
	// Blocks cover the values in order and bound them. They are the same at every member.
	Blocks []Block
}

// Running identifies a running total: a sum that continues from call to call. It is over all
// members counted so far, each with its last counted vector. A member that is lost stays in the
// total with that vector. New members are counted only if enough of them come together, since a few
// could be singled out by two totals. Until then the total leaves them out.
//
// Some vectors hold values that do not change from call to call, such as the number of rows.
// Plain sums of such vectors reveal the values of a lost member; a running total does not.
type Running struct {
	// Key is the same in all calls that belong to the running total, which have the same length
	// and blocks.
	Key string
	// From is the key of the running total from which this one starts; "" means zeros. It starts
	// with values of the other one: those of each part, from its first place to before its second.
	// They are the same parts at all members. Nothing but a choice is possible here, since a
	// member that is lost before its first vector stays in the total with what it starts with.
	From  string
	Parts [][2]int
	// Before, if not nil, describes the running total From. It is needed if a member may have
	// missed all sums of From. That member's vector in From is then the one with which From
	// began.
	Before *Running
}

// Begin returns the vector with which the running total starts, given one of From: the total, or
// a member's own.
func (r Running) Begin(from []float64) (out []float64) {
	for _, p := range r.Parts {
		out = append(out, from[p[0]:p[1]]...)
	}
	return out
}

// Rows is a source of n rows of m values. It can be read repeatedly, by several goroutines at
// once.
type Rows interface {
	Dims() (n, m int)
	// ReadRows fills x with the rows that start at row from, row-major. The length of x is a
	// multiple of m.
	ReadRows(x []float64, from int) error
}

// Block describes the next Len values of a vector.
type Block struct {
	Len int
	// Bound is at least the absolute value of each of these values at every member. Bounds
	// scale the random chunks that hide the values, so a loose bound costs precision.
	Bound float64
	// Moment describes the values. A running total uses it to protect members that are missing.
	Moment Moment
}

// A Moment is a statistic of rows x_n with weights r_k(n) in component k. A vector starts with
// the counts of K components, and continues with their other moments.
type Moment uint8

// The moments that a block may hold.
const (
	NoMoment Moment = iota // another quantity
	// Counts are Σ_n r_k(n), one per component.
	Counts
	// FirstMoments are Σ_n r_k(n) x_ni, ordered by variable i, then by component.
	FirstMoments
	// SecondMoments are Σ_n r_k(n) x_ni x_nj, ordered by pair i ≤ j, or by i = j alone, then by
	// component.
	SecondMoments
	// Objective is a part of the objective that belongs to the moments before it.
	Objective
	// LowWords are small corrections to add to the values before them, one each, in the same
	// order.
	LowWords
	// Updates are derivatives of a network's weights, or changes of them.
	Updates
	// Noisy are moments of rows with noise that makes them differentially private.
	Noisy
)

// A Learner is a model in the form of Algorithm 1 of Idé et al. 2024: private statistics that
// are additive over participants, and a deterministic step from their total to the shared
// parameters.
type Learner interface {
	// Start agrees on starting parameters with the group.
	Start(ctx context.Context, g Group) error

	// LocalUpdate computes this participant's statistics θ^s at the current parameters. The
	// private state φ^s that belongs to them takes effect in the next Optimize.
	LocalUpdate() (Summand, error)

	// Optimize computes new shared parameters from the total of the view's statistics. It
	// returns the value of the objective at the parameters from which the statistics were
	// computed, which is the same at every member. Included reports whether the total has this
	// participant's statistics. If not, φ^s stays unchanged, and LocalUpdate may not have been
	// called.
	Optimize(total []float64, included bool) (objective float64, err error)
}
