package model

import (
	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/pca"
	"github.com/collabdict/collabdict/internal/report"
	"gonum.org/v1/gonum/mat"
)

// Version is the newest version of model files. Those without principal axes are
// written as version 1, which older programs read, too.
const (
	Version     = 2
	withoutAxes = 1
)

// Kind names what a model file holds.
type Kind string

// The kinds of models: mixtures that are learned in different ways, and networks.
const (
	GGM    Kind = "ggm"    // of sparse Gaussian graphical models, by private sums
	FedGen Kind = "fedgen" // of Gaussians, in one round from the participants' own
	DEM    Kind = "dem"    // of Gaussians, by private sums
	FedGEM Kind = "fedgem" // of clusters whose number nobody knew
	MTVAE  Kind = "mtvae"  // no mixture: networks, a shared decoder and an encoder of its own
	BVAE   Kind = "bvae"   // no mixture: networks, all shared
	CGAU   Kind = "cgau"   // a classifier: a shared network and conditions of its own
)

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{GGM, FedGen, DEM, FedGEM, MTVAE, BVAE, CGAU} }

// KindNames lists all kinds in words.
func KindNames() string { return "ggm, fedgen, dem, fedgem, mtvae, bvae or cgau" }

// Model is a participant's trained model: what it scores rows with, and where it
// came from.
type Model struct {
	Manifest Manifest
	Scaling  dataset.Scaling
	// Projection, if not nil, follows the scaling.
	Projection *pca.Projection
	Scorer     Scorer     // nil of kinds that classify
	Classifier Classifier // nil of kinds that score
	// Own are the participant's own components where these say which component of
	// Scorer a row is of; nil where Scorer itself does, if it has any.
	Own *Own
}

// Manifest describes a model.
type Manifest struct {
	Format      string   `json:"format"` // "collabdict model"
	Version     int      `json:"version"`
	Kind        Kind     `json:"kind"`
	Participant string   `json:"participant"`
	Columns     []string `json:"columns"`
	Standardise string   `json:"standardise"` // global, own, agreed or none
	// Normalise is minmax where columns were brought to the range from 0 to 1; empty
	// means to mean 0 and variance 1, unless Standardise is none.
	Normalise string `json:"normalise,omitempty"`
	// PCA is of the axes that rows are projected to; nil if they are not.
	PCA *report.PCA `json:"pca,omitempty"`
	// Covariance is the form of the covariance matrices, as gmm.Covariance writes it;
	// empty means full.
	Covariance string `json:"covariance,omitempty"`
	// Threshold is the score above which a row is an anomaly: the 1-FalseAlarm
	// quantile of the participant's own training scores. Kinds that classify have none.
	Threshold  float64 `json:"threshold,omitzero"`
	FalseAlarm float64 `json:"false_alarm,omitzero"`

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
	Components     int     `json:"components"` // the fewest, if there are MostComponents; 0: each its own number, or with networks none
	MostComponents int     `json:"most_components,omitempty"`
	Rounds         int     `json:"rounds"` // at most
	Tol            float64 `json:"tol"`
	Lambda0        float64 `json:"lambda0,omitempty"`
	Rho            float64 `json:"rho,omitempty"` // as used
	Synthetic      int     `json:"synthetic,omitempty"`
	Start          string  `json:"start,omitempty"`
	MinRows        int     `json:"min_rows,omitempty"`
	LocalSteps     int     `json:"local_steps,omitempty"`
	Radius         string  `json:"radius,omitempty"`
	Final          string  `json:"final,omitempty"`
	Epsilon        float64 `json:"epsilon,omitempty"`
	Delta          float64 `json:"delta,omitempty"`
	Clip           float64 `json:"clip,omitempty"`
	// Latent, Hidden and so on are of networks.
	Latent     int     `json:"latent,omitempty"`
	Hidden     []int   `json:"hidden,omitempty"`
	Batch      int     `json:"batch,omitempty"`
	Rate       float64 `json:"rate,omitempty"`
	Aggressive int     `json:"aggressive,omitempty"`
	Classes    int     `json:"classes,omitempty"` // as agreed
	Dropout    float64 `json:"dropout,omitempty"`
	Momentum   float64 `json:"momentum,omitempty"`
	Beta       float64 `json:"beta,omitempty"`
	Epochs     int     `json:"epochs,omitempty"`
	Condition  string  `json:"condition,omitempty"` // cgau: hidden layers have conditions
	// Weights, and what follows, say how bvae weights its participants.
	Weights        string  `json:"weights,omitempty"`
	Effect         float64 `json:"effect,omitempty"`
	Offset         string  `json:"offset,omitempty"`
	Debias         bool    `json:"debias,omitempty"`
	WeighEvery     int     `json:"weigh_every,omitempty"`
	PublishWeights bool    `json:"publish_weights,omitempty"`
	Seed           uint64  `json:"seed"`
}

// Ledger says what the training told others, and how well it was hidden.
type Ledger struct {
	Protection report.Protection `json:"protection"`
	// Published lists what members showed each other in the clear.
	Published []string `json:"published"`
	// Diversity is that of the last round, LeastDiversity the smallest of all
	// rounds and both kinds of weights, in nats. Only ggm has them.
	Diversity      *report.Diversity `json:"diversity,omitempty"`
	LeastDiversity report.Figure     `json:"least_diversity,omitzero"`
	History        []report.Round    `json:"history"`
	// Weightings are the participants', of bvae, if these have published them.
	Weightings []report.Weighting `json:"weightings,omitempty"`
	// LoneChanges are pairs of sums that differ by few members.
	LoneChanges []report.LoneChange `json:"lone_changes,omitempty"`
}

// Trained returns rows, given in the units of the data and overwritten, in the
// coordinates trained on.
func (m *Model) Trained(x *mat.Dense) *mat.Dense {
	m.Scaling.ApplyTo(x, x)
	if m.Projection == nil {
		return x
	}
	return m.Projection.Apply(x)
}

// Rows is Trained of rows whenever they are read.
func (m *Model) Rows(x dataset.Rows) dataset.Rows {
	z := m.Scaling.Rows(x)
	if m.Projection == nil {
		return z
	}
	return m.Projection.Rows(z)
}

// InUnits returns points in the coordinates trained on, such as the means of components,
// in the units of the data. With a projection they are points of the axes' plane.
func (m *Model) InUnits(means *mat.Dense) *mat.Dense {
	k, _ := means.Dims()
	out := mat.NewDense(k, len(m.Scaling.Scale), nil)
	for c := range k {
		z := means.RawRowView(c)
		if m.Projection != nil {
			z = m.Projection.Back(z)
		}
		for j, v := range z {
			out.Set(c, j, v*m.Scaling.Scale[j]+m.Scaling.Shift[j])
		}
	}
	return out
}
