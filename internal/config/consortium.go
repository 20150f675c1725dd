package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/algorithms"
	"github.com/collabdict/collabdict/internal/files/printable"
	"github.com/collabdict/collabdict/internal/files/strict"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/option"
)

// Consortium is the agreement of all members.
type Consortium struct {
	Version   int                  `yaml:"version"`
	Members   []Member             `yaml:"members"` // members at the beginning of a run
	Changes   []Change             `yaml:"changes,omitempty"`
	BeginAt   string               `yaml:"begin_at,omitempty"` // earliest begin of a run, as RFC 3339; "" for any time
	Columns   []string             `yaml:"columns"`
	Units     map[string]string    `yaml:"units,omitempty"` // units of columns, by name
	Model     Model                `yaml:"model"`
	Consensus map[string]yaml.Node `yaml:"consensus"` // how sums are made and protected, by option
	// Signatures of the members, by name, in base64. They do not cover Changes.
	Signatures map[string]string `yaml:"signatures,omitempty"`
}

// Member is one member of a consortium.
type Member struct {
	Name  string   `yaml:"name"`
	ID    string   `yaml:"id"`    // libp2p peer ID
	Addrs []string `yaml:"addrs"` // multiaddrs
}

// Change is one step in the members' changes during a run: it adds or removes members, or
// pauses or resumes the run.
type Change struct {
	Add       []Member `yaml:"add,omitempty"`
	Remove    []string `yaml:"remove,omitempty"`    // names
	Quorum    *int     `yaml:"quorum,omitempty"`    // from then on; nil for no change
	Colluders *int     `yaml:"colluders,omitempty"` // from then on; nil for no change
	Pause     yes      `yaml:"pause,omitempty"`     // nothing is computed from then on
	Resume    yes      `yaml:"resume,omitempty"`    // until here
}

// yes is true or absent. An explicit false is an error: it could be read as undoing a change.
type yes bool

// UnmarshalYAML accepts only true.
func (y *yes) UnmarshalYAML(n *yaml.Node) error {
	var b bool
	if err := n.Decode(&b); err != nil || !b {
		return errors.New("want " + y.Wanted())
	}
	*y = true
	return nil
}

// Wanted returns the wanted values for error messages.
func (yes) Wanted() string { return "true, or nothing at all" }

// Model holds the name of an algorithm, its options by their keys, and how rows are prepared.
type Model struct {
	Kind    string               `yaml:"kind"`
	Ranges  pipeline.Ranges      `yaml:"ranges,omitempty"`
	Options map[string]yaml.Node `yaml:",inline"`
}

// NewConsortium returns the agreement of a task on participants' columns. Files that the task
// names lie beside it, as in [Consortium.Files].
func NewConsortium(t *pipeline.Task, columns []string, members []Member) (*Consortium, error) {
	c := &Consortium{
		Version: Version, Members: members, Columns: t.DataColumns(columns), Units: t.Units,
		Model:     Model{Kind: t.Kind.Name, Ranges: t.Ranges, Options: map[string]yaml.Node{}},
		Consensus: map[string]yaml.Node{},
	}
	options := slices.Concat(t.Options.Entries(), t.Shared.Entries())
	for name, path := range c.Files(t) {
		for i := range options {
			if options[i].Value == path {
				options[i].Value = name
			}
		}
	}
	return c, errors.Join(encode(c.Model.Options, options), encode(c.Consensus, t.Consensus.Entries()))
}

func encode(to map[string]yaml.Node, entries []option.Entry) error {
	for _, e := range entries {
		var n yaml.Node
		if err := n.Encode(e.Value); err != nil {
			return fmt.Errorf("%s: %w", e.Key, err)
		}
		if n.Kind == yaml.SequenceNode {
			n.Style = yaml.FlowStyle
		}
		to[e.Key] = n
	}
	return nil
}

// Files returns the files that a task names, by their names beside the agreement.
func (*Consortium) Files(t *pipeline.Task) map[string]string {
	files := map[string]string{}
	for _, o := range t.Options {
		if o.Type == "file" && o.Text() != "" {
			files[o.Name+filepath.Ext(o.Text())] = o.Text()
		}
	}
	return files
}

// Task returns the agreed task, not yet complete. It does not read the files that the task
// names.
func (c *Consortium) Task() (*pipeline.Task, error) {
	t, err := pipeline.Named(c.Model.Kind)
	if err != nil {
		return nil, err
	}
	if err := load(slices.Concat(t.Options, t.Shared), c.Model.Options, "model"); err != nil {
		return nil, err
	}
	if err := load(t.Consensus, c.Consensus, "consensus"); err != nil {
		return nil, err
	}
	// As in run: each participant has its own files.
	t.Units, t.Ranges, t.ByDefault = c.Units, c.Model.Ranges, algorithm.Auto
	return t, nil
}

