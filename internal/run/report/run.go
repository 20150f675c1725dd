package report

import (
	"fmt"

	"github.com/collabdict/collabdict/algorithm"
)

// Run is the result of a training: of all participants if one process knows them, otherwise of
// the own node.
type Run struct {
	ID           string        `json:"run,omitempty"`      // the identity of the run, as in the ledger; absent after sim
	Model        string        `json:"model"`              // the kind of model, such as ggm
	Participants []Participant `json:"participants"`       // all participants, or only the own one for run
	LeftOut      []LeftOut     `json:"left_out,omitempty"` // participants with too few rows
	Rounds       int           `json:"rounds"`             // completed rounds of the model; a gathering counts as one
	SetupRounds  int           `json:"setup_rounds"`       // collectives before the first round, for scaling and the start
	// Converged reports whether training stopped by --tol before the last allowed round.
	Converged bool   `json:"converged"`
	Seed      uint64 `json:"seed"` // the public seed
	// Objective is what training improves, at the parameters before the last step; for ggm, dem
	// and fedgen after it.
	Objective Figure `json:"objective,omitzero"`
	// Loglik is the mean log-likelihood of all training rows, each under its owner's model, in
	// nats.
	Loglik       Figure       `json:"loglik,omitzero"`
	ROCAUC       Figure       `json:"roc_auc,omitzero"`       // the mean over participants
	PRAUC        Figure       `json:"pr_auc,omitzero"`        // the mean over participants
	ARI          Figure       `json:"ari,omitzero"`           // the mean over participants
	Silhouette   Figure       `json:"silhouette,omitzero"`    // the mean over participants, for fedgem
	Accuracy     Figure       `json:"accuracy,omitzero"`      // the mean over participants, for cgau
	CrossEntropy Figure       `json:"cross_entropy,omitzero"` // the mean over participants, for cgau
	Baselines    *Baselines   `json:"baselines,omitempty"`    // means over participants
	Shared       *Scores      `json:"shared,omitempty"`       // means of figures by the shared models, if scores blend several
	Alone        *Scores      `json:"alone,omitempty"`        // means of figures by the own models, if scores blend several
	Clusters     int          `json:"clusters,omitempty"`     // components of the model, or clusters found by fedgem
	PCA          *PCA         `json:"pca,omitempty"`          // the axes of --pca
	Window       int          `json:"window,omitempty"`       // rows of the windows trained on; 0 means none
	Selection    *Selection   `json:"selection,omitempty"`    // how fedgen chose its components
	Choice       []Judged     `json:"choice,omitempty"`       // the settings that ggm chose from, and how they did
	BytesSent    int64        `json:"bytes_sent"`             // the mean per participant
	Messages     int64        `json:"messages"`               // the mean per participant
	Consensus    Consensus    `json:"consensus"`              // how sums were made
	Protection   Protection   `json:"protection"`             // what hid the vectors in sums
	Diversity    *Diversity   `json:"diversity,omitempty"`    // the smallest over participants, for ggm and dem
	Epsilon      float64      `json:"epsilon,omitempty"`      // the requested ε of differential privacy, at delta
	Delta        float64      `json:"delta,omitempty"`        // the requested δ of differential privacy
	Views        []View       `json:"views"`                  // the members of the run, with an entry per change
	LoneChanges  []LoneChange `json:"lone_changes,omitempty"` // pairs of sums that together tell something about few members
	// OpenSeats reports whether anyone on the network could be a member, by --open.
	OpenSeats     bool           `json:"open_seats,omitempty"`
	RosterChanges []RosterChange `json:"roster_changes,omitempty"` // agreed changes of the members, in order
	// Ledger has an entry for each kind of total or message that others have seen.
	Ledger   []Entry  `json:"ledger,omitempty"`
	Warnings []string `json:"warnings,omitempty"` // lines of text
	// Kernels are the vector instructions in use: avx512, avx2 or portable. Only the time depends
	// on them.
	Kernels string  `json:"kernels"`
	Seconds float64 `json:"seconds"` // the elapsed time
}

