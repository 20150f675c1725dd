package docs_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The map of the packages, in design.md, has each package.
func TestTheMapIsComplete(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}}", "../...").Output()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("design.md")
	if err != nil {
		t.Fatal(err)
	}
	_, packages, found := strings.Cut(string(page), "\n## Packages\n")
	packages, _, _ = strings.Cut(packages, "\n## ")
	words := map[string]bool{}
	for _, w := range strings.FieldsFunc(packages, func(r rune) bool { return strings.ContainsRune(" \n,;:.()/", r) }) {
		words[w] = true
	}
	const module = "github.com/collabdict/collabdict/"
	for _, p := range strings.Fields(string(out)) {
		name, below := strings.CutPrefix(p, module)
		if last := name[strings.LastIndex(name, "/")+1:]; below && found && !words[last] {
			t.Errorf("design.md: want the package %s in the section Packages", name)
		}
	}
	if !found {
		t.Error("design.md: want a section Packages")
	}
}
