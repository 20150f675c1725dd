package scenario

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/collabdict/collabdict/internal/files/strict"
	"go.yaml.in/yaml/v4"
)

// A Scenario describes a simulated network and its faults.
type Scenario struct {
	words []word
	// ReadFile opens a file that a word names; nil if words may not name files.
	ReadFile func(name string) (io.ReadCloser, error)
}

// A word is one item of a scenario, such as "crash:node=3,at=2m".
type word struct {
	name   string
	where  string // for errors
	values []pair
}

type pair struct{ key, value string }

// Empty reports whether the scenario has no words.
func (s *Scenario) Empty() bool { return s == nil || len(s.words) == 0 }

// Parse reads words separated by semicolons, each with values separated by commas. The name is
// that of the text, for errors.
func Parse(name, text string) (*Scenario, error) {
	s := &Scenario{}
	for i, part := range strings.Split(text, ";") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		kind, rest, _ := strings.Cut(part, ":")
		w := word{name: strings.TrimSpace(kind), where: fmt.Sprintf("%s: fault %d", name, i+1)}
		for _, item := range split(rest) {
			key, value, found := strings.Cut(item, "=")
			if !found || strings.TrimSpace(key) == "" || value == "" {
				return nil, fmt.Errorf("%s, %s: want KEY=VALUE, got %q", w.where, w.name, item)
			}
			w.values = append(w.values, pair{strings.TrimSpace(key), strings.TrimSpace(value)})
		}
		s.words = append(s.words, w)
	}
	return s, s.known()
}

func split(rest string) []string {
	if strings.TrimSpace(rest) == "" {
		return nil
	}
	return strings.Split(rest, ",")
}

// ParseYAML reads a scenario file. The name is that of the file, for errors:
//
//	compute: 2s
//	latency: {kind: log-normal, median: 40ms, sigma: 0.5}
//	faults:
//	  - crash: {node: 3, at: 2m, for: 30s}
func ParseYAML(name string, r io.Reader) (*Scenario, error) {
	var file struct {
		Compute string      `yaml:"compute"`
		Latency yaml.Node   `yaml:"latency"`
		Faults  []yaml.Node `yaml:"faults"`
	}
	if err := strict.YAML(r, &file); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w; a scenario has compute, latency and faults", name, err)
	}
	s := &Scenario{}
	if file.Compute != "" {
		s.words = append(s.words, word{name: "compute", where: name, values: []pair{{"time", file.Compute}}})
	}
	if file.Latency.Kind != 0 {
		w := word{name: "latency", where: fmt.Sprintf("%s: line %d", name, file.Latency.Line)}
		if err := w.take(&file.Latency); err != nil {
			return nil, err
		}
		s.words = append(s.words, w)
	}
	for i := range file.Faults {
		node := &file.Faults[i]
		w := word{where: fmt.Sprintf("%s: line %d", name, node.Line)}
		switch {
		case node.Kind == yaml.ScalarNode:
			w.name = node.Value
		case node.Kind == yaml.MappingNode && len(node.Content) == 2:
			w.name = node.Content[0].Value
			if err := w.take(node.Content[1]); err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("%s: want one fault per entry, such as crash: {node: 3, at: 2m}", w.where)
		}
		s.words = append(s.words, w)
	}
	return s, s.known()
}

// take reads a word's values from a YAML mapping.
func (w *word) take(node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("%s, %s: want values such as {node: 3, at: 2m}", w.where, w.name)
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if value.Kind != yaml.ScalarNode {
			return fmt.Errorf("%s, %s: %s: want a single value", w.where, w.name, key.Value)
		}
		w.values = append(w.values, pair{key.Value, value.Value})
	}
	return nil
}

// Add appends the words of another scenario.
func (s *Scenario) Add(more *Scenario) {
	if more != nil {
		s.words = append(s.words, more.words...)
	}
}

// known returns an error for the first unknown word.
func (s *Scenario) known() error {
	for _, w := range s.words {
		if kinds[w.name] == nil {
			return fmt.Errorf("%s: want %s, got %q", w.where, names(), w.name)
		}
	}
	return nil
}
