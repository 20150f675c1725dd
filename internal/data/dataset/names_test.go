package dataset_test

import (
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/data/dataset"
)

func TestCheckName(t *testing.T) {
	for _, name := range []string{"plant-a", "Werk Köln", "p0001", "a.b", "data2", "Data", strings.Repeat("x", 100)} {
		if err := dataset.CheckName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for name, want := range map[string]string{
		"":                      `want a participant's name of 1 to 100 bytes, got 0`,
		strings.Repeat("ö", 51): `want a participant's name of 1 to 100 bytes, got 102`,
		"K\xf6ln":               `want a participant's name in valid UTF-8, got "K\xf6ln"`,
		"a\x1b[2J":              `want a participant's name without control characters, got "a\x1b[2J"`,
		"a\nb":                  `want a participant's name without control characters, got "a\nb"`,
		"a\u202eb":              `want a participant's name without control characters, got "a\u202eb"`,
		"a/b":                   `want a participant's name without / and \, got "a/b"`,
		`a\b`:                   `want a participant's name without / and \, got "a\\b"`,
		".":                     `want a participant's name that does not begin with a dot, got "."`,
		"..":                    `want a participant's name that does not begin with a dot, got ".."`,
		".a":                    `want a participant's name that does not begin with a dot, got ".a"`,
		"result.json":           `want a participant's name other than result.json, consortium.yaml, init.json, data, which stand in the same folder, got "result.json"`,
		"consortium.yaml":       `want a participant's name other than result.json, consortium.yaml, init.json, data, which stand in the same folder, got "consortium.yaml"`,
		"init.json":             `want a participant's name other than result.json, consortium.yaml, init.json, data, which stand in the same folder, got "init.json"`,
		"data":                  `want a participant's name other than result.json, consortium.yaml, init.json, data, which stand in the same folder, got "data"`,
	} {
		wantError(t, dataset.CheckName(name), want)
	}
}

// TestBadNamesAreRefused checks that errors report where a bad name comes from.
func TestBadNamesAreRefused(t *testing.T) {
	folder(t, "all.csv", "x,site\n1,a\n2,n/a\n", "data.csv", "x,site\n1,a\n2,b\n")
	const taken = `want a participant's name other than result.json, consortium.yaml, init.json, data, which stand in the same folder, got "data"`
	_, err := dataset.LoadAll(dataset.Spec{Data: []string{"all.csv"}, Split: split("column=site")})
	wantError(t, err, `all.csv:3: column "site": want a participant's name without / and \, got "n/a"; fix the cells, or split by another column`)
	_, err = dataset.LoadAll(dataset.Spec{Data: []string{"all.csv", "data.csv"}})
	wantError(t, err, "data.csv: "+taken+"; rename the file")
	_, err = dataset.LoadOne(dataset.Spec{Data: []string{"data.csv"}})
	wantError(t, err, "data.csv: "+taken+"; rename the file, or give another name with --name")
	_, err = dataset.LoadOne(dataset.Spec{Data: []string{"all.csv"}, Name: "data"})
	wantError(t, err, taken)
}

// TestFilesMayHaveReservedNames checks that files may have such names if a column or the Spec names
// participants, or if rows are only scored.
func TestFilesMayHaveReservedNames(t *testing.T) {
	folder(t, "data.csv", "x,site\n1,a\n2,b\n")
	for _, by := range []string{"column=site", "iid:clients=2"} {
		if _, err := dataset.LoadAll(dataset.Spec{Data: []string{"data.csv"}, Split: split(by)}); err != nil {
			t.Errorf("%s: %v", by, err)
		}
	}
	d, err := dataset.LoadOne(dataset.Spec{Data: []string{"data.csv"}, Name: "plant-a"})
	if err != nil || d.Participants[0].Name != "plant-a" {
		t.Errorf("got %v, %v", d, err)
	}
	if _, err := dataset.LoadOne(dataset.Spec{Data: []string{"data.csv"}, Columns: []string{"x"}}); err != nil {
		t.Errorf("scoring: %v", err)
	}
}
