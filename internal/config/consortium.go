package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/consensus/graph"
	"github.com/collabdict/collabdict/consensus/session"
	"github.com/collabdict/collabdict/internal/pipeline"
	"github.com/collabdict/collabdict/option"
	"go.yaml.in/yaml/v3"
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

// Model is what is learned: an algorithm by its name, its options, and how rows are
// prepared, by the keys of their options.
type Model struct {
	Kind    string               `yaml:"kind"`
	Ranges  pipeline.Ranges      `yaml:"ranges,omitempty"`
	Options map[string]yaml.Node `yaml:",inline"`
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

// NewConsortium returns the agreement of a task. The path of a file in it is the caller's.
func NewConsortium(t *pipeline.Task, columns []string, members []Member) (*Consortium, error) {
	c := &Consortium{
		Version: Version, Members: members, Columns: columns,
		Model:     Model{Kind: t.Kind.Name, Ranges: t.Ranges, Options: map[string]yaml.Node{}},
		Consensus: newConsensus(t.Settings),
	}
	for _, e := range slices.Concat(t.Options.Entries(), t.Shared.Entries()) {
		var n yaml.Node
		if err := n.Encode(e.Value); err != nil {
			return nil, err
		}
		if n.Kind == yaml.SequenceNode {
			n.Style = yaml.FlowStyle
		}
		c.Model.Options[e.Key] = n
	}
	return c, nil
}

// Task returns the task that the members agree on, not yet complete. Files that it names
// are not read.
func (c *Consortium) Task() (*pipeline.Task, error) {
	t, err := pipeline.Named(c.Model.Kind)
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	for k, n := range c.Model.Options {
		var v any
		if err := n.Decode(&v); err != nil {
			return nil, err
		}
		values[k] = v
		if n.Kind == yaml.ScalarNode {
			values[k] = n.Value // numbers as they are written
		}
	}
	all := slices.Concat(t.Options, t.Shared)
	unknown, err := all.Load(values)
	if err != nil {
		return nil, err
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		n := c.Model.Options[unknown[0]]
		return nil, option.Errorf("model", "line %d: unknown field %q; the model %s has %s", n.Line, unknown[0], t.Kind.Name, strings.Join(keysOf(all), ", "))
	}
	t.Ranges, t.Settings = c.Model.Ranges, c.Consensus.settings()
	return t, nil
}

func keysOf(t option.Table) []string {
	names := t.Names()
	for i, n := range names {
		names[i] = strings.ReplaceAll(n, "-", "_")
	}
	return names
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
	}
	if err := c.Consensus.settings().Validate(len(c.Members)); err != nil {
		return nil, &Error{path, "consensus: " + err.Error(), "correct the file"}
	}
	return c, nil
}

// Write writes the agreement.
func (c *Consortium) Write(path string) error { return write(path, c) }