// load sets the options of a table from the fields of a part of the file.
func load(t option.Table, fields map[string]yaml.Node, part string) error {
	values := map[string]any{}
	for k, n := range fields {
		values[k] = n.Value // keeps numbers as written
		if n.Kind == yaml.SequenceNode {
			var v any
			if err := n.Decode(&v); err != nil {
				return option.Errorf(part, "line %d: %s: %v", n.Line, k, err)
			}
			values[k] = v
		}
	}
	unknown, err := t.Load(values)
	if err != nil {
		return err
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return option.Errorf(part, "line %d: %s", fields[unknown[0]].Line, strict.Unknown(unknown[0], keysOf(t)))
	}
	return nil
}

func keysOf(t option.Table) []string {
	names := t.Names()
	for i, n := range names {
		names[i] = strings.ReplaceAll(n, "-", "_")
	}
	return names
}

// Begins returns the earliest begin of a run, zero for any time.
func (c *Consortium) Begins() (time.Time, error) {
	if c.BeginAt == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, c.BeginAt)
	if err != nil {
		err = &option.Error{Name: "begin-at", Got: c.BeginAt, Msg: fmt.Sprintf("want a time such as 2026-05-04T06:00:00Z, got %q", c.BeginAt)}
	}
	return at, err
}

const ofConsortium = "every member needs the agreement of its consortium"

// ReadConsortium reads an agreement.
func ReadConsortium(path string) (*Consortium, error) {
	b, err := content(path, ofConsortium)
	if err != nil {
		return nil, err
	}
	return decodeConsortium(path, b)
}

// ReadDraft reads an agreement that may lack members.
func ReadDraft(path string) (*Consortium, error) {
	b, err := content(path, ofConsortium)
	if err != nil {
		return nil, err
	}
	return decodeDraft(path, b)
}

func decodeConsortium(path string, b []byte) (*Consortium, error) {
	c, err := decodeDraft(path, b)
	if err != nil {
		return nil, err
	}
	if len(c.Members) < 2 {
		return nil, &Error{path, fmt.Errorf("members: want at least 2, got %d", len(c.Members)), "add every member, with its name, id and addrs, or by its card with collabdict consortium invite"}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Units)) {
		if !slices.Contains(c.Columns, name) {
			return nil, &Error{path, fmt.Errorf("units: %q is not one of the columns", name), "correct the file"}
		}
		if strings.TrimSpace(c.Units[name]) == "" {
			return nil, &Error{path, fmt.Errorf("units: %q has no unit", name), "give a unit such as degC or kPa, or leave the column out of units"}
		}
	}
	t, err := c.Task()
	if err == nil {
		err = t.Consensus.Complete()
	}
	if err == nil {
		if err = t.Settings.Validate(len(c.Members)); err != nil {
			err = fmt.Errorf("consensus: %w", err)
		}
	}
	if err != nil {
		return nil, &Error{path, err, "correct the file"}
	}
	return c, nil
}

func decodeDraft(path string, b []byte) (*Consortium, error) {
	c := &Consortium{}
	if err := decode(path, b, c); err != nil {
		return nil, err
	}
	if err := checkVersion(path, c.Version); err != nil {
		return nil, err
	}
	switch {
	case c.Model.Kind == "":
		return nil, &Error{path, errors.New("model: want kind, got none"), "name what is learned: " + algorithms.Names()}
	case len(c.Columns) == 0:
		return nil, &Error{path, errors.New("columns: want at least 1, got none"), "list the features that all members have"}
	}
	err := c.checkNames()
	if err == nil {
		_, err = c.Task()
	}
	if err == nil {
		_, err = c.Begins()
	}
	if err != nil {
		return nil, &Error{path, err, "correct the file"}
	}
	return c, nil
}

// checkNames returns an error for the first name of others that cannot be printed.
func (c *Consortium) checkNames() error {
	members, removed := slices.Clone(c.Members), []string(nil)
	for _, change := range c.Changes {
		members, removed = append(members, change.Add...), append(removed, change.Remove...)
	}
	for _, m := range members {
		if err := checkMember("members", m); err != nil {
			return err
		}
	}
	return cmp.Or(
		checkTexts("changes: remove", removed...),
		checkTexts("columns", c.Columns...),
		checkTexts("units", slices.Sorted(maps.Values(c.Units))...),
		checkTexts("signatures", slices.Sorted(maps.Keys(c.Signatures))...),
	)
}

// checkMember checks the texts of a member.
func checkMember(field string, m Member) error {
	return cmp.Or(checkTexts(field, m.Name, m.ID), checkTexts(field+": addrs", m.Addrs...))
}

// checkTexts returns an error for the first text that cannot be printed.
func checkTexts(field string, texts ...string) error {
	for _, s := range texts {
		if !printable.Text(s) {
			return fmt.Errorf("%s: want text without characters that cannot be seen, got %q", field, s)
		}
	}
	return nil
}

// Write writes the agreement.
func (c *Consortium) Write(path string) error { return write(path, c) }
