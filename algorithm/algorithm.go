package algorithm

import (
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/option"
)

// A Kind is an algorithm with its name.
type Kind struct {
	Name  string // as in flags and files
	About string // what the algorithm learns, in one phrase
	// New returns the algorithm with all settings at their defaults.
	New func() Algorithm
}

// An Algorithm is one algorithm with its settings. It does not change after Prepare, so
// participants in one process can share it.
type Algorithm interface {
	// Options binds the settings. It is called once.
	Options() option.Table
	// Prepare is called when all options are complete. It completes what depends on the
	// coordinates, and returns an *option.Error for settings that contradict each other.
	Prepare(c Coordinates) error
	// Traits returns what the settings need from the program that runs them.
	Traits() Traits
	// Disclosure returns what members reveal to each other. It is called after Prepare.
	Disclosure(c Coordinates) Disclosure
	// Learn plays one participant's part. It calls after at the end of each round. It returns
	// the outcome of the last completed round, with an error if a later one has failed. If no
	// round was completed, the outcome has no model.
	Learn(ctx context.Context, g collabdict.Group, d Data, after func(Progress)) (Outcome, error)
	// Load returns the model whose [Model.Arrays] are given, with the given number of
	// coordinates, at least 1. The options are those of its file, checked by their rules.
	Load(arrays Arrays, coordinates int) (Model, error)
}

// InOneProcess is implemented by algorithms that can use the fact that all participants are in
// one process, as in simulations.
type InOneProcess interface {
	// Together is called once, before anybody trains, on an algorithm that only these
	// participants share. The function all returns the rows of all, in the coordinates trained
	// on.
	Together(seed uint64, all func() (*mat.Dense, error)) error
}

// The ways to scale columns.
const (
	Global = "global" // by the rows of all participants, through private sums
	Own    = "own"    // by each participant's own rows
	Agreed = "agreed" // by ranges that the members have agreed on, without any rows
	Auto   = "auto"   // by own rows or those of all, as held-out rows decide
	None   = "none"
)

// Coordinates describe how rows are converted to the coordinates trained on.
type Coordinates struct {
	ScaledBy string // Global, Own, Auto, Agreed or None
	// UnitRange means that columns, and axes, are scaled to the range from 0 to 1, not to mean
	// 0 and variance 1.
	UnitRange bool
	Axes      int // number of principal axes onto which rows are projected; 0 means none
	// RowsEach is the largest number of training rows that one row of the data may be part of; 0
	// means 1.
	RowsEach int
}

// ByRows reports whether the coordinates depend on rows.
func (c Coordinates) ByRows() bool {
	return c.Axes > 0 || c.ScaledBy == Own || c.ScaledBy == Auto || c.ScaledBy == Global
}

// Direction returns what one coordinate measures along: a column or a principal axis.
func (c Coordinates) Direction() string {
	if c.Axes > 0 {
		return "principal axis"
	}
	return "column"
}

// Traits are what settings need from the program that runs them.
type Traits struct {
	// Rounds is the largest number of rounds that members make together.
	Rounds int
	// OnlySimulated, if not nil, names an option and gives the reason why it is for simulations
	// only.
	OnlySimulated *option.Error
	// Objective describes the objective of a round, for the axis of a figure; it may be empty.
	Objective string
	// HoldsRows means that training reads all rows into memory.
	HoldsRows bool
	// UnitRange means that values work best from 0 to 1. Columns are then scaled to that range
	// by default.
	UnitRange bool
	// Framed means that rows must be near 0, with a spread of about 1 in each column.
	Framed bool
	// Classes, if not nil, means that labels are classes, and that training depends on them.
	Classes *Classes
	// Missing means that training accepts rows with missing cells.
	Missing bool
	// HoldsOut means that, by default, training holds out a share of the participant's rows.
	// They serve to choose settings, to compare the model with one of its rows alone, and to
	// interpret scores.
	HoldsOut bool
	// Rescales means that training may choose between two scales of the columns by held-out rows.
	Rescales bool
	// Patterns means that the model distinguishes patterns, which can be compared with classes.
	Patterns bool
	// LeastRows is the number of training rows below which a participant contributes too
	// little.
	LeastRows int
	// ShownRows is the fewest rows that any published value may rest on. It is 0 if nothing
	// about rows is published, or if noise hides them.
	ShownRows int
	// Noise, if not nil, is the noise that hides published rows.
	Noise *Noise
	// Blur is the standard deviation, in rows, of the noise in each coordinate of a total of
	// moments. It hides rows from subtraction of two totals; 0 means none.
	Blur float64
	// Values returns the length of each round's vector for the given number of coordinates; nil
	// if vectors are short.
	Values func(coordinates int) int
}

