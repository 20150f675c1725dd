package examples_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The code on the page is that of the examples, line by line. A line "// ..." stands for lines
// that the page leaves out.
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
	}
	blocks := strings.Split(string(page), "```go\n")[1:]
	if len(blocks) == 0 {
		t.Error("the page has no code")
	}
	for _, block := range blocks {
		code, _, _ := strings.Cut(block, "```")
		found := false
		for _, example := range examples {
			found = found || abridges(code, example)
		}
		if !found {
			t.Errorf("this is in no example:\n%s", code)
		}
	}
}

// abridges reports whether text has the parts of code between lines "// ...", in their order.
func abridges(code, text string) bool {
	part := "\n"
	for line := range strings.Lines(code + "// ...\n") {
		if strings.TrimSpace(line) != "// ..." {
			part += line
			continue
		}
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text, part = text[at+len(part)-1:], "\n"
	}
	return part == "\n"
}

func TestAbridges(t *testing.T) {
	const text = "\na\nb\nc\nd\n"
	for code, want := range map[string]bool{
		"a\nb\n":               true,
		"b\n\t// ...\nd\n":     true,
		"a\n// ...\nb\n":       true,
		"d\n// ...\na\n":       false,
		"a\nc\n":               false,
		"a\n// ...\ne\n":       false,
		"// ...\nc\n// ...\nd": false,
	} {
		if got := abridges(code, text); got != want {
			t.Errorf("%q: got %t, want %t", code, got, want)
		}
	}
}
