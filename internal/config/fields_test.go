package config

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/collabdict/collabdict/internal/algorithms"
	"github.com/collabdict/collabdict/internal/run/pipeline"
	"github.com/collabdict/collabdict/internal/testkit"
)

// Each field of the files is in a table of its part of the reference, and each option is on the
// page of options.
func TestTheReferenceHasAllFields(t *testing.T) {
	testkit.SkipRaced(t)
	page := func(name string) string {
		b, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	cell := regexp.MustCompile("(?m)^\\| (`[^|]*`) \\|")
	_, files, _ := strings.Cut(page("files.md"), "\n## consortium.yaml\n")
	consortium, node, _ := strings.Cut(files, "\n## node.yaml\n")
	node, _, _ = strings.Cut(node, "\n## ")
	consortium, cards, _ := strings.Cut(consortium, "\n### Cards\n")
	for _, test := range []struct {
		name, text string
		of         []any
	}{
		{"consortium.yaml", consortium, []any{Consortium{}, Member{}, Change{}, Model{}}},
		{"node.yaml", node, []any{Node{}}},
	} {
		var documented []string
		for _, row := range cell.FindAllStringSubmatch(test.text, -1) {
			for _, word := range strings.Split(row[1], ", ") {
				documented = append(documented, strings.Trim(word, "`"))
			}
		}
		known := map[string]bool{}
		for _, v := range test.of {
			for _, field := range fieldsOf(v) {
				known[field] = true
				if !slices.Contains(documented, field) {
					t.Errorf("files.md has no row of %s for the field %s", test.name, field)
				}
			}
		}
		for _, field := range documented {
			if !known[field] {
				t.Errorf("files.md has a row of %s for %s, which is no field", test.name, field)
			}
		}
	}
	for _, field := range fieldsOf(Card{}) {
		if !regexp.MustCompile("(?m)^" + field + ":").MatchString(cards) {
			t.Errorf("files.md has nothing about the field %s of cards", field)
		}
	}
	options := page("options.md")
	for _, k := range algorithms.All() {
		task := pipeline.New(k)
		for _, o := range slices.Concat(task.Options, task.Shared, task.Consensus) {
			if !regexp.MustCompile("(?m)^- `(consensus\\.)?" + o.Key() + "` |^- `.* \\(`" + o.Key() + "`\\) ").MatchString(options) {
				t.Errorf("options.md has nothing about %s", o.Key())
			}
		}
	}
}
