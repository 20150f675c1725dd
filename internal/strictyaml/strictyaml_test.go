package strictyaml

import (
	"errors"
	"io"
	"strings"
	"testing"
)

type file struct {
	Count *int       `yaml:"count"`
	Seed  uint64     `yaml:"seed"`
	Share float64    `yaml:"share"`
	Ready bool       `yaml:"ready"`
	Name  string     `yaml:"name"`
	List  []string   `yaml:"list"`
	Part  struct{}   `yaml:"part"`
	Parts []struct{} `yaml:"parts"`
}

func TestFaultsAreSaidInTheTermsOfTheFile(t *testing.T) {
	for text, want := range map[string]string{
		"name: a\ncount: three": "line 2: want a whole number, got `three`",
		"seed: -1":              "line 1: want a whole number of at least 0, got `-1`",
		"share: much":           "line 1: want a number, got `much`",
		"ready: 3":              "line 1: want true or false, got `3`",
		"name: [a]":             "line 1: want text, got a list",
		"name: {a: b}":          "line 1: want text, got fields",
		"list: a":               "line 1: want a list, got `a`",
		"part: a":               "line 1: want fields, as name: value, got `a`",
		"parts:\n- into 3":      "line 2: want fields, as name: value, got `into 3`",
		"nmae: a":               "line 1: unknown field nmae",
		"name: [":               "line 1: did not find expected node content",
		"name: a\nname: b":      "line 2: mapping key \"name\" already defined at line 1",
	} {
		err := Decode(strings.NewReader(text), &file{})
		if err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	if err := Decode(strings.NewReader(""), &file{}); !errors.Is(err, io.EOF) {
		t.Errorf("nothing: got %v", err)
	}
	if err := Decode(strings.NewReader("count: 3"), &file{}); err != nil {
		t.Error(err)
	}
}