// Classes describes the labels on which training depends.
type Classes struct {
	Number  int    // number of classes; 0 means that the members agree on it
	Learned bool   // whether the model is a classifier, so that test labels are classes, too
	Because string // what depends on the classes
}

// Noise makes a value (Epsilon, Delta)-differentially private with respect to each row.
type Noise struct {
	Epsilon, Delta float64
	What           string // what it hides
	// Outweighed, if not nil, reports whether the noise is likely to cost more than sharing
	// gains, for a participant with own of all training rows.
	Outweighed func(own, all, coordinates int) bool
}

// A Spend is a privacy loss that noise bounds.
type Spend struct {
	What string // what it hides
	// ZCDP is ρ of zero-concentrated differential privacy, over all rounds.
	ZCDP float64
	// Delta is the δ at which ε is reported.
	Delta float64
	// Of describes the change of the rows whose effect is bounded, and the conditions.
	Of string
}

// Conserved is what every total of a sum reveals about the rows in it, whatever the model.
// Larger values reveal more.
type Conserved int

// The facts about rows that totals may reveal.
const (
	Nothing     Conserved = iota
	RowCounts             // the number of rows
	Variances             // the number of rows, and the mean and variance of each column
	Covariances           // the number of rows, their mean and covariance matrix
)

func (c Conserved) String() string {
	return [...]string{"", "the number of rows", "N, mean and variances", "N, mean and covariance"}[c]
}

// A Disclosure lists what members reveal to each other.
type Disclosure struct {
	// Items is the algorithm's part of the inventory. A collective whose entry is in no item of a
	// run is an error.
	Items []Item
	// RowsBound means that members agree on the power of two above their numbers of rows.
	RowsBound bool
	// Sums means that rounds sum statistics of rows, on whose bounds members agree in the
	// coordinates trained on.
	Sums bool
	// Conserved is what every total reveals.
	Conserved Conserved
}

// A Frame maps rows to coordinates in which they are near 0 at every member, with a spread of about
// 1: z = (x − Shift) / Scale.
type Frame struct{ Shift, Scale []float64 }

// Rescaled has a participant's rows, and its held-out rows, with other scales of the columns.
type Rescaled struct {
	Rows, Held collabdict.Rows // as in [Data]
	// LogScale is, for each column, the logarithm of its scale in units of that in [Data].
	LogScale []float64
}

// Data is one participant's data.
type Data struct {
	Name string          // name of the participant
	Rows collabdict.Rows // for training, in the coordinates trained on
	// Frame, if not nil, maps the coordinates that settings describe to those trained on. It is
	// needed for parameters that are given.
	Frame *Frame
	// Held are rows that stay out of training and of all sums over rows, for choices; nil if
	// there are none.
	Held collabdict.Rows
	// Rescaled, if not nil, has the same rows in other coordinates, from which the algorithm may
	// choose; see [Traits.Rescales].
	Rescaled *Rescaled
	// Missing means that cells of rows may be missing (NaN), at this member or another.
	Missing bool
	// RowsEach is the number of training rows that one row of the data is part of; 0 means that of the
	// Coordinates.
	RowsEach int
	// Classes are the classes of the training rows, from 0, and TestClasses those of the test
	// rows, if Traits.Classes asks for them.
	Classes, TestClasses []int
	// Labels are numbers that distinguish the classes of the training rows; nil if there are
	// none.
	Labels []float64
	Seed   uint64 // public
	// Source draws values that only this participant may know; nil if there is nobody to hide
	// them from.
	Source rand.Source
	// Quorum is the fewest members of a total.
	Quorum int
	// Colluders is the assumed number of other members that work together to learn what this
	// one hides.
	Colluders int
}

