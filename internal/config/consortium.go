package config

import (
	"fmt"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/consensus/graph"
	"github.com/collabdict/collabdict/consensus/session"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/internal/task"
)

// Consortium is the agreement of all members.
type Consortium struct {
	Version   int       `yaml:"version"`
	Members   []Member  `yaml:"members"` // that a run begins with
	Changes   []Change  `yaml:"changes,omitempty"`
	Columns   []string  `yaml:"columns"`
	Model     Model     `yaml:"model"`
	Consensus Consensus `yaml:"consensus"`
}

// Member is one member of a consortium.
type Member struct {
	Name  string   `yaml:"name"`
	ID    string   `yaml:"id"`    // libp2p peer ID
	Addrs []string `yaml:"addrs"` // multiaddrs
}

// Change is made to the members during a run, each after those before it.
type Change struct {
	Add       []Member `yaml:"add,omitempty"`
	Remove    []string `yaml:"remove,omitempty"`    // names
	Quorum    *int     `yaml:"quorum,omitempty"`    // from then on; absent: as before
	Colluders *int     `yaml:"colluders,omitempty"` // from then on; absent: as before
}

// Model is what is learned.
type Model struct {
	Kind        string      `yaml:"kind"`
	Components  int         `yaml:"components"`
	Most        int         `yaml:"most_components,omitempty"`
	Rounds      int         `yaml:"rounds"`
	Tol         float64     `yaml:"tol"`
	Covariance  string      `yaml:"covariance,omitempty"`
	Synthetic   int         `yaml:"synthetic,omitempty"`
	Start       string      `yaml:"start,omitempty"`
	MinRows     int         `yaml:"min_rows,omitempty"`
	LocalSteps  int         `yaml:"local_steps,omitempty"`
	Radius      string      `yaml:"radius,omitempty"`
	Final       string      `yaml:"final,omitempty"`
	Latent      int         `yaml:"latent,omitempty"`
	Hidden      []int       `yaml:"hidden,omitempty,flow"`
	Batch       int         `yaml:"batch,omitempty"`
	Rate        float64     `yaml:"rate,omitempty"`
	Aggressive  int         `yaml:"aggressive,omitempty"`
	Classes     int         `yaml:"classes,omitempty"`
	Dropout     float64     `yaml:"dropout,omitempty"`
	Beta        float64     `yaml:"beta,omitempty"`
	Epochs      int         `yaml:"epochs,omitempty"`
	Condition   string      `yaml:"condition,omitempty"`
	Weights     string      `yaml:"weights,omitempty"`
	Effect      float64     `yaml:"effect,omitempty"`
	Offset      string      `yaml:"offset,omitempty"`
	Debias      bool        `yaml:"debias,omitempty"`
	WeighEvery  int         `yaml:"weigh_every,omitempty"`
	Publish     bool        `yaml:"publish_weights,omitempty"`
	Epsilon     float64     `yaml:"epsilon,omitempty"`
	Delta       float64     `yaml:"delta,omitempty"`
	Clip        float64     `yaml:"clip,omitempty"`
	Lambda0     float64     `yaml:"lambda0,omitempty"`
	Rho         float64     `yaml:"rho,omitempty"`
	Seed        uint64      `yaml:"seed"`
	Standardise string      `yaml:"standardise"`
	Normalise   string      `yaml:"normalise,omitempty"`
	PCA         int         `yaml:"pca,omitempty"`
	Ranges      task.Ranges `yaml:"ranges,omitempty"`
	FalseAlarm  float64     `yaml:"false_alarm"`
	Init        string      `yaml:"init,omitempty"` // file, relative to this one
}

// Consensus is how sums are made and protected.
type Consensus struct {
	Scheme     string  `yaml:"scheme"`
	Step       string  `yaml:"step,omitempty"`
	Graph      string  `yaml:"graph,omitempty"`
	Degree     int     `yaml:"degree,omitempty"`
	Tolerance  float64 `yaml:"tolerance,omitempty"`
	Fan        int     `yaml:"fan,omitempty"`
	Parity     bool    `yaml:"parity,omitempty"`
	Protect    string  `yaml:"protect"`
	Chunks     int     `yaml:"chunks,omitempty"`
	FullChunks bool    `yaml:"full_chunks,omitempty"`
	Threshold  int     `yaml:"threshold,omitempty"`
	Quorum     int     `yaml:"quorum,omitempty"`
	Colluders  int     `yaml:"colluders,omitempty"`
	Recover    string  `yaml:"recover,omitempty"`
	LoneChange string  `yaml:"on_lone_change,omitempty"`
}

func newConsensus(s consensus.Settings) Consensus {
	return Consensus{
		Scheme: string(s.Scheme), Step: string(s.Step), Graph: string(s.Graph), Degree: s.Degree, Tolerance: s.Tolerance,
		Fan: s.Fan, Parity: s.Parity, Protect: string(s.Protect), Chunks: s.Chunks, FullChunks: s.Full,
		Threshold: s.Threshold, Quorum: s.Quorum, Colluders: s.Colluders, Recover: string(s.Recover), LoneChange: string(s.OnLoneChange),
	}
}

