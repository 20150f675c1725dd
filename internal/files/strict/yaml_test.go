package strict

import (
	"errors"
	"io"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

type file struct {
	Count *int                  `yaml:"count"`
	Seed  uint64                `yaml:"seed"`
	Share float64               `yaml:"share"`
	Ready bool                  `yaml:"ready"`
	Name  string                `yaml:"name"`
	List  []string              `yaml:"list"`
	Part  struct{}              `yaml:"part"`
	Parts []struct{}            `yaml:"parts"`
	Pairs map[string][2]float64 `yaml:"pairs"`
	Any   yaml.Node             `yaml:"any"`
}

func TestFaultsAreSaidInTheTermsOfTheFile(t *testing.T) {
	for text, want := range map[string]string{
		"name: a\ncount: three": `line 2, column 8: count: want a whole number, got "three"`,
		"seed: -1":              `line 1, column 7: seed: want a whole number of at least 0, got "-1"`,
		"share: much":           `line 1, column 8: share: want a number, got "much"`,
		"ready: 3":              `line 1, column 8: ready: want true or false, got "3"`,
		"name: [a]":             "line 1, column 7: name: want text, got a list",
		"name: {a: b}":          "line 1, column 7: name: want text, got fields",
		"name:\n  a: b":         "line 2, column 3: name: want text, got fields",
		"list: a":               `line 1, column 7: list: want a list, got "a"`,
		"list: [a, {b: c}]":     "line 1, column 11: list: number 2: want text, got fields",
		"part: a":               `line 1, column 7: part: want fields, as name: value, got "a"`,
		"parts:\n- into 3":      `line 2, column 3: parts: number 1: want fields, as name: value, got "into 3"`,
		"parts:\n- {}\n- a: b":  "line 3, column 3: parts: number 2: unknown field a",
		"pairs: {x: [1, two]}":  `line 1, column 16: pairs: x: number 2: want a number, got "two"`,
		"pairs: {x: [1, 2, 3]}": "line 1, column 12: invalid array: want 2 elements but got 3",
		"nmae: a":               "line 1, column 1: unknown field nmae: did you mean name?",
		"[a, b]":                "line 1, column 1: want fields, as name: value, got a list",
		"three":                 `line 1, column 1: want fields, as name: value, got "three"`,
		"name: [":               "line 2, column 1: did not find expected node content",
		"name: a\nname: b":      `line 2, column 1: mapping key "name" already defined at line 1`,
		"count: " + strings.Repeat("é", 50): `line 1, column 8: count: want a whole number, got "` +
			strings.Repeat("é", 37) + `..."`,
	} {
		err := YAML(strings.NewReader(text), &file{})
		if err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	if err := YAML(strings.NewReader(""), &file{}); !errors.Is(err, io.EOF) {
		t.Errorf("nothing: got %v", err)
	}
	if err := YAML(strings.NewReader("count: 3\nany: [1, {b: 2}]\npairs: {x: [1, 2]}"), &file{}); err != nil {
		t.Error(err)
	}
}