// Participant is the result of one participant.
type Participant struct {
	Name string `json:"name"` // that of its file or folder
	Rows int    `json:"rows"` // training rows
	// ROCAUC is the area under the ROC curve of its scores, on its test rows, or on its training
	// rows if there are none. It needs labels of 0, 1 or −1. For cgau, it is the mean over classes
	// of the area of one class against all others.
	ROCAUC     Figure `json:"roc_auc,omitzero"`
	PRAUC      Figure `json:"pr_auc,omitzero"`       // the area under the precision-recall curve, on the same rows
	Loglik     Figure `json:"loglik,omitzero"`       // the mean log-likelihood per row under its model, in nats
	LoglikRows string `json:"loglik_rows,omitempty"` // the rows of Loglik: all participants' (all) or its own (own)
	// ARI is the adjusted Rand index of the components, or clusters, and the classes.
	ARI          Figure     `json:"ari,omitzero"`
	Silhouette   Figure     `json:"silhouette,omitzero"`    // the silhouette of at most 5000 rows, for fedgem
	Accuracy     Figure     `json:"accuracy,omitzero"`      // the share of rows whose likeliest class is right, for cgau
	CrossEntropy Figure     `json:"cross_entropy,omitzero"` // the mean of −ln p of the right class, for cgau
	Recall       []Figure   `json:"recall,omitempty"`       // the share of rows found, by class from 0; null without rows
	OwnClusters  []int      `json:"own_clusters,omitempty"` // the numbers of the clusters, from 1, of its own components
	Baselines    *Baselines `json:"baselines,omitempty"`    // the same figures of models trained otherwise
	Shared       *Scores    `json:"shared,omitempty"`       // figures by the shared model, if scores blend several
	Alone        *Scores    `json:"alone,omitempty"`        // figures by the model of the own rows, if scores blend several
	HeldOut      *HeldOut   `json:"held_out,omitempty"`     // figures on the rows that stayed out of training
	Diversity    *Diversity `json:"diversity,omitempty"`    // that of its contribution in the last round
	Encoder      *Encoder   `json:"encoder,omitempty"`      // that of its own encoder after the last round, on at most 256 rows
	Weighting    *Weighting `json:"weighting,omitempty"`    // its weight in the last round, if members are weighed
	History      []Round    `json:"history,omitempty"`      // has an entry per round
	ModelFile    string     `json:"model_file,omitempty"`   // relative to the folder of the result
	// Digest is the SHA-256 of the input of the last step, the same at every participant.
	Digest string `json:"digest,omitempty"`
	Left   string `json:"left,omitempty"` // why it is not in the last view; it then has no digest
}

// Baselines are the figures of the same model trained otherwise: by a participant alone, or on
// all rows in one place.
type Baselines struct {
	Alone  *Scores `json:"alone,omitempty"`  // those of a model of the own rows alone
	Pooled *Scores `json:"pooled,omitempty"` // those of a model of all rows in one place
}

// Scores are the figures of a model on a participant's own test rows, and its mean
// log-likelihood.
type Scores struct {
	ROCAUC       Figure `json:"roc_auc,omitzero"`       // the area under the ROC curve
	PRAUC        Figure `json:"pr_auc,omitzero"`        // the area under the precision-recall curve
	Loglik       Figure `json:"loglik,omitzero"`        // the mean log-likelihood per row, in nats
	ARI          Figure `json:"ari,omitzero"`           // the adjusted Rand index
	Silhouette   Figure `json:"silhouette,omitzero"`    // that of clusters, for fedgem
	Clusters     int    `json:"clusters,omitempty"`     // clusters found, for fedgem
	Accuracy     Figure `json:"accuracy,omitzero"`      // the share of rows whose likeliest class is right, for cgau
	CrossEntropy Figure `json:"cross_entropy,omitzero"` // the mean of −ln p of the right class, for cgau
}

// LeftOut is a participant with too few rows.
type LeftOut struct {
	Name string `json:"name"` // that of the participant
	Rows int    `json:"rows"` // its training rows
}

// Consensus describes how sums were made. Fields that a scheme does not have are absent.
type Consensus struct {
	Scheme string `json:"scheme"`           // laplacian, exact or base-k
	Step   string `json:"step,omitempty"`   // the rule of the steps, with laplacian
	Graph  string `json:"graph,omitempty"`  // the topology, with laplacian; a small one is complete
	Degree int    `json:"degree,omitempty"` // neighbours per member, with laplacian
	// Fan are messages that a member exchanges per step, with the other schemes.
	Fan                 int `json:"fan,omitempty"`
	IterationsPredicted int `json:"iterations_predicted"` // steps of the last sum, as predicted
	Iterations          int `json:"iterations"`           // steps of the last sum
	// Error is the largest ‖own − adopted‖₂ / ‖adopted‖₂ of a sum; 0 in exact schemes.
	Error float64 `json:"error"`
}

