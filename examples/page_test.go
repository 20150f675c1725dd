package examples_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The code on the page is that of the examples, line by line, and the learner is there
// whole.
func TestThePageHasTheExamples(t *testing.T) {
	page, err := os.ReadFile("../docs/how-to/use-as-a-library.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var examples []string
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		examples = append(examples, "\n"+string(text))
		if name == filepath.Join("logistic", "learner.go") && !strings.Contains(string(page), "```go\n"+string(text)+"```\n") {
			t.Errorf("%s is not on the page as it is", name)
		}
	}
	blocks := strings.Split(string(page), "```go\n")[1:]
	if len(blocks) != 4 {
		t.Errorf("want 4 blocks of code, got %d", len(blocks))
	}
	for _, block := range blocks {
		code, _, _ := strings.Cut(block, "```")
		if !strings.Contains(strings.Join(examples, "\n"), "\n"+code) {
			t.Errorf("this is in no example:\n%s", code)
		}
	}
}
