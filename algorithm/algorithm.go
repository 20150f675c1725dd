// Package algorithm says what one way of learning together is: settings that members
// agree on, a part that each of them plays in a [collabdict.Group], and the model that
// comes of it. The program knows algorithms by this package alone.
//
// To write one, implement [Algorithm] and a [Model], and name it by a [Kind]. A learner
// of rounds is easiest written as a [collabdict.Learner] whose rounds [Rounds] makes. To
// run one, set and complete its Options, call Prepare, and then Train at each participant.
// Its model says by interfaces such as [Scorer] and [Dictionary] what it can do.
//
// Start reading at [Kind] and [Algorithm].
package algorithm

import (
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/option"
)

// Kind is an algorithm by its name.
type Kind struct {
	Name  string // as flags and files have it
	About string // what it learns, in one phrase
	// New returns the algorithm with all settings at their defaults.
	New func() Algorithm
}

// Algorithm is one algorithm with its settings. After Prepare it does not change, so that
// participants in one process can share it.
type Algorithm interface {
	// Options binds the settings. It is called once.
	Options() option.Table
	// Prepare is called when all options are complete. It completes what depends on the
	// coordinates and reports settings that contradict each other, as *option.Error.
	Prepare(c Coordinates) error
	// Traits says what the settings ask of those who run them.
	Traits() Traits
	// Disclosure says what members tell each other. It is called after Prepare.
	Disclosure(c Coordinates) Disclosure
	// Train plays one participant's part. It calls after at the end of each round, and
	// returns the outcome of the last round completed, with an error if a later one has
	// failed. Of a training without a completed round the outcome has no model.
	Train(ctx context.Context, g collabdict.Group, d Data, after func(Progress)) (Outcome, error)
	// Load returns the model that arrays of [Model.Arrays] are of, in so many coordinates.
	Load(arrays Arrays, coordinates int) (Model, error)
}

// InOneProcess is an algorithm that can make use of all participants being in one
// process, as they are in simulations.
type InOneProcess interface {
	// Together is called once, before anybody trains, of an algorithm that only these
	// participants have. all returns the rows of all, in the coordinates trained on.
	Together(seed uint64, all func() (*mat.Dense, error)) error
}

// The ways to scale columns.
const (
	Global = "global" // by the rows of all participants, through private sums
	Own    = "own"    // by each participant's own rows
	Agreed = "agreed" // by ranges that the members have agreed on, and no rows
	None   = "none"
)

// Coordinates say how rows came to the coordinates trained on.
type Coordinates struct {
	ScaledBy string // Global, Own, Agreed or None
	// ByDefault says that nobody has chosen ScaledBy.
	ByDefault bool
	// UnitRange says that columns, and axes, are brought to the range from 0 to 1, and not
	// to mean 0 and variance 1.
	UnitRange bool
	Axes      int // principal axes that rows are projected to; 0: none
}

// ByRows reports whether the coordinates follow from rows.
func (c Coordinates) ByRows() bool { return c.Axes > 0 || c.ScaledBy == Own || c.ScaledBy == Global }

// Direction names what coordinates lie along.
func (c Coordinates) Direction() string {
	if c.Axes > 0 {
		return "principal axis"
	}
	return "column"
}