func (c Consensus) settings() consensus.Settings {
	return consensus.Settings{
		Scheme: consensus.Scheme(c.Scheme), Step: session.Step(c.Step), Graph: graph.Kind(c.Graph), Degree: c.Degree, Tolerance: c.Tolerance,
		Fan: c.Fan, Parity: c.Parity, Protect: chunking.Mode(c.Protect), Chunks: c.Chunks, Full: c.FullChunks,
		Threshold: c.Threshold, Quorum: c.Quorum, Colluders: c.Colluders, Recover: consensus.Recovery(c.Recover), OnLoneChange: consensus.LoneChange(c.LoneChange),
	}
}

// NewConsortium returns the agreement of a task. The file of a given start is
// entered by the caller.
func NewConsortium(t task.Task, columns []string, members []Member) *Consortium {
	return &Consortium{
		Version: Version, Members: members, Columns: columns,
		Model: Model{
			Kind: string(t.Model), Components: t.Components, Rounds: t.Rounds, Tol: t.Tol,
			Most: t.MostComponents, Covariance: t.Covariance, Synthetic: t.Synthetic, Start: string(t.Start), MinRows: t.LeastRows(),
			LocalSteps: t.LocalSteps, Radius: t.Radius, Final: t.Final,
			Latent: t.Networks.Latent, Hidden: t.Networks.Hidden, Batch: t.Networks.Batch, Rate: t.Networks.Rate, Aggressive: t.Networks.Aggressive,
			Classes: t.Networks.Classes, Dropout: t.Networks.Dropout,
			Beta: t.Networks.Beta, Epochs: t.Networks.Epochs, Condition: t.Networks.Condition,
			Weights: string(t.Weighting.Weights), Effect: t.Weighting.Effect, Offset: t.Weighting.Offset, Debias: t.Weighting.Debias,
			WeighEvery: t.Weighting.Every, Publish: t.Weighting.Publish,
			Epsilon: t.Privacy.Epsilon, Delta: t.Privacy.Delta, Clip: t.Privacy.Clip,
			Lambda0: t.Lambda0, Rho: t.Rho, Seed: t.Seed,
			Standardise: string(t.Standardise), Normalise: string(t.Normalise), Ranges: t.Ranges, PCA: t.PCA, FalseAlarm: t.FalseAlarm,
		},
		Consensus: newConsensus(t.Settings),
	}
}

// Task returns the task that the members agree on, without the given start.
func (c *Consortium) Task() task.Task {
	m := c.Model
	return task.Task{
		Model: model.Kind(m.Kind), Components: m.Components, Rounds: m.Rounds, Tol: m.Tol,
		MostComponents: m.Most, Covariance: m.Covariance, Synthetic: m.Synthetic, Start: task.Start(m.Start), MinRows: m.MinRows,
		LocalSteps: m.LocalSteps, Radius: m.Radius, Final: m.Final,
		Networks:  task.Networks{Latent: m.Latent, Hidden: m.Hidden, Batch: m.Batch, Rate: m.Rate, Aggressive: m.Aggressive, Beta: m.Beta, Epochs: m.Epochs, Condition: m.Condition, Classes: m.Classes, Dropout: m.Dropout},
		Weighting: task.Weighting{Weights: task.Weights(m.Weights), Effect: m.Effect, Offset: m.Offset, Debias: m.Debias, Every: m.WeighEvery, Publish: m.Publish},
		Privacy:   task.Privacy{Epsilon: m.Epsilon, Delta: m.Delta, Clip: m.Clip},
		Lambda0:   m.Lambda0, Rho: m.Rho, Seed: m.Seed,
		Standardise: task.Standardise(m.Standardise), Normalise: task.Normalise(m.Normalise), Ranges: m.Ranges, PCA: m.PCA, FalseAlarm: m.FalseAlarm,
		Settings: c.Consensus.settings(),
	}
}

// standard is another word for what is done if an agreement says nothing of it.
const standard = "standard"

// ReadConsortium reads an agreement.
func ReadConsortium(path string) (*Consortium, error) {
	c := &Consortium{}
	if err := read(path, c, "every member needs the agreement of its consortium"); err != nil {
		return nil, err
	}
	if err := checkVersion(path, c.Version); err != nil {
		return nil, err
	}
	if c.Model.Normalise == standard {
		c.Model.Normalise = ""
	}
	switch {
	case len(c.Members) < 2:
		return nil, &Error{path, fmt.Sprintf("members: want at least 2, got %d", len(c.Members)), "list every member with its name, id and addrs"}
	case len(c.Columns) == 0:
		return nil, &Error{path, "columns: want at least 1, got none", "list the features that all members have"}
	}
	if err := c.Consensus.settings().Validate(len(c.Members)); err != nil {
		return nil, &Error{path, "consensus: " + err.Error(), "correct the file"}
	}
	return c, nil
}

// Write writes the agreement.
func (c *Consortium) Write(path string) error { return write(path, c) }
