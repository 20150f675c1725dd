package report

import "github.com/collabdict/collabdict/algorithm"

// Run is the result of a training: of all participants where one process knows
// them, or of a node's own.
type Run struct {
	Model        string        `json:"model"`
	Participants []Participant `json:"participants"`
	LeftOut      []LeftOut     `json:"left_out,omitempty"` // had too few rows
	Rounds       int           `json:"rounds"`
	SetupRounds  int           `json:"setup_rounds"`
	Converged    bool          `json:"converged"`
	Seed         uint64        `json:"seed"`
	Objective    Figure        `json:"objective,omitzero"`
	Loglik       Figure        `json:"loglik,omitzero"` // mean a row, each under its owner's model
	ROCAUC       Figure        `json:"roc_auc,omitzero"`
	PRAUC        Figure        `json:"pr_auc,omitzero"`
	ARI          Figure        `json:"ari,omitzero"`
	Silhouette   Figure        `json:"silhouette,omitzero"`
	Accuracy     Figure        `json:"accuracy,omitzero"`
	CrossEntropy Figure        `json:"cross_entropy,omitzero"`
	Baselines    *Baselines    `json:"baselines,omitempty"` // means over participants
	Shared       *Scores       `json:"shared,omitempty"`    // of scores by the shared model, means
	Alone        *Scores       `json:"alone,omitempty"`     // of scores by the own models, means
	Clusters     int           `json:"clusters,omitempty"`
	PCA          *PCA          `json:"pca,omitempty"`       // nil if rows are not projected
	Selection    *Selection    `json:"selection,omitempty"` // of fedgen
	Choice       []Judged      `json:"choice,omitempty"`    // of ggm, if there was one
	BytesSent    int64         `json:"bytes_sent"`          // a participant, mean
	Messages     int64         `json:"messages"`            // a participant, mean
	Consensus    Consensus     `json:"consensus"`
	Protection   Protection    `json:"protection"`
	Diversity    *Diversity    `json:"diversity,omitempty"`
	Epsilon      float64       `json:"epsilon,omitempty"` // of differential privacy, with Delta
	Delta        float64       `json:"delta,omitempty"`
	Views        []View        `json:"views"`
	LoneChanges  []LoneChange  `json:"lone_changes,omitempty"`
	OpenSeats    bool          `json:"open_seats,omitempty"` // anyone could be a member
	// RosterChanges are the members that have come and gone by agreement.
	RosterChanges []RosterChange `json:"roster_changes,omitempty"`
	// Ledger has a line for each kind of what the run has told.
	Ledger   []Entry  `json:"ledger,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	// Kernels are the instructions that matrices were computed with.
	Kernels string  `json:"kernels"`
	Seconds float64 `json:"seconds"`
}

// Participant is the result of one participant.
type Participant struct {
	Name       string `json:"name"`
	Rows       int    `json:"rows"` // trained on
	ROCAUC     Figure `json:"roc_auc,omitzero"`
	PRAUC      Figure `json:"pr_auc,omitzero"`
	Loglik     Figure `json:"loglik,omitzero"` // mean a training row of LoglikRows
	LoglikRows string `json:"loglik_rows,omitempty"`
	ARI        Figure `json:"ari,omitzero"`
	Silhouette Figure `json:"silhouette,omitzero"`
	// Accuracy and so on are of classifiers, whose ROCAUC is the mean over classes.
	Accuracy     Figure   `json:"accuracy,omitzero"`
	CrossEntropy Figure   `json:"cross_entropy,omitzero"`
	Recall       []Figure `json:"recall,omitempty"` // by class
	// OwnClusters says which cluster, from 1, each own component is of; only fedgem has them.
	OwnClusters []int      `json:"own_clusters,omitempty"`
	Baselines   *Baselines `json:"baselines,omitempty"`
	// Shared and Alone are the figures of scores by the shared model, and by the one learned of
	// the own rows alone. The figures above are of the blend then.
	Shared    *Scores    `json:"shared,omitempty"`
	Alone     *Scores    `json:"alone,omitempty"`
	HeldOut   *HeldOut   `json:"held_out,omitempty"`
	Diversity *Diversity `json:"diversity,omitempty"`
	Encoder   *Encoder   `json:"encoder,omitempty"`   // as in the last round
	Weighting *Weighting `json:"weighting,omitempty"` // of bvae, as in the last round
	History   []Round    `json:"history,omitempty"`   // a round an entry
	ModelFile string     `json:"model_file,omitempty"`
	Digest    string     `json:"digest,omitempty"` // of what the last optimize was given
	Left      string     `json:"left,omitempty"`   // why it is not in the last view
}

// Baselines are the same model trained otherwise: by a participant alone on its
// own rows, or on all rows in one place.
type Baselines struct {
	Alone  *Scores `json:"alone,omitempty"`
	Pooled *Scores `json:"pooled,omitempty"`
}

// Scores are the figures of a model on a participant's own test rows, and its
// mean log-likelihood.
type Scores struct {
	ROCAUC Figure `json:"roc_auc,omitzero"`
	PRAUC  Figure `json:"pr_auc,omitzero"`
	Loglik Figure `json:"loglik,omitzero"`
	// ARI and Silhouette are of Clusters, which only fedgem has.
	ARI        Figure `json:"ari,omitzero"`
	Silhouette Figure `json:"silhouette,omitzero"`
	Clusters   int    `json:"clusters,omitempty"`
	// Accuracy and CrossEntropy are of classifiers.
	Accuracy     Figure `json:"accuracy,omitzero"`
	CrossEntropy Figure `json:"cross_entropy,omitzero"`
}

// LeftOut is a participant that was not let in.
type LeftOut struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
}

// Consensus says how the sums were made. What the scheme does not have is absent.
type Consensus struct {
	Scheme              string  `json:"scheme"`
	Step                string  `json:"step,omitempty"`
	Graph               string  `json:"graph,omitempty"`
	Degree              int     `json:"degree,omitempty"`
	Fan                 int     `json:"fan,omitempty"` // k, the messages that a member exchanges per step
	IterationsPredicted int     `json:"iterations_predicted"`
	Iterations          int     `json:"iterations"`
	Error               float64 `json:"error"` // largest ‖own − adopted‖₂ / ‖adopted‖₂
}

// Protection says how the vectors in the sums were hidden.
type Protection struct {
	Mode            string   `json:"mode"`
	Chunks          int      `json:"chunks,omitempty"`           // a vector, the one at home included; or its lanes
	Threshold       int      `json:"threshold,omitempty"`        // lanes that are enough, with shares
	Colluders       int      `json:"colluders,omitempty"`        // of the prediction
	BreachPredicted *float64 `json:"breach_predicted,omitempty"` // probability that they learn another member's vector of a sum
	// PadBreachPredicted is the probability that they can rebuild a member's pad, in
	// large rosters. What an attempt that is given up shows stays hidden as long as
	// one pad of a component does.
	PadBreachPredicted *float64 `json:"pad_breach_predicted,omitempty"`
	Adversary          []string `json:"adversary,omitempty"`               // the members that worked together
	BreachMeasured     *float64 `json:"breach_measured,omitempty"`         // share of the others whose vector they recovered in any round
	BreachPerSum       *float64 `json:"breach_measured_per_sum,omitempty"` // mean share of the others whose vector they recovered in a sum, as predicted
	// PastRun is an earlier run whose totals tell something together with those of this one;
	// nil if there is none.
	PastRun *PastRun `json:"past_run,omitempty"`
	// Differencing is what subtracting totals shows; nil unless it was tried.
	Differencing *Differencing `json:"differencing,omitempty"`
}

// Differencing is what differences of totals show: the training rows, each to within .01
// standard deviations of every column, and whole members.
type Differencing struct {
	Rows   int `json:"rows"`
	Start  int `json:"start"`  // of these, those from the start
	Rounds int `json:"rounds"` // those from the rounds
	Chance int `json:"chance"` // made-up rows, as dense as the true ones, that count as read
	Of     int `json:"of"`     // all training rows
	// Recovered names the members whose number of rows is known to half a row and whose
	// mean to a thousandth of a standard deviation.
	Recovered []string `json:"recovered"`
	// ErrorMedian is the median error of the reading of a member, as a share of that of
	// guessing an equal part of the total.
	ErrorMedian float64 `json:"error_median"`
}

// Diversity is the entropy ℓ-diversity E^s of Eq. (48) of Idé et al. 2024 in the last
// round. For several participants each value is the smallest over them.
type Diversity = algorithm.Diversity

// Round is what a participant saw of a round.
type Round struct {
	Round     int     `json:"round"`
	Objective float64 `json:"objective"` // before the round's step
	// Diversity is that of what the participant contributed; nil if the kind has none.
	Diversity *Diversity `json:"diversity,omitempty"`
	// LowDiversity is what the round has done about components with too few of the own rows.
	LowDiversity []algorithm.LowDiversity `json:"low_diversity,omitempty"`
	// Encoder is the participant's own; nil if the kind has none, or in rounds in which it
	// was not measured.
	Encoder *Encoder `json:"encoder,omitempty"`
	// Weighting is the participant's own; nil if all weigh alike.
	Weighting *Weighting `json:"weighting,omitempty"`
}

// RoundOf returns what a participant reports of a round.
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

// Weighting is how much a participant counts in means of models, and why.
type Weighting struct {
	Name   string  `json:"name,omitempty"` // where there are those of several
	Weight float64 `json:"weight"`         // those of all add up to 1
	// Discrepancy is how unlike all others' its data are, if that is looked at.
	Discrepancy Figure `json:"discrepancy,omitzero"`
	// ByRows says that the rule left no participant a weight, and that the weight is the
	// share of the rows therefore.
	ByRows bool `json:"by_rows,omitempty"`
}

// Encoder says what a participant's encoder tells of its own rows.
type Encoder = algorithm.Encoder

// View says who took part from a round on.
type View struct {
	Round   int       `json:"round"`
	Attempt int       `json:"attempt"`
	Members []string  `json:"members"`
	Missing []Missing `json:"missing"`
	// Count is how many members there were where their names, and those who were
	// missing, stand elsewhere.
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

// RosterChange names the members that were added to the roster and removed from it after round
// After, or says that the run was paused or resumed then.
type RosterChange struct {
	After   int      `json:"after_round"`
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
	Paused  bool     `json:"paused,omitempty"`
	Resumed bool     `json:"resumed,omitempty"`
}

// Missing is a member that is not in a view.
type Missing struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Evaluation is what evaluate prints.
type Evaluation struct {
	Rows   int    `json:"rows"`
	ROCAUC Figure `json:"roc_auc,omitzero"`
	PRAUC  Figure `json:"pr_auc,omitzero"`
	ARI    Figure `json:"ari,omitzero"`
	Loglik Figure `json:"loglik,omitzero"`
	// FalseAlarms is the share of the normal rows above the threshold, Detected that of the
	// anomalies.
	FalseAlarms Figure `json:"false_alarms,omitzero"`
	Detected    Figure `json:"detected,omitzero"`

	Silhouette Figure `json:"silhouette,omitzero"` // of clusters

	// Accuracy and so on are of classifiers, whose ROCAUC is the mean over classes.
	Accuracy     Figure   `json:"accuracy,omitzero"`
	CrossEntropy Figure   `json:"cross_entropy,omitzero"`
	Recall       []Figure `json:"recall,omitempty"` // by class
}