// Traits are what settings ask of those who run them.
type Traits struct {
	// Rounds is the most rounds that members make together.
	Rounds int
	// OnlySimulated, if not empty, names an option and says why it is for simulations alone.
	OnlySimulated string
	// Objective says what the objective of a round is, for a figure's axis; it may be empty.
	Objective string
	// ByStep says that the objective of a round is how far it has moved the model, and not
	// how well the model fits.
	ByStep bool
	// HoldsRows says that training reads all rows into memory.
	HoldsRows bool
	// Secret says that a participant draws by Data.Source, which must be the same when it
	// comes back.
	Secret bool
	// UnitRange says that values are best from 0 to 1, so that columns are scaled to that
	// unless told otherwise.
	UnitRange bool
	// Classes, if not nil, says that labels are classes that training depends on.
	Classes *Classes
	// Chooses says that training chooses settings by rows that are held out.
	Chooses bool
	// Missing says that training can do with rows that have missing cells.
	Missing bool
	// HoldsOut says that a share of the own rows stays out of training by default: to compare
	// the model with one of the own rows alone, and to say what its scores mean.
	HoldsOut bool
	// Patterns says that the model tells patterns apart, which can be compared with classes.
	Patterns bool
	// LeastRows is the fewest training rows with which a participant is worth having.
	LeastRows int
	// LeastDiversity is the number of rows that each part of a component is to rest on. A
	// participant is told where its own does not; 0 if nobody looks at it.
	LeastDiversity float64
	// ShownRows is the fewest rows that anything may be of that members show each other; 0 if
	// nothing of rows is shown, or if noise hides them.
	ShownRows int
	// Noise, if not nil, is what hides rows that are shown.
	Noise *Noise
	// Blur is the standard deviation, in rows, of the noise in a coordinate of a total of moments
	// that hides rows from subtraction; 0 for none.
	Blur float64
	// Outweighed, if not nil, reports whether noise is likely to cost what is learned together more than
	// sharing gains, for a participant with so many training rows among those of all members.
	Outweighed func(own, all, coordinates int) bool
	// Weights returns the number of weights of a network for so many coordinates; nil of
	// what is no network.
	Weights func(coordinates int) int
	// Values returns the length of the vector of each round, for so many coordinates, if
	// the model is no network; nil if vectors are short.
	Values func(coordinates int) int
}

// Classes says what labels training depends on.
type Classes struct {
	Number  int    // 0: as many as all members have, which they agree on
	Learned bool   // the model is a classifier, so that test labels are classes, too
	Because string // what depends on them
}

// Noise makes something (Epsilon, Delta)-differentially private in each row.
type Noise struct {
	Epsilon, Delta float64
	What           string // it hides
}

// Spend is a privacy loss that noise bounds.
type Spend struct {
	What string // it hides
	// ZCDP is ρ of zero-concentrated differential privacy, of all rounds together.
	ZCDP float64
	// Delta is that at which ε is told.
	Delta float64
	// Of says which change of the rows it bounds what can be seen of, and under which conditions.
	Of string
}

// Conserved names what every total of a sum tells of the rows in it, whatever the model
// is. The numbers come in the order of what they tell.
type Conserved int

// What totals tell.
const (
	Nothing     Conserved = iota
	RowCounts             // the number of rows
	Variances             // the number of rows, and the mean and variance of each column
	Covariances           // the number of rows, their mean and covariance matrix
)

func (c Conserved) String() string {
	return [...]string{"", "the number of rows", "N, mean and variances", "N, mean and covariance"}[c]
}

// Disclosure says what members tell each other.
type Disclosure struct {
	// Shown lists what each member shows all others in the clear.
	Shown []string
	// Learned lists what all members learn of all rows by sums before the first round,
	// beyond bounds of sums.
	Learned []string
	// Rounds lists what all members learn in each round, beyond the model.
	Rounds []string
	// RowsBound says that members publish the power of two above their number of rows.
	RowsBound bool
	// Sums says that rounds sum statistics of rows, whose bounds members publish as trained
	// on; KnownMoments that Data.Moments, where there are any, save that.
	Sums, KnownMoments bool
	// Conserved is what every total tells.
	Conserved Conserved
}

// Moments are what is known of the rows of all members, in the coordinates trained on.
type Moments interface {
	Rows() float64         // the number of all rows
	Covariance() []float64 // M by M, row-major
}

// Data is one participant's data.
type Data struct {
	Name string          // of the participant
	Rows collabdict.Rows // for training, in the coordinates trained on
	// Held are rows that stay out of training and of all sums over rows, for choices; nil if
	// there are none.
	Held collabdict.Rows
	// Missing says that cells of rows may be missing, which are NaN, here or at another member.
	Missing bool
	// Classes of the training rows, from 0, and of the test rows, if Traits.Classes asks
	// for them.
	Classes, TestClasses []int
	// Labels of the training rows are any numbers that tell classes apart; nil if there are
	// none.
	Labels []float64
	// Moments are those of all rows; nil if they are not known.
	Moments Moments
	Seed    uint64 // public
	// Source draws what must be the participant's alone; nil where there is nobody to hide
	// anything from.
	Source rand.Source
	// Quorum is the fewest members that a total is of.
	Quorum int
	// Colluders are how many other members may work together to learn what this one hides.
	Colluders int
}

