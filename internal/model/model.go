package model

import (
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/report"
	"gonum.org/v1/gonum/mat"
)

// Version is the version of the model files that this package writes, and the
// only one that it reads.
const Version = 1

// Kind names what a model file holds.
type Kind string

// GGM is the sparse Gaussian-graphical mixture.
const GGM Kind = "ggm"

// Model is a participant's trained model: what it scores rows with, and where it
// came from.
type Model struct {
	Manifest Manifest
	Scaling  dataset.Scaling
	Mixture  *gmm.Mixture
}

// Manifest describes a model.
type Manifest struct {
	Format      string   `json:"format"` // "collabdict model"
	Version     int      `json:"version"`
	Kind        Kind     `json:"kind"`
	Participant string   `json:"participant"`
	Columns     []string `json:"columns"`
	Standardise string   `json:"standardise"` // global, own or none
	// Threshold is the score above which a row is an anomaly: the 1-FalseAlarm
	// quantile of the participant's own training scores.
	Threshold  float64 `json:"threshold"`
	FalseAlarm float64 `json:"false_alarm"`

	Hyper Hyper `json:"hyper_parameters"`

	Rounds    int           `json:"rounds"`
	Converged bool          `json:"converged"`
	Objective report.Figure `json:"objective,omitzero"`
	Rows      int           `json:"rows"`       // the participant's own
	TotalRows int           `json:"total_rows"` // of all participants
	Views     []report.View `json:"views"`
	// Run is the file, seen from the model's, with the names of the views and the lone
	// changes, where there are too many for each model.
	Run     string `json:"run,omitempty"`
	Digest  string `json:"digest,omitempty"` // of what the last optimize was given
	Privacy Ledger `json:"privacy"`
}

// Hyper are the hyper-parameters, as all participants agreed on them.
type Hyper struct {
	Components int     `json:"components"`
	Rounds     int     `json:"rounds"` // at most
	Tol        float64 `json:"tol"`
	Lambda0    float64 `json:"lambda0"`
	Rho        float64 `json:"rho"` // as used
	Seed       uint64  `json:"seed"`
}

// Ledger says what the training told others, and how well it was hidden.
type Ledger struct {
	Protection report.Protection `json:"protection"`
	// Published lists what members showed each other in the clear.
	Published []string `json:"published"`
	// Diversity is that of the last round, LeastDiversity the smallest of all
	// rounds and both kinds of weights, in nats.
	Diversity      report.Diversity `json:"diversity"`
	LeastDiversity float64          `json:"least_diversity"`
	History        []report.Round   `json:"history"`
	// LoneChanges are pairs of sums that differ by few members.
	LoneChanges []report.LoneChange `json:"lone_changes,omitempty"`
}

// Score returns the anomaly scores of Eq. (19) of Idé et al. 2024 of rows in the
// units of the data.
func (m *Model) Score(rows *mat.Dense) []float64 {
	return m.Mixture.Scores(nil, m.Scaling.Apply(rows))
}
