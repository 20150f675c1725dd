package partition_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/data/partition"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]partition.Split{
		"":                          {},
		"files":                     {},
		"files:min=20":              {Min: 20},
		"files,min=20":              {Min: 20},
		"column=site":               {Kind: partition.ByColumn, Column: "site"},
		"column=a=b:c,min=2":        {Kind: partition.ByColumn, Column: "a=b:c", Min: 2},
		"iid:clients=20":            {Kind: partition.IID, Clients: 20},
		"iid:min=3,clients=1000000": {Kind: partition.IID, Clients: 1000000, Min: 3},
		"dirichlet:alpha=0.3,clients=20,label=species":         {Kind: partition.Dirichlet, Alpha: 0.3, Clients: 20, Column: "species"},
		"quantity:label=a=b,alpha=2,clients=3,min=9":           {Kind: partition.Quantity, Alpha: 2, Clients: 3, Column: "a=b", Min: 9},
		"classes:least=2,most=8,clients=100,label=Class Rings": {Kind: partition.Classes, Least: 2, Most: 8, Clients: 100, Column: "Class Rings"},
		"pca-kmeans:clients=10,shuffle=0.2,label=class":        {Kind: partition.PCAKMeans, Clients: 10, Shuffle: 0.2, Column: "class"},
		"pca-kmeans:shuffle=1,clients=3,label=a,min=7":         {Kind: partition.PCAKMeans, Clients: 3, Shuffle: 1, Column: "a", Min: 7},
	} {
		got, err := partition.Parse(text)
		if err != nil || got != want {
			t.Errorf("%q: got %+v, %v", text, got, err)
		}
		if again, err := partition.Parse(got.String()); err != nil || again != want {
			t.Errorf("%q as %q: got %+v, %v", text, got, again, err)
		}
	}
	for text, names := range map[string]string{
		"column":                                   `got kind "column"`,
		"column=":                                  "column needs one name",
		"column=a,column=b":                        "column needs one value",
		"rows:clients=2":                           `got kind "rows"`,
		"iid":                                      "clients=N is missing",
		"iid:clients=0":                            `clients needs a number from 1 to 1000000, got "0"`,
		"iid:clients=two":                          `got "two"`,
		"iid:clients=2,alpha=1":                    `got unknown field "alpha"`,
		"files:clients=2":                          `got unknown field "clients"`,
		"iid:clients=2,clients=3":                  "clients needs one value",
		"dirichlet:clients=2,label=a":              "alpha=N is missing",
		"dirichlet:alpha=0,clients=2,label=a":      `alpha needs a number above 0, got "0"`,
		"dirichlet:alpha=NaN,clients=2,label=a":    `got "NaN"`,
		"dirichlet:alpha=1,clients=2":              "label=NAME is missing",
		"dirichlet:alpha=1,clients=2,label=":       "label needs one name",
		"quantity:alpha=1.5,clients=2,label=a":     `alpha needs a whole number of classes, got "1.5"`,
		"classes:least=3,most=2,clients=2,label=a": "most needs a number of at least least=3, got 2",
		"pca-kmeans:clients=2,label=a":             "shuffle=N is missing",
		"pca-kmeans:clients=2,label=a,shuffle=1.1": `shuffle needs a share of the rows from 0 to 1, got "1.1"`,
		"pca-kmeans:clients=2,label=a,shuffle=NaN": `got "NaN"`,
		"pca-kmeans:clients=2,label=a,alpha=1":     `got unknown field "alpha"`,
		"files:min=0":                              `min needs a number of rows of at least 1, got "0"`,
	} {
		_, err := partition.Parse(text)
		if err == nil || !strings.Contains(err.Error(), names) || !strings.Contains(err.Error(), "want files, column=NAME, iid:clients=N, dirichlet:") {
			t.Errorf("%q: got %v, want it to say %q", text, err, names)
		}
	}
}

// TestOwnWordsOnly checks that errors about bad numbers do not use the words of the standard
// library.
func TestOwnWordsOnly(t *testing.T) {
	for _, text := range []string{"files:min=99999999999999999999", "iid:clients=1e3", "iid:clients=0x10", "files:min=1_0"} {
		_, err := partition.Parse(text)
		var typed *partition.Error
		if !errors.As(err, &typed) || slices.ContainsFunc([]string{"strconv", "syntax", "range:"}, func(w string) bool { return strings.Contains(err.Error(), w) }) {
			t.Errorf("%q: got %v", text, err)
		}
	}
}