// Outcome is what one participant holds after its part.
type Outcome struct {
	Last      collabdict.Round // the last round completed
	Model     Model            // nil if no round was completed
	TotalRows int              // of all participants in the last round
	// PriorVariances are those of each coordinate that a mixture's prior is scaled by; nil of
	// another prior.
	PriorVariances []float64
	// Spends are what noise in the run bounds the loss of. Without any, Traits.Noise is the one of
	// the run.
	Spends []Spend
	// Used are options as they were used, where they follow from the data, by their keys.
	Used      map[string]any
	Selection *Selection
	Judged    []Judged // what there was to choose from, by the rows held out
	// Weightings are those of all members, by rank, if they are published; nil of one that
	// was not there.
	Weightings []*Weighting
	Warnings   []string
	// LeftOut, if not nil, is EachScores of own training rows, each at the model as it would
	// be without that row.
	LeftOut func(rows collabdict.Rows, f func(from int, scores []float64)) error
}

// Progress is a participant's state after a round.
type Progress struct {
	collabdict.Round
	// Loss is what falls while training: minus the objective of a row, or its step.
	Loss      float64
	Diversity *Diversity // nil if it is not measured, as are the others
	// LowDiversity is what this round has done about components with too few of the own rows.
	LowDiversity []LowDiversity
	Encoder      *Encoder
	Weighting    *Weighting
	Clusters     int // found by the last round; 0 if none are
}

// Diversity measures how many rows are behind a participant's contribution: smallest and
// largest entropy over components, in nats, of Eq. (47) of Idé et al. 2024.
type Diversity struct {
	Max float64 `json:"max"`
	Min float64 `json:"min"`
	// MinResponsibility is Min with the weights that the statistics are made of.
	MinResponsibility float64 `json:"min_responsibility"`
}

// LowDiversity says what a participant did, before it sent its part of a component, because
// that rested on too few of its rows. It holds from that round on.
type LowDiversity struct {
	Round     int     `json:"-"`
	Component int     `json:"component"` // from 1
	Rows      float64 `json:"rows"`      // that the part rested on, by the entropy of their shares
	Largest   float64 `json:"largest"`   // share of a row
	Action    string  `json:"action"`
}

// Encoder says what an encoder tells of the own rows.
type Encoder struct {
	Information float64 `json:"information"`  // mutual information of a row and its code, in nats
	KL          float64 `json:"kl"`           // mean divergence of the codes from the prior, in nats
	Active      int     `json:"active_units"` // dimensions of the code that vary with the row
	Latent      int     `json:"latent"`       // all dimensions
}

// Weighting is a participant's weight in a mean over members.
type Weighting struct {
	Weight float64 // the weights of all members add up to 1
	// Discrepancy is how unlike all others' the participant's data are, if Measured.
	Discrepancy float64
	Measured    bool
	// ByRows says that the rule left no participant a weight, so that the weight is the
	// share of the rows.
	ByRows bool
}

// Judged says what held-out rows tell of settings that there were to choose from, after a stage.
type Judged struct {
	Stage      int     `json:"stage"`
	Components int     `json:"components"`
	Lambda     float64 `json:"lambda"`
	// Gain is the mean of ln p(x) over the held-out rows of all participants, each under its
	// own weights, beside that of one normal distribution without edges, in nats per row of
	// training: what it is per held-out row is nobody's to know.
	Gain float64 `json:"gain"`
	Kept bool    `json:"kept"` // for the next stage, or to the end
}

// Selection says how a model was chosen among several.
type Selection struct {
	Rows      int      `json:"rows"`      // |D|, of all participants behind it
	Gathered  int      `json:"gathered"`  // components of all participants together
	Synthetic int      `json:"synthetic"` // |S|, rows drawn from these
	Choices   []Choice `json:"choices"`
}

// Choice is a number of components that was tried. The one of least BIC was taken.
type Choice struct {
	Components int     `json:"components"`
	Loglik     float64 `json:"loglik"` // mean per drawn row, in nats
	BIC        float64 `json:"bic"`    // with |S|, as the paper counts
	// BICRows is the same with |D|.
	BICRows float64 `json:"bic_rows"`
}