// Protection describes how the vectors in sums were hidden.
type Protection struct {
	Mode string `json:"mode"` // that of --protect
	// Chunks are chunks per vector, including the one that its owner keeps, or sessions that carry
	// a vector.
	Chunks    int `json:"chunks,omitempty"`
	Threshold int `json:"threshold,omitempty"` // sessions that give the sum, with shamir
	Colluders int `json:"colluders,omitempty"` // the assumed colluders, or the adversaries of a simulation
	// BreachPredicted is the probability that the colluders recover another given member's vector
	// in a sum. It is 1 for laplacian with mode none or sessions: one neighbour can compute all
	// vectors.
	BreachPredicted *float64 `json:"breach_predicted,omitempty"`
	// PadBreachPredicted is the probability that the colluders can rebuild a given member's pad,
	// in rosters of more than 64 members.
	PadBreachPredicted *float64 `json:"pad_breach_predicted,omitempty"`
	Adversary          []string `json:"adversary,omitempty"` // the curious members, with --adversary
	// BreachMeasured is the share of the others whose vector they recovered in any round, with
	// --adversary.
	BreachMeasured *float64 `json:"breach_measured,omitempty"`
	// BreachPerSum is the mean share of the others whose vector they recovered per sum, which the
	// prediction is about.
	BreachPerSum *float64 `json:"breach_measured_per_sum,omitempty"`
	// PastRun is an earlier run whose totals reveal something together with those of this run.
	PastRun      *PastRun      `json:"past_run,omitempty"`
	Differencing *Differencing `json:"differencing,omitempty"` // what subtracting totals reveals, with --adversary differencing
}

// Collusion is what a number of other members recover together.
type Collusion struct {
	Others int     `json:"others"` // how many of them collude
	Breach float64 `json:"breach"` // the probability that they recover a given member's vector in a sum
}

// Differencing counts what differences of totals reveal: training rows, each to within 0.01
// standard deviations in every column, and whole members.
type Differencing struct {
	Rows   int `json:"rows"`   // training rows that the differences reveal
	Start  int `json:"start"`  // rows revealed at the start
	Rounds int `json:"rounds"` // rows revealed in the rounds
	Chance int `json:"chance"` // made-up rows, as dense as the true ones, that count as revealed
	Of     int `json:"of"`     // all training rows
	// Recovered names the members whose number of rows is known to within half a row, and whose
	// mean to within a thousandth of a standard deviation.
	Recovered []string `json:"recovered"`
	// ErrorMedian is the median error of a recovered contribution, relative to that of guessing
	// an equal part of the total.
	ErrorMedian float64 `json:"error_median"`
	// Worlds is the number of further runs, each on other rows, that a reader compares. The fields
	// below are about these.
	Worlds int `json:"worlds,omitempty"`
	// Readings are the private quantities that follow from one or two opened values in every world.
	Readings []Reading `json:"readings,omitempty"`
	// ReadingsByChance is the number of quantities of other worlds that would count as read.
	ReadingsByChance int `json:"readings_by_chance,omitempty"`
	RowsRead         int `json:"rows_read,omitempty"`      // rows that changes of moments show, in all worlds
	RowsByChance     int `json:"rows_by_chance,omitempty"` // made-up rows that they would show
	RowsOf           int `json:"rows_of,omitempty"`        // all rows of all worlds
	// Grid is the number of blocks of values with digits that depend on rows or members.
	Grid int `json:"grid,omitempty"`
}

// Reading is a private quantity of a member that other members can compute.
type Reading struct {
	Member   string  `json:"member"`   // its name, or "the others" for all of them together
	Quantity string  `json:"quantity"` // what is read, such as N or the mean of a column
	Slots    []int   `json:"slots"`    // the slots whose values are used
	Reading  string  `json:"reading"`  // how it is computed
	R        float64 `json:"r"`        // its correlation with the quantity over the worlds
	Error    float64 `json:"error"`    // its error, as a share of the quantity's standard deviation over the worlds
	// Lone reports a component that only this member fills, so that any total shows it.
	Lone bool `json:"lone,omitempty"`
}

// Diversity is the entropy ℓ-diversity E^s of Eq. (48) of Idé et al. 2024 in the last round.
// For several participants, each value is the minimum over them.
type Diversity = algorithm.Diversity

// Round has a participant's figures of one round.
type Round struct {
	Round     int     `json:"round"`     // its number, from 1
	Objective float64 `json:"objective"` // before the round's step
	// Diversity is that of the participant's contribution; nil for kinds without it.
	Diversity *Diversity `json:"diversity,omitempty"`
	// LowDiversity lists the actions of the round on components with too few of the own rows.
	LowDiversity []algorithm.LowDiversity `json:"low_diversity,omitempty"`
	// Encoder has the figures of the participant's own encoder; nil for kinds without one, and
	// in rounds without a measurement.
	Encoder *Encoder `json:"encoder,omitempty"`
	// Weighting is the participant's own weight; nil if all weigh alike.
	Weighting *Weighting `json:"weighting,omitempty"`
}

// RoundOf returns a participant's figures of a round.
func RoundOf(p algorithm.Progress) Round {
	r := Round{Round: p.Number, Objective: p.Objective, Diversity: p.Diversity, LowDiversity: p.LowDiversity, Encoder: p.Encoder}
	if p.Weighting != nil {
		w := WeightingOf(*p.Weighting)
		r.Weighting = &w
	}
	return r
}

