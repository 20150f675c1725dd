package report

import "github.com/collabdict/collabdict/algorithm"

// Run is the result of a training: of all participants if one process knows them, otherwise of
// the own node.
type Run struct {
	Model        string        `json:"model"`
	Participants []Participant `json:"participants"`
	LeftOut      []LeftOut     `json:"left_out,omitempty"` // participants with too few rows
	Rounds       int           `json:"rounds"`
	SetupRounds  int           `json:"setup_rounds"`
	Converged    bool          `json:"converged"`
	Seed         uint64        `json:"seed"`
	Objective    Figure        `json:"objective,omitzero"`
	Loglik       Figure        `json:"loglik,omitzero"` // mean per row, each under its owner's model
	ROCAUC       Figure        `json:"roc_auc,omitzero"`
	PRAUC        Figure        `json:"pr_auc,omitzero"`
	ARI          Figure        `json:"ari,omitzero"`
	Silhouette   Figure        `json:"silhouette,omitzero"`
	Accuracy     Figure        `json:"accuracy,omitzero"`
	CrossEntropy Figure        `json:"cross_entropy,omitzero"`
	Baselines    *Baselines    `json:"baselines,omitempty"` // means over participants
	Shared       *Scores       `json:"shared,omitempty"`    // means of scores by the shared model
	Alone        *Scores       `json:"alone,omitempty"`     // means of scores by the own models
	Clusters     int           `json:"clusters,omitempty"`
	PCA          *PCA          `json:"pca,omitempty"`       // nil without a projection
	Selection    *Selection    `json:"selection,omitempty"` // of fedgen
	Choice       []Judged      `json:"choice,omitempty"`    // of ggm, if there was one
	BytesSent    int64         `json:"bytes_sent"`          // a participant, mean
	Messages     int64         `json:"messages"`            // a participant, mean
	Consensus    Consensus     `json:"consensus"`
	Protection   Protection    `json:"protection"`
	Diversity    *Diversity    `json:"diversity,omitempty"`
	Epsilon      float64       `json:"epsilon,omitempty"` // ε of differential privacy, with Delta
	Delta        float64       `json:"delta,omitempty"`
	Views        []View        `json:"views"`
	LoneChanges  []LoneChange  `json:"lone_changes,omitempty"`
	OpenSeats    bool          `json:"open_seats,omitempty"` // anyone could be a member
	// RosterChanges are agreed changes of the members.
	RosterChanges []RosterChange `json:"roster_changes,omitempty"`
	// Ledger has an entry for each kind of value that the run has revealed.
	Ledger   []Entry  `json:"ledger,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	// Kernels are the processor instructions of matrix computations.
	Kernels string  `json:"kernels"`
	Seconds float64 `json:"seconds"`
}

// Participant is the result of one participant.
type Participant struct {
	Name       string `json:"name"`
	Rows       int    `json:"rows"` // trained on
	ROCAUC     Figure `json:"roc_auc,omitzero"`
	PRAUC      Figure `json:"pr_auc,omitzero"`
	Loglik     Figure `json:"loglik,omitzero"` // mean per training row of LoglikRows
	LoglikRows string `json:"loglik_rows,omitempty"`
	ARI        Figure `json:"ari,omitzero"`
	Silhouette Figure `json:"silhouette,omitzero"`
	// Accuracy and the next fields are for classifiers; their ROCAUC is the mean over classes.
	Accuracy     Figure   `json:"accuracy,omitzero"`
	CrossEntropy Figure   `json:"cross_entropy,omitzero"`
	Recall       []Figure `json:"recall,omitempty"` // by class
	// OwnClusters maps each own component to its cluster, from 1; only fedgem has them.
	OwnClusters []int      `json:"own_clusters,omitempty"`
	Baselines   *Baselines `json:"baselines,omitempty"`
	// Shared and Alone are the figures of scores by the shared model, and by the model of the
	// own rows alone. If they are present, the figures above are those of the blend.
	Shared    *Scores    `json:"shared,omitempty"`
	Alone     *Scores    `json:"alone,omitempty"`
	HeldOut   *HeldOut   `json:"held_out,omitempty"`
	Diversity *Diversity `json:"diversity,omitempty"`
	Encoder   *Encoder   `json:"encoder,omitempty"`   // in the last round
	Weighting *Weighting `json:"weighting,omitempty"` // of bvae, in the last round
	History   []Round    `json:"history,omitempty"`   // one entry per round
	ModelFile string     `json:"model_file,omitempty"`
	Digest    string     `json:"digest,omitempty"` // digest of the last input of optimize
	Left      string     `json:"left,omitempty"`   // why it is not in the last view
}

// Baselines are the figures of the same model trained otherwise: by a participant alone, or on
// all rows in one place.
type Baselines struct {
	Alone  *Scores `json:"alone,omitempty"`
	Pooled *Scores `json:"pooled,omitempty"`
}

// Scores are the figures of a model on a participant's own test rows, and its mean
// log-likelihood.
type Scores struct {
	ROCAUC Figure `json:"roc_auc,omitzero"`
	PRAUC  Figure `json:"pr_auc,omitzero"`
	Loglik Figure `json:"loglik,omitzero"`
	// ARI and Silhouette are figures of Clusters, which only fedgem has.
	ARI        Figure `json:"ari,omitzero"`
	Silhouette Figure `json:"silhouette,omitzero"`
	Clusters   int    `json:"clusters,omitempty"`
	// Accuracy and CrossEntropy are for classifiers.
	Accuracy     Figure `json:"accuracy,omitzero"`
	CrossEntropy Figure `json:"cross_entropy,omitzero"`
}

// LeftOut is a participant with too few rows.
type LeftOut struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
}

// Consensus describes how sums were made. Fields that a scheme does not have are absent.
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

// Protection describes how the vectors in sums were hidden.
type Protection struct {
	Mode            string   `json:"mode"`
	Chunks          int      `json:"chunks,omitempty"`           // chunks per vector, the one kept at home included; or lanes
	Threshold       int      `json:"threshold,omitempty"`        // number of lanes that suffice, with shares
	Colluders       int      `json:"colluders,omitempty"`        // of the prediction
	BreachPredicted *float64 `json:"breach_predicted,omitempty"` // probability that the colluders recover another member's vector in a sum
	// PadBreachPredicted is the probability that they can rebuild a member's pad, in large
	// rosters. What an abandoned attempt shows stays hidden as long as one pad of a component
	// does.
	PadBreachPredicted *float64 `json:"pad_breach_predicted,omitempty"`
	Adversary          []string `json:"adversary,omitempty"`               // members that worked together
	BreachMeasured     *float64 `json:"breach_measured,omitempty"`         // share of the others whose vector they recovered in any round
	BreachPerSum       *float64 `json:"breach_measured_per_sum,omitempty"` // mean share of the others whose vector they recovered per sum, comparable to the prediction
	// PastRun is an earlier run whose totals reveal something together with those of this run;
	// nil if there is none.
	PastRun *PastRun `json:"past_run,omitempty"`
	// Differencing is what subtracting totals reveals; nil unless it was tried.
	Differencing *Differencing `json:"differencing,omitempty"`
}

// Differencing counts what differences of totals reveal: training rows, each to within 0.01
// standard deviations in every column, and whole members.
type Differencing struct {
	Rows   int `json:"rows"`
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
}

// Diversity is the entropy ℓ-diversity E^s of Eq. (48) of Idé et al. 2024 in the last round.
// For several participants, each value is the minimum over them.
type Diversity = algorithm.Diversity

// Round has a participant's figures of a round.
type Round struct {
	Round     int     `json:"round"`
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
	Round   int       `json:"round"`
	Attempt int       `json:"attempt"`
	Members []string  `json:"members"`
	Missing []Missing `json:"missing"`
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
	After   int      `json:"after_round"`
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
	Paused  bool     `json:"paused,omitempty"`
	Resumed bool     `json:"resumed,omitempty"`
}

// Missing is a member outside a view.
type Missing struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Evaluation is the result of evaluate.
type Evaluation struct {
	Rows   int    `json:"rows"`
	ROCAUC Figure `json:"roc_auc,omitzero"`
	PRAUC  Figure `json:"pr_auc,omitzero"`
	ARI    Figure `json:"ari,omitzero"`
	Loglik Figure `json:"loglik,omitzero"`
	// FalseAlarms is the share of normal rows above the threshold, Detected that of anomalies.
	FalseAlarms Figure `json:"false_alarms,omitzero"`
	Detected    Figure `json:"detected,omitzero"`

	Silhouette Figure `json:"silhouette,omitzero"` // of clusters

	// Accuracy and the next fields are for classifiers; their ROCAUC is the mean over classes.
	Accuracy     Figure   `json:"accuracy,omitzero"`
	CrossEntropy Figure   `json:"cross_entropy,omitzero"`
	Recall       []Figure `json:"recall,omitempty"` // by class
}
