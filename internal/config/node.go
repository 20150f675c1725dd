package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/units"
)

// NodeFile is the name of a participant's own configuration in its folder.
const NodeFile = "node.yaml"

// Node describes one participant. Paths are relative to the folder of the file.
type Node struct {
	Version    int      `yaml:"version"`
	Name       string   `yaml:"name"`
	Consortium string   `yaml:"consortium"`
	Listen     []string `yaml:"listen"`
	// Announce holds the addresses that the others dial, if not those of Listen.
	Announce []string `yaml:"announce,omitempty"`
	// MapPorts makes the node ask the router to forward a port to it.
	MapPorts bool `yaml:"map_ports,omitempty"`
	// Relay makes the node relay connections between members that do not reach each other.
	Relay bool     `yaml:"relay,omitempty"`
	Data  []string `yaml:"data"`
	// Engine is a program with its arguments that reads the data and makes the passes over it, where
	// the data is; empty for this process.
	Engine []string `yaml:"engine,omitempty"`
	Label  string   `yaml:"label,omitempty"`
	// Anomaly is the label of anomalies; empty means 1.
	Anomaly string `yaml:"anomaly,omitempty"`
	// ClassLabels reports that labels are classes, as other participants' labels show.
	ClassLabels bool     `yaml:"class_labels,omitempty"`
	Where       string   `yaml:"where,omitempty"`
	TestWhere   string   `yaml:"test_where,omitempty"`
	TimeColumn  string   `yaml:"time_column,omitempty"`
	Limit       int      `yaml:"limit,omitempty"`
	Ignore      []string `yaml:"ignore,omitempty"`
	// Keep names columns that are features although they look like times, row numbers or
	// labels.
	Keep []string `yaml:"keep,omitempty"`
	// Rename maps this participant's own names of columns to the agreed ones, which all other
	// fields use. Units are those of its columns, by agreed names.
	Rename map[string]string `yaml:"rename,omitempty"`
	Units  map[string]string `yaml:"units,omitempty"`
	// Missing decides about this participant's rows with missing cells: error or skip. Empty means
	// as agreed.
	Missing string `yaml:"missing,omitempty"`
	// CSV describes the participant's CSV files where that is not recognised.
	CSV       dataset.CSV `yaml:"csv,omitempty"`
	Memory    string      `yaml:"memory,omitempty"`
	Float32   bool        `yaml:"float32,omitempty"`
	Baselines []string    `yaml:"baselines,omitempty"`
	// Patience is how many times its usual time a member may take before this one continues
	// without it; 0 means the default.
	Patience float64 `yaml:"patience,omitempty"`
	// Durability is disk or memory; empty means disk.
	Durability string `yaml:"durability,omitempty"`
	// HTTP is a further address for status and metrics; empty for none.
	HTTP string `yaml:"http,omitempty"`
}

// ReadNode reads a participant's configuration from its folder, and resolves the paths in it.
func ReadNode(dir string) (*Node, error) {
	n := &Node{}
	path := filepath.Join(dir, NodeFile)
	if err := read(path, n, "give --data and --expect, or a folder of a participant, made by collabdict init"); err != nil {
		return nil, err
	}
	if err := checkVersion(path, n.Version); err != nil {
		return nil, err
	}
	if n.Name == "" || n.Consortium == "" || len(n.Data) == 0 {
		return nil, &Error{path, errors.New("want name, consortium and data"), "correct the file"}
	}
	if err := cmp.Or(checkTexts("name", n.Name), checkTexts("rename", slices.Sorted(maps.Values(n.Rename))...), checkTexts("units", slices.Sorted(maps.Values(n.Units))...)); err != nil {
		return nil, &Error{path, err, "correct the file"}
	}
	n.Consortium = resolve(dir, n.Consortium)
	for i, d := range n.Data {
		if d != "-" && !dataset.IsDatabase(d) && !(len(n.Engine) > 0 && strings.Contains(d, "://")) { // database addresses are refused without being printed
			n.Data[i] = resolve(dir, d)
		}
	}
	return n, nil
}

func resolve(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// Write writes the configuration into the participant's folder.
func (n *Node) Write(dir string) error { return write(filepath.Join(dir, NodeFile), n) }

// Spec returns which of the participant's rows to load.
func (n *Node) Spec() (dataset.Spec, error) {
	where, err := dataset.ParseCondition(n.Where)
	if err != nil {
		return dataset.Spec{}, err
	}
	testWhere, err := dataset.ParseCondition(n.TestWhere)
	if err != nil {
		return dataset.Spec{}, err
	}
	if n.Anomaly != "" && n.Label == "" {
		return dataset.Spec{}, errors.New("anomaly: want the column of labels, got none; name it as label")
	}
	switch n.Missing {
	case "", dataset.RefuseMissing, dataset.SkipMissing:
	default:
		return dataset.Spec{}, fmt.Errorf("missing: want %s or %s, got %q: all members agree on %s", dataset.RefuseMissing, dataset.SkipMissing, n.Missing, dataset.KeepMissing)
	}
	if err := n.CSV.Check(); err != nil {
		return dataset.Spec{}, err
	}
	memory, err := dataset.ParseMemory(n.Memory)
	if err != nil {
		return dataset.Spec{}, err
	}
	return dataset.Spec{
		Data: n.Data, Engine: n.Engine, Label: n.Label, Anomaly: n.Anomaly, ClassLabels: n.ClassLabels, Where: where, TestWhere: testWhere,
		Rename: n.Rename, Time: n.TimeColumn, Limit: n.Limit, Ignore: n.Ignore, Missing: n.Missing, CSV: n.CSV, Memory: memory, Float32: n.Float32,
	}, nil
}

// ColumnUnits returns the units of this participant's columns with the agreed units.
func (n *Node) ColumnUnits(agreed map[string]string) (map[string]dataset.Unit, error) {
	columns := make(map[string]dataset.Unit, len(agreed))
	for column, unit := range agreed {
		columns[column] = dataset.Unit{Own: n.Units[column], Agreed: unit}
	}
	for _, column := range slices.Sorted(maps.Keys(n.Units)) {
		to, ok := agreed[column]
		if !ok {
			return nil, fmt.Errorf("units: column %q has no unit in the agreement, so %s cannot be converted: agree on a unit with all members, or leave it out", column, n.Units[column])
		}
		if _, err := units.Convert(n.Units[column], to); err != nil {
			return nil, fmt.Errorf("units: column %q: %w", column, err)
		}
	}
	return columns, nil
}
