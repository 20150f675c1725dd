package config

import (
	"fmt"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/consensus/graph"
	"github.com/collabdict/collabdict/internal/model"
	"github.com/collabdict/collabdict/internal/task"
)

// Consortium is the agreement of all members.
type Consortium struct {
	Version   int       `yaml:"version"`
	Members   []Member  `yaml:"members"`
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

// Model is what is learned.
type Model struct {
	Kind        string  `yaml:"kind"`
	Components  int     `yaml:"components"`
	Rounds      int     `yaml:"rounds"`
	Tol         float64 `yaml:"tol"`
	Lambda0     float64 `yaml:"lambda0"`
	Rho         float64 `yaml:"rho,omitempty"`
	Seed        uint64  `yaml:"seed"`
	Standardise string  `yaml:"standardise"`
	FalseAlarm  float64 `yaml:"false_alarm"`
	Init        string  `yaml:"init,omitempty"` // file, relative to this one
}

// Consensus is how sums are made and protected.
type Consensus struct {
	Scheme    string  `yaml:"scheme"`
	Step      string  `yaml:"step"`
	Graph     string  `yaml:"graph"`
	Degree    int     `yaml:"degree,omitempty"`
	Tolerance float64 `yaml:"tolerance,omitempty"`
	Protect   string  `yaml:"protect"`
	Chunks    int     `yaml:"chunks,omitempty"`
}

// NewConsortium returns the agreement of a task. The file of a given start is
// entered by the caller.
func NewConsortium(t task.Task, columns []string, members []Member) *Consortium {
	s := t.Settings
	return &Consortium{
		Version: Version, Members: members, Columns: columns,
		Model: Model{
			Kind: string(t.Model), Components: t.Components, Rounds: t.Rounds, Tol: t.Tol,
			Lambda0: t.Lambda0, Rho: t.Rho, Seed: t.Seed,
			Standardise: string(t.Standardise), FalseAlarm: t.FalseAlarm,
		},
		Consensus: Consensus{
			Scheme: task.Scheme, Step: string(s.Step), Graph: string(s.Graph), Degree: s.Degree,
			Tolerance: s.Tolerance, Protect: string(s.Protect), Chunks: s.Chunks,
		},
	}
}

// Task returns the task that the members agree on, without the given start.
func (c *Consortium) Task() task.Task {
	m, s := c.Model, c.Consensus
	return task.Task{
		Model: model.Kind(m.Kind), Components: m.Components, Rounds: m.Rounds, Tol: m.Tol,
		Lambda0: m.Lambda0, Rho: m.Rho, Seed: m.Seed,
		Standardise: task.Standardise(m.Standardise), FalseAlarm: m.FalseAlarm,
		Settings: consensus.Settings{
			Step: consensus.StepRule(s.Step), Graph: graph.Kind(s.Graph), Degree: s.Degree,
			Tolerance: s.Tolerance, Protect: chunking.Mode(s.Protect), Chunks: s.Chunks,
		},
	}
}

// ReadConsortium reads an agreement.
func ReadConsortium(path string) (*Consortium, error) {
	c := &Consortium{}
	if err := read(path, c, "every member needs the agreement of its consortium"); err != nil {
		return nil, err
	}
	if err := checkVersion(path, c.Version); err != nil {
		return nil, err
	}
	switch {
	case len(c.Members) < 2:
		return nil, &Error{path, fmt.Sprintf("members: want at least 2, got %d", len(c.Members)), "list every member with its name, id and addrs"}
	case len(c.Columns) == 0:
		return nil, &Error{path, "columns: want at least 1, got none", "list the features that all members have"}
	case c.Consensus.Scheme != task.Scheme:
		return nil, &Error{path, fmt.Sprintf("consensus: scheme: want %q, got %q", task.Scheme, c.Consensus.Scheme), "correct the file"}
	}
	return c, nil
}

// Write writes the agreement.
func (c *Consortium) Write(path string) error { return write(path, c) }