// WeightingOf returns a weighting without a name.
func WeightingOf(w algorithm.Weighting) Weighting {
	r := Weighting{Weight: w.Weight, ByRows: w.ByRows}
	if w.Measured {
		r.Discrepancy = Of(w.Discrepancy)
	}
	return r
}

// Weighting is a participant's weight in means of models, and its reason.
type Weighting struct {
	Name   string  `json:"name,omitempty"` // set where several are listed
	Weight float64 `json:"weight"`         // the weights of all add up to 1
	// Discrepancy measures how unlike all others' its data are; absent if not measured.
	Discrepancy Figure `json:"discrepancy,omitzero"`
	// ByRows reports that the rule left no participant a weight, so the weight is the share of
	// the rows.
	ByRows bool `json:"by_rows,omitempty"`
}

// Encoder has the figures of a participant's encoder on its own rows.
type Encoder = algorithm.Encoder

// View lists the members from a round on.
type View struct {
	Round   int       `json:"round"`   // the first round of the view; 0 is the start
	Attempt int       `json:"attempt"` // the ballot that was decided; 0 if nothing went wrong
	Members []string  `json:"members"` // members in the sums
	Missing []Missing `json:"missing"` // members not in the sums
	// Count is the number of members if their names, and those of missing members, are listed
	// elsewhere.
	Count int `json:"count,omitempty"`
}

// Counted returns views without names.
func Counted(views []View) []View {
	counted := make([]View, len(views))
	for i, v := range views {
		counted[i] = View{Round: v.Round, Attempt: v.Attempt, Members: []string{}, Missing: []Missing{}, Count: len(v.Members)}
	}
	return counted
}

// RosterChange lists the members added to and removed from the roster after round After, or
// reports that the run was paused or resumed then.
type RosterChange struct {
	After   int      `json:"after_round"`       // the last round before the change
	Added   []string `json:"added"`             // names of new members
	Removed []string `json:"removed"`           // names of removed members
	Paused  bool     `json:"paused,omitempty"`  // reports whether the run paused
	Resumed bool     `json:"resumed,omitempty"` // reports whether the run resumed
}

// Missing is a member outside a view.
type Missing struct {
	Name   string `json:"name"`   // its name
	Reason string `json:"reason"` // why it is missing
}

// Evaluation is the result of evaluate.
type Evaluation struct {
	Rows   int    `json:"rows"`             // rows scored
	ROCAUC Figure `json:"roc_auc,omitzero"` // the area under the ROC curve; for cgau, the mean over classes
	PRAUC  Figure `json:"pr_auc,omitzero"`  // the area under the precision-recall curve
	// ARI is the adjusted Rand index of components, or clusters, and classes.
	ARI         Figure `json:"ari,omitzero"`
	Loglik      Figure `json:"loglik,omitzero"`       // the mean log-likelihood per row, in nats
	FalseAlarms Figure `json:"false_alarms,omitzero"` // the share of normal rows above the threshold
	Detected    Figure `json:"detected,omitzero"`     // the share of anomalies above the threshold

	Silhouette Figure `json:"silhouette,omitzero"` // that of clusters, for fedgem

	Accuracy     Figure   `json:"accuracy,omitzero"`      // the share of rows whose likeliest class is right, for cgau
	CrossEntropy Figure   `json:"cross_entropy,omitzero"` // the mean of −ln p of the right class, for cgau
	Recall       []Figure `json:"recall,omitempty"`       // the share of rows found, by class from 0; null without rows
}

// Hidden describes in words how a member's own part of a sum is hidden, and how well.
func (p Protection) Hidden() string {
	b := p.BreachPredicted
	switch {
	case b == nil:
		return ""
	case *b == 1:
		return "A member's own part of a sum is not hidden: others can work it out from what they see."
	case p.Colluders == 1:
		return fmt.Sprintf("A member's own part of a sum is hidden: another member works it out with probability %.2g.", *b)
	}
	return fmt.Sprintf("A member's own part of a sum is hidden: %d other members together work it out with probability %.2g.", p.Colluders, *b)
}

// PCA describes the principal axes that the scaled columns are projected to.
type PCA struct {
	Axes      int       `json:"axes"`           // their number
	Variances []float64 `json:"variances"`      // those along the axes, in falling order, before normalisation
	Total     float64   `json:"total_variance"` // of all columns
}

// Explained returns the share of the variance of all columns that the axes keep.
func (p PCA) Explained() float64 {
	sum := 0.0
	for _, v := range p.Variances {
		sum += v
	}
	if p.Total <= 0 {
		return 1
	}
	return sum / p.Total
}

// Selection describes the parts of a mixture that was put together in one round, and the
// numbers of components that were tried.
type Selection = algorithm.Selection

// Judged is a candidate setting with its figures on held-out rows.
type Judged = algorithm.Judged