// An Outcome is what one participant holds after its part.
type Outcome struct {
	Last      collabdict.Round // the last round completed
	Model     Model            // nil if no round was completed
	TotalRows int              // rows of all participants in the last round
	// PriorVariances holds, per coordinate, the variance that scales a mixture's prior; nil for
	// another prior.
	PriorVariances []float64
	// Spends are the losses that noise bounds, in the rounds that were made.
	Spends []Spend
	// Used holds, by key, the values of options that were determined from the data.
	Used      map[string]any
	Selection *Selection
	Judged    []Judged // the choices tried, judged by the held-out rows
	// Rescaled means that the model was trained on Data.Rescaled.
	Rescaled bool
	// Weightings holds, by rank, those of all members if they are published; nil for a member
	// that was not present.
	Weightings []*Weighting
	Warnings   []string
	// LeftOut, if not nil, is like EachScores for the participant's training rows, each scored
	// by the model as it would be without that row.
	LeftOut func(rows collabdict.Rows, f func(from int, scores []float64)) error
}

// Progress is a participant's state after a round.
type Progress struct {
	collabdict.Round
	// Loss falls during training: minus the objective of a row, or the round's step.
	Loss      float64
	Step      bool       // Loss is the distance that the round has moved the model
	Diversity *Diversity // nil if not measured, as for the fields below
	// LowDiversity lists what this round has done about components with too few of the
	// participant's rows.
	LowDiversity []LowDiversity
	Encoder      *Encoder
	Weighting    *Weighting
	Clusters     int // clusters found by the last round; 0 if none
}

// Diversity measures how many rows of the data are behind a participant's contribution: the
// smallest and the largest entropy over components, in nats, of Eq. (47) of Idé et al. 2024. If
// a row of the data is part of several training rows, the logarithm of their number is subtracted.
type Diversity struct {
	Max float64 `json:"max"` // the largest entropy over components
	Min float64 `json:"min"` // the smallest entropy over components
	// MinResponsibility is the smallest entropy of the weights from which the statistics are
	// computed.
	MinResponsibility float64 `json:"min_responsibility"`
}

// LowDiversity describes what a participant did with its part of a component before sending it,
// because the part rested on too few of its rows. It holds from that round on.
type LowDiversity struct {
	Round     int     `json:"-"`
	Component int     `json:"component"` // its number, from 1
	Rows      float64 `json:"rows"`      // rows that the part rested on, by the entropy of their shares
	Largest   float64 `json:"largest"`   // largest share of a row
	Action    string  `json:"action"`    // skip-component or noise
}

// Encoder describes what an encoder reveals about the participant's rows.
type Encoder struct {
	Information float64 `json:"information"`  // mutual information of a row and its code, in nats
	KL          float64 `json:"kl"`           // mean divergence of the codes from the prior, in nats
	Active      int     `json:"active_units"` // dimensions of the code that vary with the row
	Latent      int     `json:"latent"`       // all dimensions
}

// A Weighting is a participant's weight in a mean over members.
type Weighting struct {
	Weight float64 // the weights of all members add up to 1
	// Discrepancy measures how much the participant's data differ from all others', if
	// Measured.
	Discrepancy float64
	Measured    bool
	// ByRows means that the rule left no participant a weight, so the weight is the share of
	// the rows.
	ByRows bool
}

// Judged is the judgement of one choice of settings by held-out rows, when some choices are dropped.
type Judged struct {
	Stage      int     `json:"stage"`      // 1 when choices are dropped for the first time, then 2, 3 and so on
	Components int     `json:"components"` // their number
	Lambda     float64 `json:"lambda"`     // the penalty
	// Rescaled means that the choice was trained on Data.Rescaled.
	Rescaled bool `json:"rescaled,omitempty"`
	// Gain is the mean of ln p(x) over the held-out rows of all participants, each under its
	// own weights, minus that of one normal distribution without edges. Its unit is nats per
	// training row, because nobody may know the number of held-out rows.
	Gain float64 `json:"gain"`
	Kept bool    `json:"kept"` // kept for the next stage, or to the end
}

// A Selection describes how a model was chosen among several.
type Selection struct {
	Rows      int      `json:"rows"`      // rows of all participants behind it (|D|)
	Gathered  int      `json:"gathered"`  // components of all participants together
	Synthetic int      `json:"synthetic"` // rows drawn from these components (|S|)
	Choices   []Choice `json:"choices"`   // the numbers of components that were tried
}

// A Choice is a number of components that was tried. The one with the lowest BIC was taken.
type Choice struct {
	Components int     `json:"components"` // their number
	Loglik     float64 `json:"loglik"`     // mean per drawn row, in nats
	BIC        float64 `json:"bic"`        // the criterion by |S|, as in the paper
	BICRows    float64 `json:"bic_rows"`   // the criterion by |D|
}
