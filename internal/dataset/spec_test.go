package dataset_test

import (
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/dataset"
)

func TestParseSplit(t *testing.T) {
	for text, want := range map[string]dataset.Split{
		"":                          {},
		"files":                     {},
		"files:min=20":              {Min: 20},
		"files,min=20":              {Min: 20},
		"column=site":               {Kind: dataset.ByColumn, Column: "site"},
		"column=a=b:c,min=2":        {Kind: dataset.ByColumn, Column: "a=b:c", Min: 2},
		"iid:clients=20":            {Kind: dataset.IID, Clients: 20},
		"iid:min=3,clients=1000000": {Kind: dataset.IID, Clients: 1000000, Min: 3},
	} {
		got, err := dataset.ParseSplit(text)
		if err != nil || got != want {
			t.Errorf("%q: got %+v, %v", text, got, err)
		}
		if again, err := dataset.ParseSplit(got.String()); err != nil || again != want {
			t.Errorf("%q as %q: got %+v, %v", text, got, again, err)
		}
	}
	for text, names := range map[string]string{
		"column":                `got kind "column"`,
		"column=":               "column wants one name",
		"column=a,column=b":     "column wants one name",
		"rows:clients=2":        `got kind "rows"`,
		"iid":                   "clients=N is missing",
		"iid:clients=0":         `clients wants a number from 1 to 1000000, got "0"`,
		"iid:clients=two":       `got "two"`,
		"iid:clients=2,alpha=1": `got unknown field "alpha"`,
		"files:clients=2":       `got unknown field "clients"`,
		"files:min=0":           `min wants a number of rows of at least 1, got "0"`,
	} {
		_, err := dataset.ParseSplit(text)
		if err == nil || !strings.Contains(err.Error(), names) || !strings.Contains(err.Error(), "want files, column=NAME or iid:clients=N") {
			t.Errorf("%q: got %v, want it to say %q", text, err, names)
		}
	}
}

func TestParseCondition(t *testing.T) {
	for text, want := range map[string]dataset.Condition{
		"":            {},
		"part=train":  {Column: "part", Value: "train"},
		" part = a=b": {Column: "part", Value: "a=b"},
	} {
		got, err := dataset.ParseCondition(text)
		if err != nil || got != want || got.Given() == (text == "") {
			t.Errorf("%q: got %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"part", "=x", "part=", "="} {
		if _, err := dataset.ParseCondition(text); err == nil || !strings.Contains(err.Error(), "column=value") {
			t.Errorf("%q: got %v", text, err)
		}
	}
}
