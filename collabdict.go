package collabdict

import "context"

// A Group is a participant's view of the other members: the collectives over the members of the
// current view. Every member calls the same collectives in the same order. Which collective,
// and the length of its vector, may depend only on shared data (earlier sums), never on private
// data.
type Group interface {
	// Size returns S, the number of members in the view of the last collective. Before the
	// first one it returns the number of all members.
	Size() int

	// Sum returns Σ_s x^s over the members s of the view; members that fail mid-round
	// may be excluded. Nobody learns another member's x. The blocks cover x in order
	// and bound its values; they are the same at every member. A value outside its bound is an
	// error, never a wrong sum. x is not modified.
	Sum(ctx context.Context, x []float64, blocks []Block) ([]float64, error)

	// Accumulate is Sum for statistics of a running total. It returns the sum over all members
	// counted so far, each with its last counted vector. A member that is lost stays in the total
	// with that vector. New members are counted only if enough of them come together, since a few
	// could be singled out by two totals. Until then the total leaves them out. All calls with one
	// key have the same length and blocks.
	//
	// Some vectors hold values that do not change from call to call, such as the number of rows.
	// Plain Sums of such vectors reveal the values of a lost member; a running total does not.
	Accumulate(ctx context.Context, r Running, x []float64, blocks []Block) ([]float64, error)

	// Gather returns every member's published blob, by rank in the roster; nil for a member
	// that is not in the view. All members see each blob, so it must hold public values only.
	Gather(ctx context.Context, blob []byte) ([][]byte, error)
}

// Running identifies a running total: a sum that continues from call to call.
type Running struct {
	// Key is the same in all calls that belong to the running total.
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

// Cumulative is implemented by learners whose statistics belong to a running total. [Train]
// accumulates them.
type Cumulative interface {
	Running() Running
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
	// Moment describes the values, for tools that study what totals reveal. Sums do not use it.
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

	// LocalUpdate computes this participant's statistics θ^s at the current parameters, and the
	// bounds of their values. The private state φ^s that belongs to them takes effect in the
	// next Optimize.
	LocalUpdate() (x []float64, blocks []Block, err error)

	// Optimize computes new shared parameters from the total of the view's statistics. It
	// returns the value of the objective at the parameters from which the statistics were
	// computed, which is the same at every member. Included reports whether the total has this
	// participant's statistics. If not, φ^s stays unchanged, and LocalUpdate may not have been
	// called.
	Optimize(total []float64, included bool) (objective float64, err error)
}

// Absentee is implemented by groups that may continue without a member for a while. The member
// then takes the rounds that it has missed from the others.
type Absentee interface {
	// TakeMissed returns the total of the next Sum if it was decided without this participant.
	// The Sum then counts as called, so a second call returns the Sum after it.
	TakeMissed() (total []float64, ok bool)

	// Included reports whether the total of the last collective has this participant's vector.
	Included() bool

	// Steady reports whether a stopping rule may compare the last total with the one before.
	// That is so if both are over the same members, and no recently counted member is away.
	Steady() bool
}

// Carrier is implemented by groups whose running totals may gain members, and round the values
// that they count.
type Carrier interface {
	// Carried returns the number of members that the running total of the last Sum has counted
	// so far, 0 if that Sum had none. It also returns the largest rounding of a value in one
	// member's vector, as a share of the value's bound.
	Carried() (members int, rounding float64)
}

// Replayer is implemented by groups whose sums may be decided before this participant calls
// them, because its process was restarted or the others have continued without it.
type Replayer interface {
	Absentee

	// TakeDecided returns the total of the next Sum if it is decided already, with or without
	// this participant's vector, as Included then reports. The Sum then counts as called. It is
	// for learners whose local update matters only through the sum.
	TakeDecided() (total []float64, ok bool)
}
