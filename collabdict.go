package collabdict

import "context"

// Group is what a participant sees of the others: two collectives over the
// members of the current view. Every member calls the same collectives in the
// same order; which one, and how long its vector is, may depend on shared data
// only (earlier sums), never on private data.
type Group interface {
	// Size returns S, the number of members in the view of the last collective;
	// before the first one, of all members.
	Size() int

	// Sum returns Σ_s x^s over the members s of the view; members that fail mid-round
	// may be excluded. Nobody learns another member's x. The blocks cover x in order
	// and bound its values; they are the same at every member. A value outside its bound is an
	// error, never a wrong sum. x is not modified.
	Sum(ctx context.Context, x []float64, blocks []Block) ([]float64, error)

	// Accumulate is Sum for statistics that are carried on from call to call: it returns
	// the sum over all members that have been counted so far, each with its last vector
	// that was. One that is lost stays in it as it was. The vectors of fewer members
	// than may be told from a total are not counted for the first time; then the total
	// is without them. All calls with one key have the same length and blocks. A Sum
	// whose vectors hold something that does not change from call to call, such as the
	// number of rows, shows that of a member that is lost; a running total does not.
	Accumulate(ctx context.Context, r Running, x []float64, blocks []Block) ([]float64, error)

	// Gather returns every member's published blob, by rank in the roster; nil for
	// a member that is not in the view. A blob is seen by all members: it is for
	// public values only.
	Gather(ctx context.Context, blob []byte) ([][]byte, error)
}

// Running names a running total: a sum that is carried on from call to call.
type Running struct {
	// Key is the same in all calls that belong to it.
	Key string
	// From is the key of the running total that this one begins as, "" for zeros. Begin
	// says with which vector it begins, given that of the other one: the total with the
	// other's total, and each member's with its own. Begin is linear, and the same at all
	// members.
	From  string
	Begin func(from []float64) []float64
	// Before, if not nil, is the running total From, which some member may have missed from
	// its first sum to its last. That member's vector in it is then what it began with, which
	// has to be some of the values of the total before as they are.
	Before *Running
}

// Cumulative is implemented by learners whose statistics belong to a running total.
// [Train] accumulates them.
type Cumulative interface {
	Running() Running
}

// Rows is a source of n rows of m values that can be read as often as wanted, by
// several goroutines at once.
type Rows interface {
	Dims() (n, m int)
	// ReadRows fills x, whose length is a multiple of m, with the rows from row from on,
	// row-major.
	ReadRows(x []float64, from int) error
}

// Block describes the next Len values of a vector.
type Block struct {
	Len int
	// Bound is at least the absolute value of each at every member. Bounds scale the
	// random chunks that hide the values, so a loose bound costs precision.
	Bound float64
	// Moment is what the values are, for those who study what totals reveal. A sum
	// does not depend on it.
	Moment Moment
}

// Moment is a statistic of rows x_n that weigh r_k(n) in component k. A vector has the
// counts of K components first, and then their other moments.
type Moment uint8

// The moments that a block may hold.
const (
	NoMoment Moment = iota // another quantity
	// Counts are Σ_n r_k(n), one for each component.
	Counts
	// FirstMoments are Σ_n r_k(n) x_ni: all components for each variable i in turn.
	FirstMoments
	// SecondMoments are Σ_n r_k(n) x_ni x_nj: all components for each pair i ≤ j, or
	// for each i = j alone, in turn.
	SecondMoments
	// LowWords are what is to be added to the values before, as many, in their order.
	LowWords
	// Updates are derivatives of a network's weights, or changes of them.
	Updates
	// Noisy are moments of rows with noise that makes them differentially private.
	Noisy
)

// Learner is a model in the form of Algorithm 1 of Idé et al. 2024: private
// statistics that are additive over participants, and a deterministic step from
// their total to the shared parameters.
type Learner interface {
	// Start agrees on starting parameters with the group.
	Start(ctx context.Context, g Group) error

	// LocalUpdate computes this participant's statistics θ^s at the current
	// parameters, and the bounds of their values. The private state φ^s that
	// belongs to them takes effect with the Optimize that follows.
	LocalUpdate() (x []float64, blocks []Block, err error)

	// Optimize turns the total of the view's statistics into new shared
	// parameters and returns the value of the objective that the statistics were
	// computed at. It is the same at every member. Included reports whether this
	// participant's own statistics are in the total; if not, φ^s stays as it is,
	// and LocalUpdate may not have been called.
	Optimize(total []float64, included bool) (objective float64, err error)
}

// Absentee is implemented by groups that may continue without a member for a while. The
// member takes the rounds that it has missed from the others.
type Absentee interface {
	// TakeMissed returns the total of the next Sum if that was made without this
	// participant; the Sum then counts as called, so a second call is of the Sum after it.
	TakeMissed() (total []float64, ok bool)

	// Included reports whether this participant's vector of the last collective is in its
	// total.
	Included() bool

	// Steady reports whether a stopping rule may compare the last total with the one
	// before: both are over the same members, and no member is away that was counted not
	// long ago.
	Steady() bool
}

// Carrier is implemented by groups whose running totals may come to count more members, and
// round what they count.
type Carrier interface {
	// Carried returns how many members the running total of the last Sum has counted so
	// far, 0 if that was of none, and the share of its bound by which a value of one member's vector
	// is rounded at most.
	Carried() (members int, rounding float64)
}

// Replayer is implemented by groups whose sums may be decided before this participant
// calls them: since its process was started again, or the others have continued without it.
type Replayer interface {
	Absentee

	// TakeDecided returns the total of the next Sum if that is decided already, with this
	// participant's vector in it or not, as Included says then; the Sum then counts as
	// called. It is for learners whose local update matters only through the sum.
	TakeDecided() (total []float64, ok bool)
}
